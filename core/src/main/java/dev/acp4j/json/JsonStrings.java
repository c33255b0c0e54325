package dev.acp4j.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

/** Decodes the bytes between the quotes of a string into a {@link String}. */
final class JsonStrings {
    private JsonStrings() {}

    /** Decodes bytes that are known to be valid. Their plain form in UTF-8 is never longer. */
    static String decode(byte[] bytes, int from, int to) {
        byte[] plain = new byte[to - from];
        boolean ascii = true;
        int length = 0;
        int pos = from;
        while (true) {
            int stop = copyPlain(bytes, pos, to, plain, length);
            length += stop - pos;
            pos = stop;
            if (pos == to) {
                // The string is known to be ASCII, so it need not be scanned again.
                return new String(plain, 0, length, ascii ? ISO_8859_1 : UTF_8);
            }
            if (bytes[pos] < 0) {
                ascii = false;
                while (pos < to && bytes[pos] < 0) {
                    plain[length++] = bytes[pos++];
                }
            } else if (bytes[pos + 1] != 'u') {
                plain[length++] = (byte) single(bytes[pos + 1]);
                pos += 2;
            } else {
                int point = codePoint(bytes, pos, to);
                if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                    return withLoneSurrogates(bytes, from, to);
                }
                ascii &= point < 0x80;
                length = put(point, plain, length);
                pos += point > 0xffff ? 12 : 6;
            }
        }
    }

    /** Copies unescaped ASCII characters. Returns the index of the first other character. */
    private static int copyPlain(byte[] bytes, int at, int to, byte[] out, int outAt) {
        if (to - at >= JsonText.NEAR) {
            return Words.copyPlain(bytes, at, to, (byte) '"', out, outAt);
        }
        int pos = at;
        for (int i = outAt; pos < to && JsonText.isPlain(bytes[pos]); i++) {
            out[i] = bytes[pos++];
        }
        return pos;
    }

    /** Decodes bytes between quotes that may be malformed; malformed bytes are shown unchanged. */
    static String lenient(byte[] bytes, int from, int to) {
        try {
            if (new JsonText(bytes, from - 1, to + 1, "", 0).string(from - 1) == to + 1) {
                return decode(bytes, from, to);
            }
        } catch (JsonException broken) {
            // The path of an error in a malformed text can contain a malformed name.
        }
        return new String(bytes, from, to - from, UTF_8);
    }

    static int indexOfEscape(byte[] bytes, int from, int to) {
        int pos = from;
        while (pos < to && bytes[pos] != '\\') {
            pos++;
        }
        return pos;
    }

    /** Returns the character of the escape at {@code at}, or of the pair of escapes that starts there. */
    private static int codePoint(byte[] bytes, int at, int to) {
        char unit = unit(bytes, at);
        if (Character.isHighSurrogate(unit) && at + 12 <= to && bytes[at + 6] == '\\' && bytes[at + 7] == 'u') {
            char low = unit(bytes, at + 6);
            return Character.isLowSurrogate(low) ? Character.toCodePoint(unit, low) : unit;
        }
        return unit;
    }

    private static char unit(byte[] bytes, int at) {
        int unit = 0;
        for (int i = at + 2; i < at + 6; i++) {
            unit = unit << 4 | JsonText.hex(bytes[i]);
        }
        return (char) unit;
    }

    private static char single(byte kind) {
        return switch (kind) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> (char) kind;
        };
    }

    /** Writes a character in UTF-8 and returns the index after it. The writer uses it as well. */
    static int put(int point, byte[] out, int at) {
        int pos = at;
        if (point < 0x80) {
            out[pos++] = (byte) point;
            return pos;
        }
        if (point < 0x800) {
            out[pos++] = (byte) (0xc0 | point >> 6);
        } else {
            if (point < 0x10000) {
                out[pos++] = (byte) (0xe0 | point >> 12);
            } else {
                out[pos++] = (byte) (0xf0 | point >> 18);
                out[pos++] = (byte) (0x80 | (point >> 12 & 0x3f));
            }
            out[pos++] = (byte) (0x80 | (point >> 6 & 0x3f));
        }
        out[pos++] = (byte) (0x80 | (point & 0x3f));
        return pos;
    }

    private static String withLoneSurrogates(byte[] bytes, int from, int to) {
        StringBuilder text = new StringBuilder(to - from);
        int pos = from;
        while (pos < to) {
            int escape = indexOfEscape(bytes, pos, to);
            text.append(new String(bytes, pos, escape - pos, UTF_8));
            pos = escape;
            if (escape < to) {
                boolean unit = bytes[escape + 1] == 'u';
                text.append(unit ? unit(bytes, escape) : single(bytes[escape + 1]));
                pos = escape + (unit ? 6 : 2);
            }
        }
        return text.toString();
    }
}
