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
    private int lengthBeforeLast;

    void append(String piece) {
        if (last.length() + piece.length() > BLOCK_CHARS && !last.isEmpty()) {
            blocks.add(last);
            lengthBeforeLast += last.length();
            last = new StringBuilder(BLOCK_CHARS);
        }
        last.append(piece);
    }

    /** Returns the second half of the text, which grows on by itself. */
    GrowingText secondHalf() {
        GrowingText half = new GrowingText();
        for (StringBuilder block : blocks.subList((blocks.size() + 1) / 2, blocks.size())) {
            half.blocks.add(block); // full, so nobody changes it
            half.lengthBeforeLast += block.length();
        }
        half.last.append(last, blocks.isEmpty() ? halfOf(last) : 0, last.length());
        return half;
    }

    /** Returns where the second half begins: not between the two halves of a character. */
    private static int halfOf(StringBuilder block) {
        int half = block.length() / 2;
        return half > 0 && Character.isLowSurrogate(block.charAt(half)) ? half + 1 : half;
    }

    int length() {
        return lengthBeforeLast + last.length();
    }

    boolean isEmpty() {
        return length() == 0;
    }

    /** Returns the text up to a length that it has or has had. */
    String first(int length) {
        StringBuilder text = new StringBuilder(length);
        for (StringBuilder block : blocks) {
            text.append(block, 0, Math.min(block.length(), length - text.length()));
        }
        return text.append(last, 0, Math.max(0, Math.min(last.length(), length - text.length())))
                .toString();
    }

    /** Returns the text behind a length that it has had. Takes as long as that is, however long the text is. */
    String after(int length) {
        if (length >= lengthBeforeLast) {
            return last.substring(length - lengthBeforeLast);
        }
        int from = blocks.size();
        int before = lengthBeforeLast;
        while (before > length) {
            before -= blocks.get(--from).length();
        }
        StringBuilder text = new StringBuilder(length() - length);
        text.append(blocks.get(from), length - before, blocks.get(from).length());
        for (StringBuilder block : blocks.subList(from + 1, blocks.size())) {
            text.append(block);
        }
        return text.append(last).toString();
    }

    @Override
    public String toString() {
        return first(length());
    }
}
