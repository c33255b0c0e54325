package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.schema.DiffChange;
import dev.acp4j.schema.DiffPatch;
import dev.acp4j.schema.DiffPatchFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GitPatchesTest {
    private static DiffPatch patch(List<FileChange> changes) {
        return Objects.requireNonNull(GitPatches.changes(changes).patch());
    }

    private static DiffPatch patch(String text) {
        return DiffPatch.of(DiffPatchFormat.GIT_PATCH, text);
    }

    private static List<FileChange> everyKind() {
        return List.of(
                FileChange.added("new.txt", "one\ntwo\n"),
                FileChange.added("no end.txt", "one"),
                FileChange.deleted("old.txt", "gone\n"),
                FileChange.modified("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10"),
                FileChange.modified("tricky.txt", "-- x\n++ y\n\n@@ z\n", "-- x\n++ z\n\n@@ z\nend"),
                FileChange.moved("from.txt", "to.txt", "a\nb\nc\nd\n", "a\nb\nC\nd\n"),
                FileChange.moved("from2.txt", "to2.txt", "same\n", "same\n"),
                FileChange.copied(
                        "a.txt", "copy.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"));
    }

    private static Map<String, String> before(List<FileChange> changes) {
        Map<String, String> files = new HashMap<>();
        for (FileChange change : changes) {
            if (change.operation() != FileChange.Operation.ADD) {
                files.put(change.oldPath(), change.before());
            }
        }
        return files;
    }

    @Test
    void aPatchThatWasMadeAppliesToWhatItWasMadeFrom() {
        assertThat(GitPatches.apply(patch(everyKind()), before(everyKind())::get))
                .isEqualTo(everyKind());
    }

    @Test
    void theChangesSayWhatBecomesOfEachFile() {
        assertThat(GitPatches.changes(everyKind()).changes())
                .extracting(Object::getClass)
                .containsExactly(
                        DiffChange.Add.class,
                        DiffChange.Add.class,
                        DiffChange.Delete.class,
                        DiffChange.Modify.class,
                        DiffChange.Modify.class,
                        DiffChange.Move.class,
                        DiffChange.Move.class,
                        DiffChange.Copy.class);
    }

    private static String git(Path folder, String input, String... command) throws IOException, InterruptedException {
        Path in = Files.writeString(folder.resolveSibling("input"), input);
        Process git = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(in.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(git.waitFor()).as(output + "\n" + input).isZero();
        return output;
    }

    @Test
    void gitAppliesThePatch(@TempDir Path parent) throws Exception {
        Path folder = Files.createDirectory(parent.resolve("files"));
        for (Map.Entry<String, String> file : before(everyKind()).entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }

        String unused = git(folder, patch(everyKind()).text(), "git", "apply", "-p0", "-");

        for (FileChange change : everyKind()) {
            Path file = folder.resolve(change.path());
            if (change.operation() == FileChange.Operation.DELETE) {
                assertThat(file).doesNotExist();
            } else {
                assertThat(file).hasContent(change.after());
            }
        }
        assertThat(folder.resolve("from.txt")).doesNotExist();
    }

    @Test
    void aPatchOfGitIsApplied(@TempDir Path parent) throws Exception {
        Path folder = Files.createDirectory(parent.resolve("files"));
        String unused = git(folder, "", "git", "init", "-q");
        for (Map.Entry<String, String> file : before(everyKind()).entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }
        Files.writeString(folder.resolve("grün.txt"), "a\n");
        unused = git(folder, "", "git", "add", ".");
        unused = git(folder, "", "git", "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "before");
        for (FileChange change : everyKind()) {
            if (change.operation() == FileChange.Operation.MOVE) {
                Files.move(folder.resolve(change.oldPath()), folder.resolve(change.path()));
            }
            if (change.operation() == FileChange.Operation.DELETE) {
                Files.delete(folder.resolve(change.path()));
            } else {
                Files.writeString(folder.resolve(change.path()), change.after());
            }
        }
        Files.writeString(folder.resolve("grün.txt"), "b\n");
        unused = git(folder, "", "git", "add", "-A");
        String text = git(folder, "", "git", "diff", "-M", "--cached");
        Map<String, String> files = before(everyKind());
        files.put("grün.txt", "a\n");

        List<FileChange> applied = GitPatches.apply(patch(text), files::get);

        Map<String, String> after = new HashMap<>();
        applied.forEach(change -> after.put(change.path(), change.after()));
        assertThat(text).contains("rename from from.txt", "deleted file mode");
        assertThat(after).containsEntry("grün.txt", "b\n");
        for (FileChange change : everyKind()) {
            assertThat(after).containsEntry(change.path(), change.after());
        }
    }

    @Test
    void whateverChangesThePatchSaysIt() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            String before = text(random);
            String after = text(random);
            FileChange change = FileChange.modified("/p/a.txt", before, after);
            assertThat(GitPatches.apply(patch(List.of(change)), path -> before))
                    .as("seed 7, round " + round)
                    .containsExactly(change);
        }
    }

    private static String text(Random random) {
        List<String> lines = new ArrayList<>();
        for (int i = random.nextInt(12); i > 0; i--) {
            lines.add(List.of("a", "b", "", "-", "+ x", "@@ -1 +1 @@", "\\ no", "ü", "\r")
                    .get(random.nextInt(9)));
        }
        return String.join("\n", lines) + (random.nextBoolean() && !lines.isEmpty() ? "\n" : "");
    }

    @Test
    void aPatchThatDoesNotFitSaysWhere() {
        DiffPatch made = patch(List.of(FileChange.modified("/p/a.txt", "one\n", "two\n")));

        assertThatThrownBy(() -> GitPatches.apply(made, path -> "three\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/p/a.txt");
        assertThatThrownBy(() -> GitPatches.apply(made, path -> null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no file /p/a.txt");
    }

    @Test
    void whatIsNoPatchOfGitIsRefused() {
        assertThatThrownBy(() -> GitPatches.apply(patch("hello\n"), path -> "")).hasMessageContaining("diff --git");
        assertThatThrownBy(() -> GitPatches.apply(
                        patch("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n a\n"), path -> "a\n"))
                .hasMessageContaining("ends in the middle");
        assertThatThrownBy(() ->
                        GitPatches.apply(patch("diff --git a/a b/a\nBinary files a/a and b/a differ\n"), path -> ""))
                .hasMessageContaining("binary");
    }

    @Test
    void whatWouldLoseATextIsRefused() {
        DiffPatch deletes = patch(List.of(FileChange.deleted("/p/a.txt", "one\n")));
        DiffPatch adds = patch(List.of(FileChange.added("/p/a.txt", "one\n")));

        assertThatThrownBy(() -> GitPatches.apply(deletes, path -> "one\ntwo\n"))
                .hasMessageContaining("/p/a.txt, which has other lines");
        assertThatThrownBy(() -> GitPatches.apply(adds, path -> "mine\n"))
                .hasMessageContaining("there is a file /p/a.txt");
    }

    @Test
    void aFileMayBeChangedTwice() {
        String twice = patch(List.of(FileChange.modified("/p/a.txt", "one\n", "two\n")))
                        .text()
                + patch(List.of(FileChange.modified("/p/a.txt", "two\n", "three\n")))
                        .text();

        assertThat(GitPatches.apply(patch(twice), path -> "one\n"))
                .last()
                .extracting(FileChange::after)
                .isEqualTo("three\n");
    }
}
