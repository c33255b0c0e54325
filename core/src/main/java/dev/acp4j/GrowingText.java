package dev.acp4j;

import java.util.ArrayList;
import java.util.List;

/**
 * Text that grows by thousands of pieces. It is kept in blocks: one buffer would be copied whenever it is full, and
 * long ones are expensive to make room for. Not for several threads at once.
 */
final class GrowingText {
    private static final int BLOCK_CHARS = 16 * 1024;

    private final List<StringBuilder> blocks = new ArrayList<>(1);
    private StringBuilder last = new StringBuilder();

    void append(String piece) {
        if (last.length() + piece.length() > BLOCK_CHARS && !last.isEmpty()) {
            blocks.add(last);
            last = new StringBuilder(BLOCK_CHARS);
        }
        last.append(piece);
    }

    boolean isEmpty() {
        return blocks.isEmpty() && last.isEmpty();
    }

    @Override
    public String toString() {
        if (blocks.isEmpty()) {
            return last.toString();
        }
        List<CharSequence> all = new ArrayList<>(blocks);
        all.add(last);
        return String.join("", all);
    }
}
