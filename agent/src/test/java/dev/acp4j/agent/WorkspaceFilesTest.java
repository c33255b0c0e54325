package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceFilesTest {
    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    private TestWorkspace workspace() {
        return new TestWorkspace(folder);
    }

    @Test
    void aCheckoutHasTrackedFilesAndNewOnesThatAreNotIgnored() throws Exception {
        TestWorkspace workspace = workspace()
                .git()
                .file(".gitignore", "*.log\nout/\n")
                .file("a.txt", "a")
                .file("src/b.txt", "b")
                .file("gone.txt", "gone")
                .file("build.log", "noise")
                .file("out/c.txt", "made");
        workspace.run("git", "add", "a.txt", "gone.txt");
        Files.delete(folder.resolve("gone.txt"));

        FileListing listing = workspace.files().list();

        assertThat(workspace.names()).containsExactly(".gitignore", "a.txt", "src/b.txt");
        assertThat(listing.fromGit()).isTrue();
        assertThat(listing.truncated()).isFalse();
    }

    @Test
    void aSubfolderOfACheckoutHasItsOwnFilesOnly() throws Exception {
        workspace().git().file("a.txt", "a").file("sub/b.txt", "b");

        assertThat(new TestWorkspace(folder.resolve("sub")).names()).containsExactly("b.txt");
    }

    @Test
    void aCheckoutInsideAnotherIsListedToo() throws Exception {
        workspace().git().file("a.txt", "a").file("inner/b.txt", "b");
        new TestWorkspace(folder.resolve("inner")).git();

        assertThat(workspace().names()).containsExactly("a.txt", "inner/b.txt");
    }

    @Test
    void aFolderThatItsCheckoutIgnoresIsStillAWorkspace() throws Exception {
        workspace().git().file(".gitignore", "scratch/\n").file("scratch/a.txt", "a");

        assertThat(new TestWorkspace(folder.resolve("scratch")).names()).containsExactly("a.txt");
    }

    @Test
    void aPlainFolderHasAllFilesButThoseThatToolsMade() throws Exception {
        TestWorkspace workspace = workspace()
                .file("a.txt", "a")
                .file("src/b.txt", "b")
                .file("node_modules/x/index.js", "x")
                .file("target/classes/B.class", "B");

        assertThat(workspace.names()).containsExactly("a.txt", "src/b.txt");
        assertThat(workspace.files().list().fromGit()).isFalse();
    }

    @Test
    void symbolicLinksAreNotFollowed() throws Exception {
        Files.writeString(elsewhere.resolve("secret.txt"), "secret");
        workspace().file("a.txt", "a");
        Files.createSymbolicLink(folder.resolve("link.txt"), elsewhere.resolve("secret.txt"));
        Files.createSymbolicLink(folder.resolve("linked"), elsewhere);

        assertThat(workspace().names()).containsExactly("a.txt");
    }

    @Test
    void aTrackedFileBehindAFolderThatBecameALinkIsLeftOut() throws Exception {
        Files.writeString(elsewhere.resolve("b.txt"), "secret");
        TestWorkspace workspace = workspace().git().file("a.txt", "a").file("sub/b.txt", "b");
        workspace.run("git", "add", ".");
        Files.delete(folder.resolve("sub/b.txt"));
        Files.delete(folder.resolve("sub"));
        Files.createSymbolicLink(folder.resolve("sub"), elsewhere);

        assertThat(workspace.names()).containsExactly("a.txt");
    }

    @Test
    void aWorkspaceMayBeReachedThroughALink() throws Exception {
        workspace().file("a.txt", "a");
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), folder);

        FileListing listing = new WorkspaceFiles(List.of(link)).list();

        assertThat(listing.files()).singleElement().satisfies(file -> {
            assertThat(file.name()).isEqualTo("a.txt");
            assertThat(file.path()).isEqualTo(link.resolve("a.txt"));
        });
    }

    @Test
    void moreFilesThanTheLimitAreSaidToBeLeftOut() throws Exception {
        workspace().file("a.txt", "a").file("b.txt", "b").file("c.txt", "c");

        FileListing walked = new WorkspaceFiles(List.of(folder), 2).list();
        workspace().git();
        FileListing listed = new WorkspaceFiles(List.of(folder), 2).list();

        assertThat(walked.files()).hasSize(2);
        assertThat(walked.truncated()).isTrue();
        assertThat(listed.files()).hasSize(2);
        assertThat(listed.truncated()).isTrue();
    }

    @Test
    void filesOfAnAdditionalDirectoryHaveAbsoluteNames() throws Exception {
        Files.writeString(elsewhere.resolve("b.txt"), "b");
        workspace().file("a.txt", "a");

        FileListing listing = new WorkspaceFiles(List.of(folder, elsewhere)).list();

        assertThat(listing.files())
                .extracting(WorkspaceFile::name)
                .containsExactly("a.txt", elsewhere.resolve("b.txt").toString());
    }

    @Test
    void bigFilesAndThoseNamedLikeBinariesAreNotSearched() throws Exception {
        workspace()
                .file("a.txt", "a")
                .file("big.txt", "x".repeat((1 << 20) + 1))
                .file("logo.png", "not really");

        assertThat(workspace().files().list().searchable())
                .extracting(WorkspaceFile::name)
                .containsExactly("a.txt");
    }

    @Test
    void listingStopsWhenInterrupted() {
        workspace().file("a.txt", "a");

        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> workspace().files().list()).isInstanceOf(InterruptedException.class);
    }
}
