package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Looking at a stranger's checkout starts none of his programs, and still finds the files. */
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
class HostileCheckoutTest {
    @TempDir
    Path folder;

    @TempDir
    Path marks;

    @TempDir
    Path elsewhere;

    private TestWorkspace workspace() {
        return new TestWorkspace(folder);
    }

    private boolean hasRun() throws IOException {
        return Files.exists(marks.resolve("ran"));
    }

    private String program() throws Exception {
        TestWorkspace programs = new TestWorkspace(elsewhere);
        programs.file("program", "#!/bin/sh\n: >" + marks.resolve("ran") + "\n").run("chmod", "+x", "program");
        return programs.path("program").toString();
    }

    @ParameterizedTest
    @EnumSource
    void noProgramOfTheCheckoutRuns(HostileCheckout hostile) throws Exception {
        TestWorkspace checkout = hostile.in(folder, program());
        Files.deleteIfExists(marks.resolve("ran"));

        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            editor.policy(PermissionQuestion::rejectOnce);
            Session session = editor.open(folder);

            assertThat(session.prompt("where is the class Retry?").text()).contains("src/Retry.java");
            assertThat(session.prompt("/files").text()).contains("src/Retry.java");
            assertThat(session.prompt("what is this project about?").text()).isNotBlank();
            assertThat(session.prompt("/replace Retry Again").text()).isNotBlank();
            assertThat(hasRun()).isFalse();
        }

        checkout.run("sh", "-c", "(" + hostile.spring + ") >&2 || true");
        assumeTrue(hasRun(), "this git does not fall into the trap anyway");
    }

    @Test
    void aCheckoutWhoseFilesAreSaidToLieElsewhereHasItsOwn() throws Exception {
        new TestWorkspace(elsewhere).file("secret.txt", "secret");
        workspace().git().file("a.txt", "a").run("git", "config", "core.worktree", elsewhere.toString());

        assertThat(workspace().names()).containsExactly("a.txt");
    }

    @Test
    void theConfigurationIsNotRead() throws Exception {
        TestWorkspace checkout =
                workspace().git().file("a.txt", "a").file("b.log", "b").file(".gitignore", "*.log\n");
        Files.delete(checkout.path(".git/config"));
        checkout.run("mkfifo", ".git/config");

        assertThat(checkout.names()).containsExactly(".gitignore", "a.txt");
    }

    @ParameterizedTest
    @ValueSource(strings = {".git/index", ".git/info/exclude", ".git/HEAD", ".git/commondir"})
    void aPipeInThePlaceOfAFileOfGitIsNotWaitedFor(String name) throws Exception {
        TestWorkspace checkout = workspace().git().file("a.txt", "a");
        checkout.run("git", "add", ".");
        Files.deleteIfExists(checkout.path(name));
        checkout.run("mkfifo", name);

        assertThat(new WorkspaceFiles(List.of(folder), 10, Duration.ofSeconds(1))
                        .list()
                        .files())
                .extracting(WorkspaceFile::name)
                .containsExactly("a.txt");
    }

    @Test
    void gitIsNotWaitedForWithoutEnd() throws Exception {
        TestWorkspace checkout = workspace().git().file("a.txt", "a");
        checkout.run("mkfifo", ".gitignore");

        assertThat(GitListing.of(folder, 10, Duration.ofMillis(200))).isNull();
    }

    /** Names that {@code git add} refuses, but no reader of an index. */
    @ParameterizedTest
    @ValueSource(strings = {"..", "a/..", "a/.", "/etc", "../x"})
    void aForgedNameLeadsNowhere(String name) throws Exception {
        new TestWorkspace(elsewhere).file("secret.txt", "secret").git();
        Path inner = elsewhere.resolve("inner");
        Files.createDirectory(inner);
        TestWorkspace checkout =
                new TestWorkspace(inner).git().file("a/b.txt", "b").file("z.txt", "z");
        String placeholder = "x".repeat(name.length());
        String object = "1".repeat(40);
        checkout.run("git", "update-index", "--add", "--cacheinfo", "160000," + object + "," + placeholder);
        forge(checkout.path(".git/index"), placeholder, name);

        assertThat(checkout.names()).containsExactly("a/b.txt", "z.txt");
    }

    private static void forge(Path index, String from, String to) throws Exception {
        byte[] bytes = Files.readAllBytes(index);
        String text = new String(bytes, StandardCharsets.ISO_8859_1).replace(from + "\0", to + "\0");
        byte[] content = Arrays.copyOf(text.getBytes(StandardCharsets.ISO_8859_1), bytes.length - 20);
        byte[] sum = MessageDigest.getInstance("SHA-1").digest(content);
        Files.write(
                index, ByteBuffer.allocate(bytes.length).put(content).put(sum).array());
    }

    @Test
    void namesThatFillTheMemoryAreNotTaken() throws Exception {
        workspace().git().file("a.txt", "a");
        String object = "1".repeat(40);
        StringBuilder entries = new StringBuilder();
        String name = "x".repeat(4_000);
        for (int i = 10_000; i < 15_000; i++) {
            entries.append("100644 ")
                    .append(object)
                    .append('\t')
                    .append(name)
                    .append(i)
                    .append('\n');
        }
        Files.writeString(elsewhere.resolve("entries"), entries);
        workspace().run("sh", "-c", "git update-index --index-info <" + elsewhere.resolve("entries"));

        assertThat(GitListing.of(folder, 50_000, Duration.ofSeconds(10))).isNull();
        assertThat(workspace().names()).containsExactly("a.txt");
    }

    @Test
    void aProgramOfTheCheckoutIsNotTakenForGit() {
        Path bin = folder.resolve("bin");
        Path link = elsewhere.resolve("link");
        String path = String.join(":", ".", "", "bin", bin.toString(), link.toString(), "/nowhere", "/usr/bin");

        workspace().file("bin/git", "");
        link(link, bin);

        assertThat(GitListing.searchPath(path, folder)).isEqualTo("/usr/bin");
    }

    private static void link(Path link, Path target) {
        try {
            Files.createSymbolicLink(link, target);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aCheckoutOfEachKindIsListed() throws Exception {
        TestWorkspace main = new TestWorkspace(folder.resolve("main"));
        Files.createDirectory(main.root());
        main.git()
                .file(".gitignore", "*.log\n")
                .file("a.txt", "a")
                .file("kept.log", "kept")
                .file("b.log", "b");
        main.file(".git/info/exclude", "c.txt\n").file("c.txt", "c");
        main.run("git", "add", "-f", ".gitignore", "a.txt", "kept.log");
        main.run("git", "commit", "-q", "-m", "x");
        main.run("git", "worktree", "add", "-q", "../linked");
        TestWorkspace linked =
                new TestWorkspace(folder.resolve("linked")).file("c.txt", "c").file("b.log", "b");
        TestWorkspace sha256 = new TestWorkspace(folder.resolve("sha256"));
        Files.createDirectory(sha256.root());
        sha256.run("git", "init", "-q", "--object-format=sha256");
        sha256.file(".gitignore", "*.log\n").file("kept.log", "kept").file("b.log", "b");
        sha256.run("git", "add", "-f", "kept.log");

        assertThat(main.names()).isEqualTo(List.of(".gitignore", "a.txt", "kept.log"));
        assertThat(linked.names()).isEqualTo(List.of(".gitignore", "a.txt", "kept.log"));
        assertThat(sha256.names()).isEqualTo(List.of(".gitignore", "kept.log"));
    }
}
