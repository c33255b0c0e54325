package dev.acp4j;

import dev.acp4j.schema.DiffChange;
import dev.acp4j.schema.DiffFileType;
import dev.acp4j.schema.DiffPatch;
import dev.acp4j.schema.DiffPatchFormat;
import dev.acp4j.schema.ToolCallContent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of files: by their texts, as version 1 has them, and as a patch of git, as version 2 has them. The patch of a
 * text has one hunk, from the first to the last line that differs; the texts of a patch are those of its hunks.
 *
 * @see <a href="https://git-scm.com/docs/diff-format">The format of git's patches</a>
 */
final class GitPatch {
    private static final int CONTEXT = 3;
    private static final String NO_NEWLINE = "\\ No newline at end of file\n";

    private GitPatch() {}

    // ---- from texts to a patch

    static ToolCallContent.Changes of(ToolCallContent.Diff diff) {
        String before = diff.oldText();
        if (diff.isDeleted()) {
            return deleted(diff);
        }
        DiffChange change = before == null
                ? DiffChange.Add.builder(diff.path())
                        .fileType(DiffFileType.TEXT)
                        .build()
                : DiffChange.Modify.builder(diff.path())
                        .fileType(DiffFileType.TEXT)
                        .build();
        return ToolCallContent.Changes.builder(List.of(change))
                .patch(DiffPatch.of(DiffPatchFormat.GIT_PATCH, text(diff.path(), before, diff.newText())))
                .meta(diff.meta())
                .build();
    }

    private static ToolCallContent.Changes deleted(ToolCallContent.Diff diff) {
        String path = diff.path();
        List<String> old = lines(diff.oldText() == null ? "" : diff.oldText());
        StringBuilder patch = new StringBuilder("diff --git ")
                .append(path)
                .append(' ')
                .append(path)
                .append("\ndeleted file mode 100644\n");
        if (!old.isEmpty()) {
            patch.append("--- ").append(path).append("\n+++ /dev/null\n@@ -");
            patch.append(range(0, old.size())).append(" +0,0 @@\n");
            add(patch, '-', old);
        }
        return ToolCallContent.Changes.builder(List.of(DiffChange.Delete.builder(path)
                        .fileType(DiffFileType.TEXT)
                        .build()))
                .patch(DiffPatch.of(DiffPatchFormat.GIT_PATCH, patch.toString()))
                .meta(diff.meta())
                .build();
    }

    private static String text(String path, @Nullable String before, String after) {
        List<String> old = lines(before == null ? "" : before);
        List<String> now = lines(after);
        int same = 0;
        int most = Math.min(old.size(), now.size());
        while (same < most && old.get(same).equals(now.get(same))) {
            same++;
        }
        int tail = 0;
        while (tail < most - same && old.get(old.size() - 1 - tail).equals(now.get(now.size() - 1 - tail))) {
            tail++;
        }
        StringBuilder patch = new StringBuilder("diff --git ")
                .append(path)
                .append(' ')
                .append(path)
                .append('\n');
        if (before == null) {
            patch.append("new file mode 100644\n");
        }
        if (same == old.size() && same == now.size()) {
            return patch.toString();
        }
        int from = Math.max(0, same - CONTEXT);
        int oldTo = Math.min(old.size(), old.size() - tail + CONTEXT);
        int newTo = Math.min(now.size(), now.size() - tail + CONTEXT);
        patch.append("--- ").append(before == null ? "/dev/null" : path).append('\n');
        patch.append("+++ ").append(path).append('\n');
        patch.append("@@ -")
                .append(range(from, oldTo))
                .append(" +")
                .append(range(from, newTo))
                .append(" @@\n");
        add(patch, ' ', old.subList(from, same));
        add(patch, '-', old.subList(same, old.size() - tail));
        add(patch, '+', now.subList(same, now.size() - tail));
        add(patch, ' ', old.subList(old.size() - tail, oldTo));
        return patch.toString();
    }

