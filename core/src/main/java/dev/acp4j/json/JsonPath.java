package dev.acp4j.json;

import java.util.Arrays;

/**
 * Finds the path of an offset in a text by reading the text again from its start. It follows quotes, brackets and
 * commas only and accepts invalid text, because the text may be malformed at or after that offset.
 */
final class JsonPath {
    private static final int ARRAY = -1;
    private static final int NO_NAME = -2;

    private final JsonText text;

    /** For each open container: the start of its current member's name, or ARRAY, or NO_NAME. */
    private int[] names = new int[16];

    /** For each open container: the index of the current element, or the end of the name. */
    private int[] positions = new int[16];

    private int depth;

    private JsonPath(JsonText text) {
        this.text = text;
    }

    static String of(JsonText text, int at) {
        JsonPath path = new JsonPath(text);
        path.walk(Math.min(at, text.to));
        return path.render();
    }

    private void walk(int at) {
        int pos = text.from;
        while (pos < at) {
            switch (text.bytes[pos]) {
                case '{' -> push(NO_NAME);
                case '[' -> push(ARRAY);
                case '}', ']' -> depth = Math.max(0, depth - 1);
                case ',' -> next();
                case '"' -> {
                    int end = stringEnd(pos, at);
                    if (end < at && depth > 0 && names[depth - 1] == NO_NAME) {
                        names[depth - 1] = pos + 1;
                        positions[depth - 1] = end;
                    }
                    pos = end;
                }
                default -> {}
            }
            pos++;
        }
    }

    /** Returns the index of the closing quote, or {@code to}. */
    private int stringEnd(int at, int to) {
        int pos = at + 1;
        while (pos < to && text.bytes[pos] != '"') {
            pos += text.bytes[pos] == '\\' ? 2 : 1;
        }
        return Math.min(pos, to);
    }

    private void push(int name) {
        if (depth == names.length) {
            names = Arrays.copyOf(names, 2 * depth);
            positions = Arrays.copyOf(positions, 2 * depth);
        }
        names[depth] = name;
        positions[depth] = 0;
        depth++;
    }

    private void next() {
        if (depth == 0) {
            return;
        }
        if (names[depth - 1] == ARRAY) {
            positions[depth - 1]++;
        } else {
            names[depth - 1] = NO_NAME;
        }
    }

    private String render() {
        StringBuilder path = new StringBuilder(text.label);
        for (int i = 0; i < depth; i++) {
            if (names[i] == ARRAY) {
                path.append('[').append(positions[i]).append(']');
            } else if (names[i] != NO_NAME) {
                appendName(path, JsonStrings.lenient(text.bytes, names[i], positions[i]));
            }
        }
        return path.toString();
    }

    private static void appendName(StringBuilder path, String name) {
        if (!isIdentifier(name)) {
            path.append('[').append(RawJson.string(JsonText.cut(name))).append(']');
            return;
        }
        if (!path.isEmpty()) {
            path.append('.');
        }
        path.append(name);
    }

    private static boolean isIdentifier(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '_' && c != '$' && !Character.isLetterOrDigit(c)) {
                return false;
            }
        }
        return !name.isEmpty() && name.length() <= JsonText.SHOWN;
    }
}
