package dev.acp4j.http;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * A place in a stream, behind the frame with this number. On the wire it is one opaque word.
 *
 * @param epoch which log of the stream; random, so that no log takes the cursor of another one for its own
 * @param number the number of the frame
 */
record Cursor(String epoch, long number) {
    /** The beginning of a stream, for a client that has got nothing of it and so does not know its epoch. */
    static final Cursor BEGINNING = new Cursor("", 0);

    private static final int LONGEST = 64;
    private static final int EPOCH_BITS = 50;

    /** Reads a cursor. Returns null for what is none. */
    static @Nullable Cursor parse(String text) {
        if (text.equals(Wire.BEGINNING)) {
            return BEGINNING;
        }
        int dash = text.indexOf('-');
        if (text.length() > LONGEST || dash < 1 || text.length() - dash > 13 || text.length() == dash + 1) {
            return null;
        }
        for (int i = 0; i < text.length(); i++) {
            if (i != dash && Character.digit(text.charAt(i), 32) < 0) {
                return null;
            }
        }
        Cursor cursor = new Cursor(text.substring(0, dash), Long.parseLong(text.substring(dash + 1), 32));
        return cursor.toString().equals(text) ? cursor : null;
    }

    static String newEpoch(SecureRandom random) {
        return Long.toString(random.nextLong(1L << EPOCH_BITS), 32);
    }

    boolean isBeginning() {
        return epoch.isEmpty();
    }

    @Override
    public String toString() {
        return isBeginning() ? Wire.BEGINNING : epoch + "-" + Long.toString(number, 32);
    }
}
