package dev.acp4j.workspace;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.Patch;
import com.github.difflib.patch.PatchFailedException;
import dev.acp4j.schema.DiffChange;
import dev.acp4j.schema.DiffFileType;
import dev.acp4j.schema.DiffPatch;
import dev.acp4j.schema.DiffPatchFormat;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.Unstable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes patches of git from the texts of files, and applies them. Version 2 of the protocol describes changes of files
 * so:
 *
 * <pre>{@code
 * call.content(GitPatches.changes(List.of(
 *         FileChange.modified("/src/a.txt", "one\n", "two\n"),
 *         FileChange.moved("/src/b.txt", "/src/c.txt", text, text))));
 * }</pre>
 *
 * <p>A client applies the patch of an agent to what it has:
 *
 * <pre>{@code
 * List<FileChange> changes = GitPatches.apply(patch, path -> editor.textOf(path));
 * }</pre>
 *
 * <p>Lines are compared by Myers' algorithm, which takes time in the product of the lines and the differences. Nothing
 * here touches a file. Binary patches are not read.
 *
 * @see <a href="https://git-scm.com/docs/diff-format">The format of git's patches</a>
 */
@Unstable
public final class GitPatches {
    private static final int CONTEXT = 3;
    private static final String NO_NEWLINE = "\\ No newline at end of file";
    private static final String NONE = "/dev/null";
    private static final Pattern HUNK =
            Pattern.compile("^@@ -(\\d+)(?:,(\\d+))? \\+(\\d+)(?:,(\\d+))? @@.*", Pattern.DOTALL);

    private GitPatches() {}

    // ---- making

    /** Returns changes of files as content of a tool call, with a patch. */
    public static ToolCallContent.Changes changes(List<FileChange> files) {
        List<DiffChange> changes = new ArrayList<>(files.size());
        StringBuilder patch = new StringBuilder();
        for (FileChange file : files) {
            changes.add(change(file));
            append(patch, file);
        }
        return ToolCallContent.Changes.builder(changes)
                .patch(DiffPatch.of(DiffPatchFormat.GIT_PATCH, patch.toString()))
                .build();
    }

    private static DiffChange change(FileChange file) {
        DiffFileType text = DiffFileType.TEXT;
        return switch (file.operation()) {
            case ADD -> DiffChange.Add.builder(file.path()).fileType(text).build();
            case DELETE -> DiffChange.Delete.builder(file.path()).fileType(text).build();
            case MODIFY -> DiffChange.Modify.builder(file.path()).fileType(text).build();
            case MOVE ->
                DiffChange.Move.builder(file.oldPath(), file.path())
                        .fileType(text)
                        .build();
            case COPY ->
                DiffChange.Copy.builder(file.oldPath(), file.path())
                        .fileType(text)
                        .build();
        };
    }

    private static void append(StringBuilder patch, FileChange file) {
        String old = quoted(file.oldPath());
        String now = quoted(file.path());
        patch.append("diff --git ").append(old).append(' ').append(now).append('\n');
        switch (file.operation()) {
            case ADD -> patch.append("new file mode 100644\n");
            case DELETE -> patch.append("deleted file mode 100644\n");
            case MODIFY -> {}
            case MOVE ->
                patch.append("rename from ")
                        .append(old)
                        .append("\nrename to ")
                        .append(now)
                        .append('\n');
            case COPY ->
                patch.append("copy from ")
                        .append(old)
                        .append("\ncopy to ")
                        .append(now)
                        .append('\n');
        }
        List<String> before = lines(file.before());
        Patch<String> difference = DiffUtils.diff(before, lines(file.after()), new MyersDiffWithLinearSpace<String>());
        if (difference.getDeltas().isEmpty()) {
            return;
        }
        patch.append("--- ")
                .append(file.operation() == FileChange.Operation.ADD ? NONE : named(old))
                .append('\n');
        patch.append("+++ ")
                .append(file.operation() == FileChange.Operation.DELETE ? NONE : named(now))
                .append('\n');
        List<String> unified = UnifiedDiffUtils.generateUnifiedDiff("", "", before, difference, CONTEXT);
        for (String line : unified.subList(2, unified.size())) {
            patch.append(line);
            if (line.startsWith("@@")) {
                patch.append('\n');
            } else if (!line.endsWith("\n")) {
                patch.append('\n').append(NO_NEWLINE).append('\n');
            }
        }
    }

    /** Returns a name of the two lines before the hunks: behind a tab there could be a time. */
    private static String named(String name) {
        return name.indexOf(' ') >= 0 ? name + "\t" : name;
    }

