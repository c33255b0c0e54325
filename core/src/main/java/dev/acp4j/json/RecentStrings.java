package dev.acp4j.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A cache of recent strings, to reuse instances: the method and the session of a message are mostly those of the
 * previous message.
 *
 * <p>For use by one thread.
 */
public final class RecentStrings {
    private static final int SLOTS = 32;
    private static final int MAX_BYTES = 64;

    private final byte[][] texts = new byte[SLOTS][];
    private final String[] strings = new String[SLOTS];

    /** Creates an empty cache of up to 32 strings of up to 64 characters. */
    public RecentStrings() {
        Arrays.fill(texts, new byte[0]);
        Arrays.fill(strings, "");
    }

    /** Returns the string of these bytes, which are ASCII and contain no escape. */
    String get(byte[] bytes, int from, int to) {
        // Strings with the same slot replace each other.
        int slot = Names.hash(bytes, from, to) & SLOTS - 1;
        byte[] text = texts[slot];
        if (Arrays.equals(text, 0, text.length, bytes, from, to)) {
            return strings[slot];
        }
        String string = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        if (to - from <= MAX_BYTES) {
            texts[slot] = Arrays.copyOfRange(bytes, from, to);
            strings[slot] = string;
        }
        return string;
    }
}
