package dev.acp4j.redaction;

import org.jspecify.annotations.Nullable;

/**
 * A text in a form that does not depend on how many times it was encoded as a JSON string: {@code \"}, {@code \\\"} and
 * a plain quotation mark are equal, and so are {@code \}{@code u00e9} and é. Backslashes themselves are omitted. It
 * maps its characters to their original positions.
 */
final class Unescaped {
    private final String text;
    private final int @Nullable [] places;

    private Unescaped(String text, int @Nullable [] places) {
        this.text = text;
        this.places = places;
    }

    static Unescaped of(String text) {
        int first = text.indexOf('\\');
        if (first < 0) {
            return new Unescaped(text, null);
        }
        StringBuilder form = new StringBuilder(text.length()).append(text, 0, first);
        int[] places = new int[text.length() + 1];
        for (int i = 0; i < first; i++) {
            places[i] = i;
        }
        int at = first;
        while (at < text.length()) {
            int start = at;
            while (at < text.length() && text.charAt(at) == '\\') {
                at++;
            }
            if (at < text.length()) {
                places[form.length()] = start;
                int code = at > start && text.charAt(at) == 'u' ? code(text, at + 1) : -1;
                form.append(code >= 0 ? (char) code : at > start ? control(text.charAt(at)) : text.charAt(at));
                at += code >= 0 ? 5 : 1;
            }
        }
        places[form.length()] = text.length();
        return new Unescaped(form.toString(), places);
    }

    /** Returns the value of four hexadecimal digits, or -1. */
    private static int code(String text, int from) {
        if (from + 4 > text.length()) {
            return -1;
        }
        int code = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = Character.digit(text.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            code = code << 4 | digit;
        }
        return code;
    }

    private static char control(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            default -> c;
        };
    }

    String text() {
        return text;
    }

    /** Returns the index in the original text where a character of the form begins and the one before it ends. */
    int place(int at) {
        return places == null ? at : places[at];
    }
}