    /** Returns a path as git writes it: in quotes, if it has characters that would end it. */
    private static String quoted(String path) {
        if (path.chars().noneMatch(c -> c < ' ' || c == '"' || c == '\\')) {
            return path;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c < ' ') {
                quoted.append(String.format("\\%03o", (int) c));
            } else {
                if (c == '"' || c == '\\') {
                    quoted.append('\\');
                }
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** Returns lines with their ends. */
    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        for (int from = 0; from < text.length(); ) {
            int end = text.indexOf('\n', from);
            int to = end < 0 ? text.length() : end + 1;
            lines.add(text.substring(from, to));
            from = to;
        }
        return lines;
    }

    // ---- applying

    /**
     * Returns what a patch makes of files, in its order. All of it fits, or nothing is returned.
     *
     * @param read returns the text of a file by its path, as the patch has it without {@code a/} and {@code b/}; null
     *     when there is none
     * @throws IllegalArgumentException when the patch has another format or is no patch, or when it does not fit: with
     *     the file, and the line that was expected
     */
    public static List<FileChange> apply(DiffPatch patch, Function<String, @Nullable String> read) {
        if (!patch.format().equals(DiffPatchFormat.GIT_PATCH)) {
            throw new IllegalArgumentException(
                    "expected a patch of the format git_patch, got one of " + patch.format());
        }
        Deque<String> lines = new ArrayDeque<>(lines(patch.text()));
        List<FileChange> changes = new ArrayList<>();
        // What became of files before in the same patch, such as one of several commits; null if they are gone.
        Map<String, @Nullable String> now = new HashMap<>();
        Function<String, @Nullable String> latest = path -> now.containsKey(path) ? now.get(path) : read.apply(path);
        while (!lines.isEmpty()) {
            if (lines.getFirst().startsWith("diff --git ")) {
                Section section = Section.read(lines);
                boolean isOfOriginal = section.operation == FileChange.Operation.MOVE
                        || section.operation == FileChange.Operation.COPY;
                FileChange change = applied(section, isOfOriginal ? read : latest);
                changes.add(change);
                boolean isGone = change.operation() == FileChange.Operation.DELETE
                        || change.operation() == FileChange.Operation.MOVE;
                if (isGone) {
                    now.put(change.oldPath(), null);
                }
                if (change.operation() != FileChange.Operation.DELETE) {
                    now.put(change.path(), change.after());
                }
            } else {
                // What stands before the first file, such as a message of a commit.
                lines.removeFirst();
            }
        }
        if (changes.isEmpty() && !patch.text().isBlank()) {
            throw new IllegalArgumentException("expected a patch of git, got no line that begins with \"diff --git\"");
        }
        return changes;
    }

    private static FileChange applied(Section section, Function<String, @Nullable String> read) {
        String before = read.apply(section.old);
        if (section.operation == FileChange.Operation.ADD) {
            if (before != null) {
                throw new IllegalArgumentException("the patch does not fit: there is a file " + section.old);
            }
            before = "";
        }
        if (before == null) {
            throw new IllegalArgumentException("the patch does not fit: there is no file " + section.old);
        }
        String after = section.appliedTo(before);
        if (section.operation == FileChange.Operation.DELETE) {
            if (!section.hunks.isEmpty() && !after.isEmpty()) {
                throw new IllegalArgumentException(
                        "the patch does not fit: it deletes " + section.old + ", which has other lines, too");
            }
            after = "";
        }
        return new FileChange(section.operation, section.old, section.now, before, after);
    }

    /** What a patch says of one file. */
    private static final class Section {
        FileChange.Operation operation = FileChange.Operation.MODIFY;
        String old = "";
        String now = "";
        final List<String> hunks = new ArrayList<>();

        static Section read(Deque<String> lines) {
            Section section = new Section();
            String header = lines.removeFirst().strip();
            section.names(header.substring("diff --git ".length()));
            while (!lines.isEmpty() && !lines.getFirst().startsWith("diff --git ")) {
                String line = lines.removeFirst();
                Matcher hunk = HUNK.matcher(line);
                if (hunk.matches()) {
                    section.hunk(line, count(hunk.group(2)), count(hunk.group(4)), lines);
                } else {
                    section.header(line.strip());
                }
            }
            return section;
        }

        private static int count(@Nullable String digits) {
            return digits == null ? 1 : Integer.parseInt(digits);
        }

        /** Takes the names of the first line, which are the same for all that has no other line with them. */
        private void names(String both) {
            int half = both.length() / 2;
            if (both.length() % 2 == 1 && both.charAt(half) == ' ') {
                String first = path(both.substring(0, half), "a/");
                String second = path(both.substring(half + 1), "b/");
                if (first.equals(second)) {
                    old = first;
                    now = second;
                }
            }
        }

        private void header(String line) {
            if (line.startsWith("new file mode")) {
                operation = FileChange.Operation.ADD;
            } else if (line.startsWith("deleted file mode")) {
                operation = FileChange.Operation.DELETE;
            } else if (line.startsWith("rename from ")) {
                operation = FileChange.Operation.MOVE;
                old = path(line.substring("rename from ".length()), "");
            } else if (line.startsWith("rename to ")) {
                now = path(line.substring("rename to ".length()), "");
            } else if (line.startsWith("copy from ")) {
                operation = FileChange.Operation.COPY;
                old = path(line.substring("copy from ".length()), "");
            } else if (line.startsWith("copy to ")) {
                now = path(line.substring("copy to ".length()), "");
            } else if (line.startsWith("--- ")) {
                name(line.substring(4), "a/");
            } else if (line.startsWith("+++ ")) {
                name(line.substring(4), "b/");
            } else if (line.startsWith("Binary files ") || line.startsWith("GIT binary patch")) {
                throw new IllegalArgumentException("the patch of " + now + " is binary, which is not read");
            }
        }

        /** Takes the name of one side. That of files that are moved or copied is known better. */
        private void name(String name, String prefix) {
            if (name.equals(NONE)) {
                operation = prefix.equals("a/") ? FileChange.Operation.ADD : FileChange.Operation.DELETE;
                return;
            }
            String path = path(name, prefix);
            boolean isSame = operation != FileChange.Operation.MOVE && operation != FileChange.Operation.COPY;
            if (isSame) {
                old = path;
                now = path;
            }
        }

        private static String path(String name, String prefix) {
            int tab = name.indexOf('\t');
            String whole = unquoted(tab < 0 ? name : name.substring(0, tab));
            return !prefix.isEmpty() && whole.startsWith(prefix) ? whole.substring(prefix.length()) : whole;
        }

        private static String unquoted(String name) {
            if (!name.startsWith("\"") || !name.endsWith("\"") || name.length() < 2) {
                return name;
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            String inside = name.substring(1, name.length() - 1);
            for (int i = 0; i < inside.length(); i++) {
                char c = inside.charAt(i);
                if (c != '\\' || i + 1 == inside.length()) {
                    bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
                    continue;
                }
                char escaped = inside.charAt(++i);
                if (escaped >= '0' && escaped <= '3' && i + 2 < inside.length()) {
                    bytes.write(Integer.parseInt(inside.substring(i, i + 3), 8));
                    i += 2;
                } else {
                    bytes.write(
                            switch (escaped) {
                                case 'n' -> '\n';
                                case 't' -> '\t';
                                case 'r' -> '\r';
                                default -> escaped;
                            });
                }
            }
            return bytes.toString(StandardCharsets.UTF_8);
        }

        /** Takes as many lines as the header of a hunk says. */
        private void hunk(String header, int oldLines, int newLines, Deque<String> lines) {
            hunks.add(header.strip());
            int oldLeft = oldLines;
            int newLeft = newLines;
            while (oldLeft > 0 || newLeft > 0) {
                String line = lines.pollFirst();
                if (line == null) {
                    throw new IllegalArgumentException(
                            "the patch of " + now + " ends in the middle of " + header.strip());
                }
                // An empty line of context has lost its space in some mails and editors.
                String whole = line.equals("\n") || line.equals("\r\n") ? " " + line : line;
                char mark = whole.charAt(0);
                if (mark != ' ' && mark != '-' && mark != '+') {
                    throw new IllegalArgumentException(
                            "the patch of " + now + " has no line of " + header.strip() + " here: " + line.strip());
                }
                oldLeft -= mark == '+' ? 0 : 1;
                newLeft -= mark == '-' ? 0 : 1;
                String next = lines.peekFirst();
                if (next != null && next.startsWith("\\")) {
                    lines.removeFirst();
                    whole = whole.substring(0, whole.length() - 1);
                }
                hunks.add(whole);
            }
        }

        String appliedTo(String before) {
            if (hunks.isEmpty()) {
                return before;
            }
            List<String> unified = new ArrayList<>(List.of("--- a", "+++ b"));
            unified.addAll(hunks);
            try {
                return String.join(
                        "", UnifiedDiffUtils.parseUnifiedDiff(unified).applyTo(lines(before)));
            } catch (PatchFailedException e) {
                throw new IllegalArgumentException(
                        "the patch does not fit " + old + ": it expects other lines. " + e.getMessage(), e);
            }
        }
    }
}