    /** Returns lines with their ends. */
    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int end = text.indexOf('\n', from);
            int to = end < 0 ? text.length() : end + 1;
            lines.add(text.substring(from, to));
            from = to;
        }
        return lines;
    }

    private static String range(int from, int to) {
        int count = to - from;
        return (count == 0 ? from : from + 1) + (count == 1 ? "" : "," + count);
    }

    private static void add(StringBuilder patch, char mark, List<String> lines) {
        for (String line : lines) {
            patch.append(mark).append(line);
            if (!line.endsWith("\n")) {
                patch.append('\n').append(NO_NEWLINE);
            }
        }
    }

    // ---- from a patch to texts

    /** Returns what a client of version 1 can show of changes: a diff for each hunk, and a sentence for the rest. */
    static List<ToolCallContent> diffs(ToolCallContent.Changes changes) {
        List<ToolCallContent> shown = new ArrayList<>();
        DiffPatch patch = changes.patch();
        List<ToolCallContent.Diff> hunks = patch == null || !patch.format().equals(DiffPatchFormat.GIT_PATCH)
                ? List.of()
                : hunks(patch.text(), changes);
        for (DiffChange change : changes.changes()) {
            int before = shown.size();
            for (ToolCallContent.Diff hunk : hunks) {
                if (hunk.path().equals(path(change))) {
                    shown.add(hunk.toBuilder().meta(changes.meta()).build());
                }
            }
            if (shown.size() == before || !isOnlyText(change)) {
                shown.add(before, ToolCallContent.text(sentence(change)));
            }
        }
        return shown;
    }

    private static boolean isOnlyText(DiffChange change) {
        return change instanceof DiffChange.Add || change instanceof DiffChange.Modify;
    }

    private static @Nullable String path(DiffChange change) {
        return switch (change) {
            case DiffChange.Add add -> add.path();
            case DiffChange.Delete delete -> delete.path();
            case DiffChange.Modify modify -> modify.path();
            case DiffChange.Move move -> move.path();
            case DiffChange.Copy copy -> copy.path();
            case DiffChange.Unknown unknown -> null;
        };
    }

    private static String sentence(DiffChange change) {
        return switch (change) {
            case DiffChange.Add add -> "Added " + add.path();
            case DiffChange.Delete delete -> "Deleted " + delete.path();
            case DiffChange.Modify modify -> "Changed " + modify.path();
            case DiffChange.Move move -> "Moved " + move.oldPath() + " to " + move.path();
            case DiffChange.Copy copy -> "Copied " + copy.oldPath() + " to " + copy.path();
            case DiffChange.Unknown unknown -> "A change of the kind " + unknown.operation();
        };
    }

    private static List<ToolCallContent.Diff> hunks(String patch, ToolCallContent.Changes changes) {
        List<ToolCallContent.Diff> hunks = new ArrayList<>();
        String old = "";
        String now = "";
        Hunk hunk = null;
        for (String line : lines(patch)) {
            if (hunk != null && hunk.takes(line)) {
                continue;
            }
            if (hunk != null) {
                hunks.add(hunk.diff());
                hunk = null;
            }
            if (line.startsWith("--- ")) {
                old = line.substring(4).strip();
            } else if (line.startsWith("+++ ")) {
                now = line.substring(4).strip();
            } else if (line.startsWith("@@ ")) {
                boolean isNew = old.equals("/dev/null");
                boolean isGone = now.equals("/dev/null");
                hunk = Hunk.begin(whole(isGone ? old : now, changes), isNew, isGone, line);
            }
        }
        if (hunk != null) {
            hunks.add(hunk.diff());
        }
        return hunks;
    }

    /**
     * Returns the path of a change that a patch names, perhaps in git's way: relative, behind {@code a/} or {@code b/}.
     */
    private static String whole(String name, ToolCallContent.Changes changes) {
        String relative = name.startsWith("a/") || name.startsWith("b/") ? name.substring(2) : name;
        String whole = null;
        for (DiffChange change : changes.changes()) {
            String path = path(change);
            if (path == null) {
                continue;
            }
            if (path.equals(name)) {
                return path;
            }
            // Of those that end so, the shortest: another one is in a folder below.
            if (path.endsWith("/" + relative) && (whole == null || path.length() < whole.length())) {
                whole = path;
            }
        }
        return whole == null ? name : whole;
    }

    /** A hunk while it is read: its header says how many lines each side has. */
    private static final class Hunk {
        private final String path;
        private final boolean isNew;
        private final boolean isGone;
        private int oldLines;
        private int newLines;
        private final StringBuilder old = new StringBuilder();
        private final StringBuilder now = new StringBuilder();
        private char last = ' ';

        private Hunk(String path, boolean isNew, boolean isGone, int oldLines, int newLines) {
            this.path = path;
            this.isNew = isNew;
            this.isGone = isGone;
            this.oldLines = oldLines;
            this.newLines = newLines;
        }

        /** Returns the hunk that begins with this line; null when it is no header. */
        static @Nullable Hunk begin(String path, boolean isNew, boolean isGone, String header) {
            String[] words = header.split(" ", 4);
            if (words.length < 3 || !words[1].startsWith("-") || !words[2].startsWith("+")) {
                return null;
            }
            try {
                return new Hunk(path, isNew, isGone, count(words[1]), count(words[2].strip()));
            } catch (NumberFormatException e) {
                return null;
            }
        }

        private static int count(String range) {
            int comma = range.indexOf(',');
            return comma < 0 ? 1 : Integer.parseInt(range.substring(comma + 1));
        }

        boolean takes(String line) {
            if (line.startsWith("\\")) {
                cut(last == '+' ? now : old);
                if (last == ' ') {
                    cut(now);
                }
                return true;
            }
            if (oldLines <= 0 && newLines <= 0) {
                return false;
            }
            last = line.isBlank() ? ' ' : line.charAt(0);
            String text = line.isEmpty() ? "" : line.substring(line.charAt(0) == '\n' ? 0 : 1);
            if (last != '+') {
                old.append(text);
                oldLines--;
            }
            if (last != '-') {
                now.append(text);
                newLines--;
            }
            return true;
        }

        private static void cut(StringBuilder text) {
            if (!text.isEmpty() && text.charAt(text.length() - 1) == '\n') {
                text.setLength(text.length() - 1);
            }
        }

        ToolCallContent.Diff diff() {
            return isGone
                    ? ToolCallContent.deleted(path, old.toString())
                    : ToolCallContent.diff(path, isNew ? null : old.toString(), now.toString());
        }
    }
}
