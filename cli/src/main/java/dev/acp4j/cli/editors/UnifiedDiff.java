package dev.acp4j.cli.editors;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change of a file as a unified diff that {@code patch} takes. */
final class UnifiedDiff {
    private static final int CONTEXT = 3;
    private static final String NOWHERE = "/dev/null";
    private static final String NO_END = "\n\\ No newline at end of file";

    private UnifiedDiff() {}

    /**
     * Returns the lines of the diff.
     *
     * @param before the text before; null if there is no file
     * @param after the text after; null if the file is deleted
     */
    static List<String> lines(Path file, @Nullable String before, @Nullable String after) {
        List<String> old = split(before);
        List<String> lines = UnifiedDiffUtils.generateUnifiedDiff(
                before == null ? NOWHERE : file.toString(),
                after == null ? NOWHERE : file.toString(),
                old,
                DiffUtils.diff(old, split(after)),
                CONTEXT);
        return lines.stream()
                .flatMap(line -> List.of(line.split("\n", -1)).stream())
                .toList();
    }

    private static List<String> split(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
        String last = lines.removeLast();
        if (!last.isEmpty()) {
            lines.add(last + NO_END);
        }
        return lines;
    }
}
