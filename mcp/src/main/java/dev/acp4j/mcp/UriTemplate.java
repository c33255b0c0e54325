package dev.acp4j.mcp;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A URI with variables: <code>{name}</code> stands for a part between two separators, <code>{+name}</code> for any
 * text.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6570">RFC 6570, URI Template</a>
 */
final class UriTemplate {
    private static final Pattern VARIABLE = Pattern.compile("\\{(\\+?)(\\w+)}");

    /** Longer ones match nothing: several variables side by side would take long to find. */
    private static final int LONGEST = 8 * 1024;

    private final List<String> variables = new ArrayList<>();
    private final Pattern pattern;

    /** @throws IllegalArgumentException when it has other expressions or a variable twice */
    UriTemplate(String template) {
        StringBuilder regex = new StringBuilder();
        Matcher found = VARIABLE.matcher(template);
        int end = 0;
        while (found.find()) {
            regex.append(literal(template, template.substring(end, found.start())));
            regex.append(found.group(1).isEmpty() ? "([^/?#]+)" : "(.+)");
            if (variables.contains(found.group(2))) {
                throw new IllegalArgumentException("the template " + template + " has {" + found.group(2) + "} twice");
            }
            variables.add(found.group(2));
            end = found.end();
        }
        regex.append(literal(template, template.substring(end)));
        pattern = Pattern.compile(regex.toString());
    }

    private static String literal(String template, String text) {
        if (text.contains("{") || text.contains("}")) {
            throw new IllegalArgumentException(
                    "the template " + template + " may have expressions like {name} and {+name} only");
        }
        return Pattern.quote(text);
    }

    List<String> variables() {
        return variables;
    }

    /** Returns the values of the variables, decoded; null when the URI is not of this template. */
    @Nullable
    Map<String, String> match(String uri) {
        Matcher matcher = pattern.matcher(uri);
        if (uri.length() > LONGEST || !matcher.matches()) {
            return null;
        }
        Map<String, String> values = new LinkedHashMap<>();
        try {
            for (int i = 0; i < variables.size(); i++) {
                String value = matcher.group(i + 1).replace("+", "%2B");
                values.put(variables.get(i), URLDecoder.decode(value, StandardCharsets.UTF_8));
            }
        } catch (IllegalArgumentException e) {
            // A percent sign that begins no byte.
            return null;
        }
        return values;
    }
}
