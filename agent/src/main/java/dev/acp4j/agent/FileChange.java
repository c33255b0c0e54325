package dev.acp4j.agent;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.algorithm.DiffAlgorithmListener;
import com.github.difflib.patch.Patch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A computed change of one file that has not been made yet.
 *
 * @param places the number of changed places
 */
record FileChange(WorkspaceFile file, String oldText, String newText, int places) {
    private static final int CONTEXT = 2;
    private static final String NO_NEWLINE = "\n\\ No newline at end of file";

    /**
     * Returns the change as a unified diff, or null when that has more than {@code longest} lines. Computing it takes
     * quadratic time and memory in the differences, so it stops at the limit.
     */
    @Nullable
    List<String> unifiedDiff(int longest) throws InterruptedException {
        List<String> before = lines(oldText);
        List<String> after = lines(newText);
        Patch<String> patch;
        try {
            patch = GuardedText.run(() -> DiffUtils.diff(before, after, new Limit(longest)));
        } catch (GuardedText.StoppedException e) {
            return null;
        }
        List<String> diff =
                UnifiedDiffUtils.generateUnifiedDiff("a/" + file.name(), "b/" + file.name(), before, patch, CONTEXT);
        boolean endsChange = carriageReturns(oldText) != carriageReturns(newText);
        return diff.size() > longest
                ? null
                : diff.stream()
                        .map(line -> line.replace("\r", endsChange ? "␍" : ""))
                        .toList();
    }

    /** Returns the number of characters it holds. */
    long length() {
        return (long) oldText.length() + newText.length();
    }

    /** Returns the number of the first line that changes, counted from 1. */
    int firstLine() {
        int line = 1;
        int end = Math.min(oldText.length(), newText.length());
        for (int i = 0; i < end && oldText.charAt(i) == newText.charAt(i); i++) {
            line += oldText.charAt(i) == '\n' ? 1 : 0;
        }
        return line;
    }

    /** Ends the search for differences at the limit, or if the thread is interrupted. */
    private record Limit(int differences) implements DiffAlgorithmListener {
        @Override
        public void diffStart() {}

        @Override
        public void diffStep(int found, int max) {
            if (found > differences || Thread.currentThread().isInterrupted()) {
                throw new GuardedText.StoppedException("more than " + differences + " differences");
            }
        }

        @Override
        public void diffEnd() {}
    }

    /** The lines with all but their line feeds; a last one that has none is marked, as diffs do. */
    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
        String last = lines.removeLast();
        if (!last.isEmpty()) {
            lines.add(last + NO_NEWLINE);
        }
        return lines;
    }

    private static long carriageReturns(String text) {
        return text.chars().filter(c -> c == '\r').count();
    }
}
