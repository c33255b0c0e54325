package dev.acp4j.mcp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A template of the addresses of resources that a server has, by RFC 6570. Only the server knows which of them exist.
 *
 * <pre>{@code
 * // file:///{+path}{?line}
 * server.read(template.expand(Map.of("path", "src/main", "line", "7")));
 * }</pre>
 *
 * @param server the name of the server, as the client declared it
 * @param uriTemplate the template, such as {@code file:///{+path}}
 * @param name the server's name for it
 * @param title the title for people, or null
 * @param description what the resources are; may be empty
 * @param mimeType the type of all of them, or null if they differ
 * @see <a href="https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource-templates">Resource
 *     templates</a>
 */
public record ResourceTemplate(
        String server,
        String uriTemplate,
        String name,
        @Nullable String title,
        String description,
        @Nullable String mimeType) {
    private static final Pattern EXPRESSION = Pattern.compile("\\{([+#./;?&]?)([^{}]*)\\}");
    private static final Pattern VARIABLE =
            Pattern.compile("((?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+)(\\*|:[1-9][0-9]{0,3})?");
    private static final Pattern ESCAPED = Pattern.compile("%[0-9A-Fa-f]{2}");
    private static final String UNRESERVED = "-._~";
    private static final String RESERVED = ":/?#[]@!$&'()*+,;=";

    public ResourceTemplate {
        Objects.requireNonNull(server, "server is null");
        Objects.requireNonNull(uriTemplate, "uriTemplate is null");
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(description, "description is null");
    }

    static @Nullable ResourceTemplate of(String server, Members members) {
        String template = members.text("uriTemplate");
        return template == null
                ? null
                : new ResourceTemplate(
                        server,
                        template,
                        members.text("name", template),
                        members.text("title"),
                        members.text("description", ""),
                        members.text("mimeType"));
    }

    /**
     * Returns the names of the variables, in the order of the template.
     *
     * @throws IllegalArgumentException when the template cannot be read
     */
    public Set<String> variables() {
        Set<String> names = new LinkedHashSet<>();
        Matcher expression = EXPRESSION.matcher(uriTemplate);
        while (expression.find()) {
            for (String variable : expression.group(2).split(",", -1)) {
                names.add(variable(variable).group(1));
            }
        }
        return names;
    }

    /**
     * Returns the address with values for the variables. A variable without a value counts as undefined, and leaves
     * nothing, not even its name.
     *
     * @throws IllegalArgumentException when the template cannot be read, or has no variable of one of these names
     */
    public String expand(Map<String, String> values) {
        Set<String> known = variables();
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "the template " + uriTemplate + " has no variable " + name + "; it has " + known);
            }
        }
        StringBuilder uri = new StringBuilder();
        Matcher expression = EXPRESSION.matcher(uriTemplate);
        int end = 0;
        while (expression.find()) {
            uri.append(literal(uriTemplate.substring(end, expression.start())));
            uri.append(expanded(expression.group(1), expression.group(2), values));
            end = expression.end();
        }
        return uri.append(literal(uriTemplate.substring(end))).toString();
    }

    private static String expanded(String operator, String variables, Map<String, String> values) {
        boolean isNamed = operator.equals(";") || operator.equals("?") || operator.equals("&");
        boolean isReserved = operator.equals("+") || operator.equals("#");
        List<String> parts = new ArrayList<>();
        for (String one : variables.split(",", -1)) {
            Matcher variable = VARIABLE.matcher(one);
            String name = variable.matches() ? variable.group(1) : one;
            String value = values.get(name);
            if (value != null) {
                String modifier = variable.group(2);
                String part = modifier != null && modifier.startsWith(":")
                        ? first(value, Integer.parseInt(modifier.substring(1)))
                        : value;
                String escaped = escaped(part, isReserved);
                String sign = operator.equals(";") && escaped.isEmpty() ? "" : "=";
                parts.add(isNamed ? name + sign + escaped : escaped);
            }
        }
        String separator = isNamed ? (operator.equals(";") ? ";" : "&") : operator.matches("[./]") ? operator : ",";
        String first = operator.equals("+") ? "" : operator;
        return parts.isEmpty() ? "" : first + String.join(separator, parts);
    }

    private static String first(String value, int characters) {
        int most = Math.min(characters, value.codePointCount(0, value.length()));
        return value.substring(0, value.offsetByCodePoints(0, most));
    }

    private String literal(String text) {
        if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
            throw new IllegalArgumentException("the template " + uriTemplate + " has a brace without another one");
        }
        return escaped(text, true);
    }

    private Matcher variable(String text) {
        Matcher variable = VARIABLE.matcher(text);
        if (!variable.matches()) {
            throw new IllegalArgumentException(
                    "the template " + uriTemplate + ": expected the name of a variable, got \"" + text + "\"");
        }
        return variable;
    }

    /** @param isReserved whether characters that have a meaning in addresses stay, and what is escaped already */
    private static String escaped(String text, boolean isReserved) {
        StringBuilder escaped = new StringBuilder();
        Matcher done = ESCAPED.matcher(text);
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            int length = Character.charCount(character);
            boolean isAscii = character < 0x80;
            if (isAscii
                    && (Character.isLetterOrDigit(character)
                            || UNRESERVED.indexOf(character) >= 0
                            || (isReserved && RESERVED.indexOf(character) >= 0))) {
                escaped.appendCodePoint(character);
            } else if (isReserved && done.region(i, text.length()).lookingAt()) {
                escaped.append(done.group());
                length = 3;
            } else {
                for (byte octet : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
                    escaped.append(String.format("%%%02X", octet));
                }
            }
            i += length;
        }
        return escaped.toString();
    }
}
