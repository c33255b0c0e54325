package dev.acp4j.mcp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The arguments that a schema marks with {@code x-mcp-header}: over HTTP they are repeated as headers, by which proxies
 * can route without reading the body.
 */
final class ParameterHeaders {
    static final String MARK = "x-mcp-header";
    private static final Set<String> TYPES = Set.of("string", "integer", "boolean");

    private ParameterHeaders() {}

    /** Returns the headers of a call. */
    static Map<String, String> of(RawJson schema, RawJson arguments) {
        Map<String, String> headers = new TreeMap<>();
        collect(Members.of(schema), Members.of(arguments), headers);
        return headers;
    }

    private static void collect(Members schema, Members arguments, Map<String, String> headers) {
        for (var property : schema.object("properties").all().entrySet()) {
            Members of = Members.of(property.getValue());
            String header = of.text(MARK);
            RawJson value = arguments.raw(property.getKey());
            if (value != null && header != null) {
                String text = arguments.text(property.getKey());
                headers.put("Mcp-Param-" + header, text == null ? value.toString() : text);
            } else if (value != null) {
                collect(of, Members.of(value), headers);
            }
        }
    }

    /** Returns a schema without its marks. */
    static RawJson without(RawJson schema) {
        if (schema.reader().kind() != JsonReader.Kind.OBJECT) {
            return schema;
        }
        Members members = Members.of(schema).without(MARK);
        return members.has("properties")
                ? members.with(
                                "properties",
                                Link.object(out -> members.object("properties")
                                        .all()
                                        .forEach((name, property) -> {
                                            out.name(name);
                                            out.raw(without(property));
                                        })))
                        .json()
                : members.json();
    }

    /** Returns what is wrong with the marks of a schema; empty when nothing is. */
    static String problem(RawJson schema) {
        String problem = problem(Members.of(schema), new HashSet<>());
        return problem == null ? "" : problem;
    }

    private static @Nullable String problem(Members schema, Set<String> known) {
        for (var property : schema.object("properties").all().entrySet()) {
            Members of = Members.of(property.getValue());
            if (of.has(MARK)) {
                String header = of.text(MARK, "");
                if (header.isEmpty() || !header.chars().allMatch(ParameterHeaders::isOfToken)) {
                    return MARK + " of " + property.getKey() + " is not the name of a header";
                }
                if (!TYPES.contains(of.text("type", ""))) {
                    return MARK + " of " + property.getKey() + ": only strings, integers and booleans can be headers";
                }
                if (!known.add(header.toLowerCase(Locale.ROOT))) {
                    return MARK + " " + header + " is used twice";
                }
            }
            String inside = problem(of, known);
            if (inside != null) {
                return inside;
            }
        }
        return null;
    }

    /** Whether the name of a header may have this character. */
    static boolean isOfToken(int c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }
}
