package dev.acp4j.mcp;

import java.util.List;
import java.util.Locale;

/**
 * What a client says that it can read.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#name-accept">RFC 9110, Accept</a>
 */
final class AcceptHeader {
    private AcceptHeader() {}

    /**
     * Whether a client reads a type: the range that names it most closely decides, and excludes it by the quality 0.
     *
     * @param values the values of the header
     * @param type the type, such as {@code application/json}
     */
    static boolean takes(List<String> values, String type) {
        int closest = 0;
        boolean isTaken = false;
        for (String range : String.join(",", values).toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = range.split(";", -1);
            int close = closeness(parts[0].strip(), type);
            if (close > closest) {
                closest = close;
                isTaken = quality(parts) > 0;
            }
        }
        return isTaken;
    }

    private static int closeness(String range, String type) {
        if (range.equals(type)) {
            return 3;
        }
        if (range.equals("*/*")) {
            return 1;
        }
        return range.endsWith("/*") && type.startsWith(range.substring(0, range.length() - 1)) ? 2 : 0;
    }

    private static double quality(String[] parts) {
        for (String part : parts) {
            String parameter = part.strip();
            if (parameter.startsWith("q=")) {
                try {
                    return Double.parseDouble(parameter.substring(2));
                } catch (NumberFormatException e) {
                    // Not understood: it does not count.
                    return 0;
                }
            }
        }
        return 1;
    }
}
