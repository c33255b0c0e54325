package dev.acp4j.agent;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.Patch;
import java.util.ArrayList;
import java.util.List;

/**
 * A change of one file that has been worked out and not yet made.
 *
 * @param places how many places change
 */
record FileChange(WorkspaceFile file, String oldText, String newText, int places) {
    private static final int CONTEXT = 2;
    private static final String NO_NEWLINE = "\n\\ No newline at end of file";

    /** Returns the change as a unified diff. */
    List<String> unifiedDiff() {
        List<String> before = lines(oldText);
        Patch<String> patch = DiffUtils.diff(before, lines(newText));
        List<String> diff =
                UnifiedDiffUtils.generateUnifiedDiff("a/" + file.name(), "b/" + file.name(), before, patch, CONTEXT);
        boolean endsChange = carriageReturns(oldText) != carriageReturns(newText);
        return diff.stream()
                .map(line -> line.replace("\r", endsChange ? "␍" : ""))
                .toList();
    }

    /** Returns the number of the first line that changes, counted from 1. */
    int firstLine() {
        Patch<String> patch = DiffUtils.diff(lines(oldText), lines(newText));
        return patch.getDeltas().stream().mapToInt(FileChange::line).min().orElse(1);
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

    private static int line(AbstractDelta<String> delta) {
        return delta.getSource().getPosition() + 1;
    }
}
