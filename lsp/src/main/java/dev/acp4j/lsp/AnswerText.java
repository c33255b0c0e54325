package dev.acp4j.lsp;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a model reads: lines up to a bound, and notes on what they are worth. For one thread. */
final class AnswerText {
    private static final int MOST_LINES = 200;
    private static final int MOST_CHARACTERS = 32 * 1024;
    private static final int LONGEST_LINE = 1_000;

    private final StringBuilder text = new StringBuilder();
    private final Set<String> notes = new LinkedHashSet<>();
    private int lines;
    private int leftOut;

    /** Adds a line, or counts it if there are too many. */
    void line(String line) {
        boolean fits = lines < MOST_LINES && text.length() < MOST_CHARACTERS;
        if (!fits) {
            leftOut++;
            return;
        }
        lines++;
        text.append(line, 0, Math.min(line.length(), LONGEST_LINE));
        text.append(line.length() > LONGEST_LINE ? "…\n" : "\n");
    }

    /** Adds what limits the answer, once. */
    void note(@Nullable String sentence) {
        notes.add(String.valueOf(sentence));
    }

    @Override
    public String toString() {
        StringBuilder whole = new StringBuilder(text);
        if (leftOut > 0) {
            whole.append("… and ").append(leftOut).append(" more lines, which are left out\n");
        }
        notes.forEach(note -> whole.append("Note: ").append(note).append('\n'));
        return whole.toString().stripTrailing();
    }
}
