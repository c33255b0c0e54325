package dev.acp4j.redaction;

import java.util.BitSet;
import java.util.function.UnaryOperator;

/** A text with hidden parts; the parts may overlap. */
final class Hidden {
    static final String MARK = "***";
    static final UnaryOperator<String> AS_MARK = secret -> MARK;

    private final String text;
    private final BitSet parts = new BitSet();

    Hidden(String text) {
        this.text = text;
    }

    void add(int from, int to) {
        parts.set(from, to);
    }

    /** Returns the text with something else in place of each hidden part. */
    String with(UnaryOperator<String> other) {
        StringBuilder shown = new StringBuilder(text.length());
        int at = 0;
        int from = parts.nextSetBit(0);
        while (from >= 0) {
            shown.append(text, at, from);
            at = parts.nextClearBit(from);
            shown.append(other.apply(text.substring(from, at)));
            from = parts.nextSetBit(at);
        }
        return shown.append(text, at, text.length()).toString();
    }
}
