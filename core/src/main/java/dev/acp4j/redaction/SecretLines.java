package dev.acp4j.redaction;

import java.util.function.UnaryOperator;

/**
 * Hides secrets in the successive lines of one stream: a PEM private key begins in one line and ends in another. For
 * use by one thread at a time.
 */
final class SecretLines implements UnaryOperator<String> {
    /**
     * The longest keys have about 250 lines. The bound keeps text that only mentions the beginning of a key from hiding
     * the rest of the stream.
     */
    private static final int MOST_LINES = 300;

    private final UnaryOperator<String> hide;

    /** How many more lines may belong to the key that has begun. */
    private int linesOfKey;

    SecretLines(UnaryOperator<String> hide) {
        this.hide = hide;
    }

    @Override
    public String apply(String line) {
        if (linesOfKey == 0) {
            return other(line);
        }
        int end = TextWalk.keyEnd(line);
        if (end < 0) {
            linesOfKey--;
            return Hidden.MARK;
        }
        linesOfKey = 0;
        return Hidden.MARK + other(line.substring(end));
    }

    private String other(String line) {
        linesOfKey = TextWalk.endsInKey(line) ? MOST_LINES : 0;
        return hide.apply(line);
    }
}
