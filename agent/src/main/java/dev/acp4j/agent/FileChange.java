package dev.acp4j.agent;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.Patch;
import java.util.List;

/**
 * A change of one file that has been worked out and not yet made.
 *
 * @param places how many places change
 */
record FileChange(WorkspaceFile file, String oldText, String newText, int places) {
    private static final int CONTEXT = 2;

    /** Returns the change as a unified diff. */
    List<String> unifiedDiff() {
        List<String> before = oldText.lines().toList();
        Patch<String> patch = DiffUtils.diff(before, newText.lines().toList());
        return UnifiedDiffUtils.generateUnifiedDiff("a/" + file.name(), "b/" + file.name(), before, patch, CONTEXT);
    }

    /** Returns the number of the first line that changes, counted from 1. */
    int firstLine() {
        Patch<String> patch =
                DiffUtils.diff(oldText.lines().toList(), newText.lines().toList());
        return patch.getDeltas().stream().mapToInt(FileChange::line).min().orElse(1);
    }

    private static int line(AbstractDelta<String> delta) {
        return delta.getSource().getPosition() + 1;
    }
}
