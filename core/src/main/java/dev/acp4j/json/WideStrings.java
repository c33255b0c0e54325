package dev.acp4j.json;

import java.nio.charset.StandardCharsets;

/**
 * Writes strings in pieces as bytes of ISO 8859-1, of which eight can be scanned at once: copying a piece costs less
 * than reading each character of the string.
 */
final class WideStrings {
    private static final int PIECE_CHARS = 8 * 1024;

    /** The number of characters sampled per piece to estimate the size of a longer string before it is written. */
    private static final int SAMPLED_CHARS = 16 * 1024;

    private static final int SAMPLE_CHARS = 256;

    private WideStrings() {}

    /**
     * Writes a string with its quotes. Space is reserved for each of its characters as one byte, and for the quotes.
     */
    static void write(String value, JsonWriter out) {
        int length = value.length();
        out.ensure(length < SAMPLED_CHARS ? length + 2 : expectedBytes(value));
        out.buffer()[out.size++] = '"';
        int i = 0;
        while (i < length) {
            String piece = value.substring(i, Math.min(length, i + PIECE_CHARS));
            i = writePiece(value, i, piece.getBytes(StandardCharsets.ISO_8859_1), out);
        }
        out.buffer()[out.size++] = '"';
    }

    /**
     * Writes the characters from {@code at} that the piece was made from, and returns the index after them. A question
     * mark in the piece may represent any character, or a surrogate pair.
     */
    private static int writePiece(String value, int at, byte[] piece, JsonWriter out) {
        int i = at;
        int inPiece = 0;
        while (true) {
            int stop = Words.copyPlain(piece, inPiece, piece.length, (byte) '?', out.buffer(), out.size);
            out.size += stop - inPiece;
            i += stop - inPiece;
            inPiece = stop;
            if (inPiece >= piece.length) {
                return i;
            }
            int point = value.codePointAt(i);
            if (point == '?') {
                out.buffer()[out.size++] = '?';
                i++;
                inPiece++;
            } else {
                out.ensure(6 + value.length() - i);
                int next = out.special(value, i);
                inPiece += next - i - (point > 0xffff ? 1 : 0);
                i = next;
            }
        }
    }

    /** Estimates the encoded size of a string in bytes: growing to that at once needs less memory than doubling. */
    private static int expectedBytes(String value) {
        int length = value.length();
        long sampled = 0;
        long bytes = 0;
        for (int from = 0; from < length; from += SAMPLED_CHARS) {
            int to = Math.min(length, from + SAMPLE_CHARS);
            for (int i = from; i < to; i++) {
                bytes += bytesOf(value.charAt(i));
            }
            sampled += to - from;
        }
        long expected = length * bytes / sampled;
        return (int) Math.min(Integer.MAX_VALUE, expected + expected / 64 + 8);
    }

    /** Returns the typical size of a character in bytes. */
    private static int bytesOf(char c) {
        if (c >= 0x80) {
            return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        if (c >= ' ' && c != '"' && c != '\\') {
            return 1;
        }
        return JsonWriter.shortForm(c) == 0 ? 6 : 2;
    }
}
