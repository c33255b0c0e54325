package dev.acp4j.redaction;

import java.util.BitSet;

/** A text with hidden parts; the parts may overlap. */
final class Hidden {
    static final String MARK = "***";

    private final String text;
    private final BitSet parts = new BitSet();

    Hidden(String text) {
        this.text = text;
    }

    void add(int from, int to) {
        parts.set(from, to);
    }

    /** Returns the text with a mark in place of each hidden part. */
    @Override
    public String toString() {
        StringBuilder shown = new StringBuilder(text.length());
        int at = 0;
        int from = parts.nextSetBit(0);
        while (from >= 0) {
            shown.append(text, at, from).append(MARK);
            at = parts.nextClearBit(from);
            from = parts.nextSetBit(at);
        }
        return shown.append(text, at, text.length()).toString();
    }
}
