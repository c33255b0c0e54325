package dev.acp4j.json;

import java.nio.charset.StandardCharsets;

/**
 * The bytes of one text and the grammar of its tokens. Each token method takes the index where the token starts,
 * returns the index after it, and throws if there is no such token; no method reads bytes outside the text.
 */
final class JsonText {
    static final int MAX_DEPTH = 256;

    /** The number of bytes of a string that are scanned one at a time before {@link Words} is used. */
    static final int NEAR = 128;

    static final int SHOWN = 40;

    byte[] bytes;
    int from;
    int to;
    final String label;
    private final int maxDepth;

    /** The containers around the value being skipped; empty otherwise. */
    private final Nesting open = new Nesting();

    JsonText(byte[] bytes, int from, int to, String label, int maxDepth) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.label = label;
        this.maxDepth = maxDepth;
    }

    /** Switches to another text. */
    void reset(byte[] newBytes, int newFrom, int newTo) {
        bytes = newBytes;
        from = newFrom;
        to = newTo;
    }

    /** Returns the byte at an index, or 0, which no token contains, beyond the end. */
    byte at(int index) {
        return index < to ? bytes[index] : 0;
    }

    int whitespace(int at) {
        int pos = at;
        while (pos < to && bytes[pos] <= ' ' && isWhitespace(bytes[pos])) {
            pos++;
        }
        return pos;
    }

    static boolean isWhitespace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    /** Returns whether a byte inside a string is an unescaped ASCII character. */
    static boolean isPlain(byte b) {
        return b >= ' ' && b != '"' && b != '\\';
    }

    /**
     * Skips a value of any kind and checks all of it.
     *
     * @param depth how many containers are open around the value
     */
    int value(int at, int depth) {
        return isOpening(at(at)) ? container(at, depth) : scalar(at);
    }

    private int container(int at, int depth) {
        open.clear();
        int pos = at;
        do {
            if (isOpening(at(pos))) {
                checkDepth(depth + open.level() + 1, pos);
                boolean object = at(pos) == '{';
                open.push(object);
                pos = whitespace(pos + 1);
                if (at(pos) != (object ? '}' : ']')) {
                    pos = object ? name(pos) : pos;
                    continue;
                }
            } else {
                pos = scalar(pos);
            }
            pos = behindValue(pos);
        } while (open.level() > 0);
        return pos;
    }

    /** Skips closing brackets up to the next value of an open container, or past the outermost one. */
    private int behindValue(int at) {
        int pos = at;
        while (open.level() > 0) {
            boolean object = open.isObject();
            pos = whitespace(pos);
            byte b = at(pos);
            if (b == ',') {
                pos = whitespace(pos + 1);
                return object ? name(pos) : pos;
            }
            if (b != (object ? '}' : ']')) {
                throw syntax(object ? "',' or '}'" : "',' or ']'", pos);
            }
            open.pop();
            pos++;
        }
        return pos;
    }

    private static boolean isOpening(byte b) {
        return b == '{' || b == '[';
    }

    void checkDepth(int depth, int at) {
        if (depth > maxDepth) {
            throw error(JsonException.TOO_DEEP + maxDepth + " levels", at);
        }
    }

    /** Skips a member's name and the colon, up to its value. */
    private int name(int at) {
        if (at(at) != '"') {
            throw syntax("a member name", at);
        }
        return colon(string(at));
    }

    /** Skips the colon after a name and the white space around it. */
    int colon(int at) {
        int pos = whitespace(at);
        if (at(pos) != ':') {
            throw syntax("':'", pos);
        }
        return whitespace(pos + 1);
    }

    private int scalar(int at) {
        return switch (at(at)) {
            case '"' -> string(at);
            case 't' -> literal(at, "true");
            case 'f' -> literal(at, "false");
            case 'n' -> literal(at, "null");
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number(at);
            default -> throw syntax("a value", at);
        };
    }

    int literal(int at, String word) {
        for (int i = 0; i < word.length(); i++) {
            if (at(at + i) != word.charAt(i)) {
                throw syntax(word, at + i);
            }
        }
        return at + word.length();
    }

    int number(int at) {
        int pos = at(at) == '-' ? at + 1 : at;
        pos = at(pos) == '0' ? pos + 1 : digits(pos);
        if (at(pos) == '.') {
            pos = digits(pos + 1);
        }
        if ((at(pos) | 0x20) == 'e') {
            byte sign = at(pos + 1);
            pos = digits(sign == '+' || sign == '-' ? pos + 2 : pos + 1);
        }
        return pos;
    }

    private int digits(int at) {
        int pos = at;
        while (at(pos) >= '0' && at(pos) <= '9') {
            pos++;
        }
        if (pos == at) {
            throw syntax("a digit", at);
        }
        return pos;
    }

    /** Skips a string; {@code at} is the index of its opening quote. */
    int string(int at) {
        int pos = at + 1;
        int near = Math.min(to, pos + NEAR);
        while (true) {
            pos = nearEnd(pos, near);
            if (pos >= near && pos < to) {
                pos = Words.simpleEnd(bytes, pos, to);
            }
            byte b = at(pos);
            if (b == '"') {
                return pos + 1;
            }
            pos = b == '\\' ? escape(pos) : beyondAscii(pos, b);
        }
    }

    /** Returns the end of the unescaped ASCII characters from {@code at}. */
    int plainEnd(int at) {
        int near = Math.min(to, at + NEAR);
        int pos = nearEnd(at, near);
        return pos < near || pos >= to ? pos : Words.plainEnd(bytes, pos, to);
    }

    private int nearEnd(int at, int near) {
        int pos = at;
        while (pos < near && isPlain(bytes[pos])) {
            pos++;
        }
        return pos;
    }

    /** Skips non-ASCII characters; the first byte is given. */
    private int beyondAscii(int at, byte first) {
        if (first >= 0) {
            throw at < to ? syntax("no control character in a string", at) : error("the text ends inside a string", at);
        }
        int pos = at;
        do {
            int end = Utf8.sequenceEnd(bytes, pos, to);
            if (end < 0) {
                throw syntax("valid UTF-8", pos);
            }
            pos = end;
        } while (pos < to && bytes[pos] < 0);
        return pos;
    }

    private int escape(int at) {
        byte kind = at(at + 1);
        if (kind == 'u') {
            return fourDigits(at + 2);
        }
        if (!isShortEscape(kind)) {
            throw syntax("one of \"\\/bfnrtu after a backslash", at + 1);
        }
        return at + 2;
    }

    /** Returns whether a byte after a backslash forms an escape of two characters. */
    static boolean isShortEscape(byte kind) {
        return switch (kind) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> true;
            default -> false;
        };
    }

    private int fourDigits(int at) {
        for (int i = at; i < at + 4; i++) {
            if (hex(at(i)) < 0) {
                throw syntax("a hexadecimal digit", i);
            }
        }
        return at + 4;
    }

    static int hex(byte digit) {
        return digit < 0 ? -1 : Character.digit(digit, 16);
    }

    JsonException error(String what, int at) {
        return new JsonException(this, at, what, false);
    }

    JsonException mismatch(String expected, int at) {
        return new JsonException(this, at, "expected " + expected, true);
    }

    JsonException syntax(String expected, int at) {
        return error("expected " + expected + ", got " + foundByte(at) + " at byte " + (at - from), at);
    }

    private String foundByte(int at) {
        if (at >= to) {
            return "the end of the text";
        }
        byte b = bytes[at];
        if (b > ' ' && b < 0x7f) {
            return "'" + (char) b + "'";
        }
        return "0x" + Character.forDigit(b >> 4 & 15, 16) + Character.forDigit(b & 15, 16);
    }

    /** Returns the kind of the value at an index, for a message that must not show the value. */
    String foundKind(int at) {
        return switch (at(at)) {
            case '{' -> "an object";
            case '[' -> "an array";
            case '"' -> "a string";
            case 't', 'f' -> "a boolean";
            case 'n' -> "null";
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> "a number";
            default -> at >= to ? "the end of the text" : "something else";
        };
    }

    /** Returns the value at an index as text for a message: one line, truncated if long. */
    String found(int at) {
        if (at >= to) {
            return "the end of the text";
        }
        // Enough bytes for the shown part, so that a large value is not scanned to its end.
        int limit = at + Math.min(to - at, 4 * SHOWN + 1);
        int end = limit;
        try {
            end = new JsonText(bytes, at, limit, "", maxDepth).value(at, 0);
        } catch (JsonException cut) {
            // Longer than the limit, or not a value: its first characters are shown.
        }
        char[] shown =
                cut(new String(bytes, at, end - at, StandardCharsets.UTF_8)).toCharArray();
        for (int i = 0; i < shown.length; i++) {
            shown[i] =
                    Character.isISOControl(shown[i]) || shown[i] == '\u2028' || shown[i] == '\u2029' ? ' ' : shown[i];
        }
        return new String(shown);
    }

    /** Shortens a text for a message. */
    static String cut(String shown) {
        if (shown.length() <= SHOWN) {
            return shown;
        }
        return shown.substring(0, Character.isHighSurrogate(shown.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN) + "…";
    }
}
