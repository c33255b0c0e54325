package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What an agent may try to reach files that are not the session's. Links need a right on Windows that tests lack. */
@ParameterizedClass
@EnumSource(Way.class)
@Tag("CBK-15")
@Tag("SEC-05")
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class WorkspaceEscapeTest {
    private final Way way;

    @TempDir
    Path temp;

    private Path root;
    private Path outside;
    private Path secret;
    private Workspace workspace;

    WorkspaceEscapeTest(Way way) {
        this.way = way;
    }

    @BeforeEach
    void create() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        outside = Files.createDirectory(temp.resolve("outside"));
        secret = Files.writeString(outside.resolve("secret.txt"), "secret");
        workspace = way.workspace(root);
    }

    @Test
    void pathElsewhereIsRefused() {
        refused(secret);
        refused(Path.of("/etc/passwd"));
        refused(Path.of("/"));
        refused(temp);
    }

    @Test
    void whatDoesNotExistOutsideGivesTheSameAnswer() {
        refused(outside.resolve("nothing"));
        refused(Path.of("/no/such/thing"));
    }

    @Test
    void stepsUpAreRefused() {
        refused(root.resolve("../outside/secret.txt"));
        refused(root.resolve("a/b/../../../outside/secret.txt"));
        refused(root.resolve("../root/../outside/secret.txt"));
        refused(root.resolve(".."));
    }

    @Test
    void stepsUpThatStayInsideAreFine() throws Exception {
        Files.writeString(root.resolve("a.txt"), "a");

        assertThat(workspace.readText(root.resolve("no/../a.txt"))).isEqualTo("a");
        assertThat(workspace.readText(root.resolve("../root/./a.txt"))).isEqualTo("a");
    }

    @Test
    void folderWhoseNameBeginsLikeTheRootIsOutside() throws IOException {
        Path sibling = Files.createDirectory(temp.resolve("root-evil"));

        refused(Files.writeString(sibling.resolve("a.txt"), "secret"));
    }

    @Test
    void linkToAFileOutsideIsRefused() throws IOException {
        refused(Files.createSymbolicLink(root.resolve("link"), secret));
        refused(Files.createSymbolicLink(root.resolve("relative"), Path.of("../outside/secret.txt")));
    }

    @Test
    void linkToAFolderOutsideIsRefused() throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("link"), outside);

        refused(link.resolve("secret.txt"));
        refused(link.resolve("new.txt"));
        refused(link.resolve("new/folder/new.txt"));
        refused(link);
    }

    @Test
    void chainOfLinksIsFollowedToItsEnd() throws IOException {
        Path folder = Files.createDirectory(root.resolve("folder"));
        Files.createSymbolicLink(folder.resolve("one"), Path.of("../two"));
        Files.createSymbolicLink(root.resolve("two"), outside);

        refused(folder.resolve("one/secret.txt"));
    }

    @Test
    void stepUpBehindALinkIsTakenFromTheLinksName() throws Exception {
        Files.createSymbolicLink(root.resolve("link"), outside);
        Files.writeString(root.resolve("a.txt"), "inside");
        Files.writeString(temp.resolve("a.txt"), "secret");

        assertThat(workspace.readText(root.resolve("link/../a.txt"))).isEqualTo("inside");
    }

    @Test
    void linkToNothingIsRefusedForReadingAndWriting() throws IOException {
        refused(Files.createSymbolicLink(root.resolve("out"), outside.resolve("new.txt")));
        refused(Files.createSymbolicLink(root.resolve("in"), root.resolve("new.txt")));
        refused(Files.createSymbolicLink(root.resolve("folder"), outside.resolve("new"))
                .resolve("new.txt"));
    }

    @Test
    void circleOfLinksIsRefused() throws IOException {
        Files.createSymbolicLink(root.resolve("a"), Path.of("b"));
        refused(Files.createSymbolicLink(root.resolve("b"), Path.of("a")));
    }

    @Test
    void linkThatStaysInsideIsFollowed() throws Exception {
        Files.writeString(Files.createDirectory(root.resolve("folder")).resolve("a.txt"), "a");
        Path link = Files.createSymbolicLink(root.resolve("link"), Path.of("folder"));

        workspace.writeText(link.resolve("b.txt"), "b");

        assertThat(workspace.readText(link.resolve("a.txt"))).isEqualTo("a");
        assertThat(root.resolve("folder/b.txt")).hasContent("b");
    }

    @Test
    void rootMayBeALink() throws Exception {
        Path link = Files.createSymbolicLink(temp.resolve("link"), root);
        Workspace linked = way.workspace(link);

        linked.writeText(link.resolve("a.txt"), "a");

        assertThat(linked.readText(root.resolve("a.txt"))).isEqualTo("a");
        assertThat(linked.roots()).containsExactly(link);
        assertRefused(linked, link.resolve("../outside/secret.txt"));
    }

    @Test
    void rootExchangedForALinkIsNoLongerARoot() throws IOException {
        Files.move(root, temp.resolve("moved"));
        Files.createSymbolicLink(root, outside);

        refused(root.resolve("secret.txt"));
        refused(root.resolve("new.txt"));
    }

    @Test
    void folderExchangedForALinkAfterTheCheckIsRefused() throws IOException {
        Path folder = Files.createDirectory(root.resolve("folder"));
        Files.writeString(folder.resolve("secret.txt"), "not so secret");
        Workspace attacked = way.workspaceThatIsChanged(root, () -> {
            if (!Files.isSymbolicLink(folder)) {
                Files.move(folder, root.resolve("aside"));
                Files.createSymbolicLink(folder, outside);
            }
        });

        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                .isThrownBy(() -> attacked.readText(folder.resolve("secret.txt")));
        for (String name : new String[] {"secret.txt", "new.txt", "new/new.txt"}) {
            Files.delete(folder);
            Files.move(root.resolve("aside"), folder);
            assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                    .isThrownBy(() -> attacked.writeText(folder.resolve(name), "overwritten"));
        }
        refused(folder.resolve("secret.txt"));
    }

    @Test
    void fileExchangedForALinkAfterTheCheckIsRefused() throws IOException {
        Path file = root.resolve("file");
        Workspace attacked = way.workspaceThatIsChanged(root, () -> {
            Files.deleteIfExists(file);
            Files.createSymbolicLink(file, secret);
        });

        Files.writeString(file, "not so secret");
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                .isThrownBy(() -> attacked.readText(file))
                .withMessage(file + " was changed while it was being opened");
        Files.delete(file);
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                .isThrownBy(() -> attacked.writeText(file, "overwritten"));
        assertThat(secret).hasContent("secret");
    }

    @Test
    void linkFromOneRootIntoAnotherIsFollowed() throws Exception {
        Workspace both = way.workspace(root, outside);
        Path link = Files.createSymbolicLink(root.resolve("link"), outside);

        assertThat(both.readText(link.resolve("secret.txt"))).isEqualTo("secret");
        assertThat(both.readText(secret)).isEqualTo("secret");
        assertRefused(both, Files.writeString(temp.resolve("a.txt"), "a"));
    }

    @Test
    void rootInsideARootExchangedForALinkIsRefused() throws IOException {
        Path inner = Files.createDirectory(root.resolve("inner"));
        Workspace both = way.workspace(inner, root);
        Files.delete(inner);
        Files.createSymbolicLink(inner, outside);

        assertRefused(both, inner.resolve("secret.txt"));
        assertRefused(both, inner.resolve("new.txt"));
    }

    @Test
    void pathOfAnotherFileSystemIsRefused() throws Exception {
        URI uri = URI.create("jar:" + temp.resolve("a.zip").toUri());
        try (FileSystem zip = FileSystems.newFileSystem(uri, Map.of("create", "true"))) {
            Path path = Files.writeString(zip.getPath("/a.txt"), "secret");

            assertThatExceptionOfType(WorkspaceException.OutsideRoots.class).isThrownBy(() -> workspace.readText(path));
        }
    }

    @Test
    @Tag("CBK-19")
    void folderForACommandLiesInsideToo() throws Exception {
        Path folder = Files.createDirectory(root.resolve("folder"));
        Path link = Files.createSymbolicLink(root.resolve("link"), outside);
        Path file = Files.writeString(root.resolve("file"), "x");

        assertThat(workspace.folder(root)).isEqualTo(root.toRealPath());
        assertThat(workspace.folder(folder)).isEqualTo(folder.toRealPath());
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class).isThrownBy(() -> workspace.folder(link));
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class).isThrownBy(() -> workspace.folder(temp));
        assertThatExceptionOfType(WorkspaceException.WrongKind.class).isThrownBy(() -> workspace.folder(file));
        assertThatExceptionOfType(WorkspaceException.NotFound.class)
                .isThrownBy(() -> workspace.folder(root.resolve("no")));
    }

    @Test
    void rootMustBeAnExistingFolder() throws IOException {
        Path file = Files.writeString(root.resolve("file"), "x");

        assertThatIllegalArgumentException().isThrownBy(() -> Workspace.of(root.resolve("no")));
        assertThatIllegalArgumentException().isThrownBy(() -> Workspace.of(root, file));
        assertThatIllegalArgumentException().isThrownBy(() -> Workspace.of(Path.of("relative")));
    }

    private void refused(Path path) {
        assertRefused(workspace, path);
    }

    private void assertRefused(Workspace workspace, Path path) {
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                .isThrownBy(() -> workspace.readText(path))
                .withMessageStartingWith(path + " ");
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                .isThrownBy(() -> workspace.writeText(path, "overwritten"));
        assertThat(secret).hasContent("secret");
        try (Stream<Path> files = Files.list(outside)) {
            assertThat(files).containsExactly(secret);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
