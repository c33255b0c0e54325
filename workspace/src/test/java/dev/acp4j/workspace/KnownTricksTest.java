package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tricks with paths and files that have worked elsewhere. */
@ParameterizedClass
@EnumSource(Way.class)
@Tag("CBK-15")
@Tag("SEC-05")
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class KnownTricksTest {
    private static final int CHAIN = 38;
    private static final int WRITERS = 8;
    private static final int FOLDERS = 50;

    private final Way way;

    @TempDir
    Path temp;

    private Path root;
    private Path outside;
    private Path secret;
    private Workspace workspace;

    KnownTricksTest(Way way) {
        this.way = way;
    }

    @BeforeEach
    void create() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        outside = Files.createDirectory(temp.resolve("outside"));
        secret = Files.writeString(outside.resolve("secret.txt"), "secret");
        workspace = way.workspace(root);
    }

    private void refused(Path path) throws IOException {
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class).isThrownBy(() -> workspace.readText(path));
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                .isThrownBy(() -> workspace.writeText(path, "overwritten"));
        assertThat(secret).hasContent("secret");
        assertThat(outside).isDirectoryNotContaining(one -> !one.equals(secret));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/proc/self/root", "/proc/self/cwd", "/proc/self/fd/1", "/proc/self/environ", "/proc/self/mem"})
    void whatTheSystemShowsOfThisProcessIsOutside(String path) throws IOException {
        refused(Path.of(path));
        refused(Path.of(path + secret));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/proc/self/root", "/proc/self/fd", "/dev", "..", "../..", "/tmp/../tmp/.."})
    void linkToAFolderOfTheSystemLeadsOutside(String target) throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("link"), Path.of(target));

        refused(link);
        refused(link.resolve("new.txt"));
        refused(Path.of(link + secret.toString()));
    }

    @Test
    void longChainOfLinksIsFollowedToItsEnd() throws Exception {
        Files.writeString(root.resolve("inside.txt"), "inside");

        refused(chain("out", secret));

        assertThat(workspace.readText(chain("in", root.resolve("inside.txt")))).isEqualTo("inside");
    }

    private Path chain(String name, Path target) throws IOException {
        Path link = target;
        for (int i = 0; i < CHAIN; i++) {
            link = Files.createSymbolicLink(root.resolve(name + i), link);
        }
        return link;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a\0b", "/\ud800", "/\udc00\ud800"})
    void textThatIsNoPathIsRefused(String text) {
        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> Workspace.path(root + text))
                .withMessageStartingWith("not a path: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "~",
                "$HOME",
                "*",
                "-rf",
                " ",
                "line\nline",
                "..\\..\\outside\\secret.txt",
                "%2e%2e%2fsecret.txt",
                "...",
                "file:",
                "/double//slashes/",
                "dots/./././a.txt"
            })
    void oddNameIsANameInside(String name) throws Exception {
        Path path = Workspace.path(root + "/" + name);

        workspace.writeText(path, "inside");

        assertThat(workspace.readText(path)).isEqualTo("inside");
        assertThat(path).hasContent("inside");
        assertThat(secret).hasContent("secret");
    }

    @Test
    void hugeSparseFileIsRefusedWhenTheLimitIsReached() throws Exception {
        Path file = root.resolve("sparse");
        try (SeekableByteChannel channel =
                Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.position(1L << 40).write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
        Workspace small = workspace.withMaxBytes(1 << 20);

        assertThatExceptionOfType(WorkspaceException.TooLarge.class).isThrownBy(() -> small.readText(file));
        assertThatExceptionOfType(WorkspaceException.TooLarge.class).isThrownBy(() -> small.readText(file, 1L, 1L));
        Files.delete(file);
    }

    @Test
    void rightToRunAsTheOwnerIsNotHandedOnToNewContent() throws Exception {
        Path file = Files.writeString(root.resolve("program"), "old");
        Files.setAttribute(file, "unix:mode", 0106755);

        workspace.writeText(file, "new");

        assertThat((int) Files.getAttribute(file, "unix:mode") & 07777).isEqualTo(0755);
    }

    @Test
    void manyWritersIntoTheSameNewFoldersLoseNothing() throws Exception {
        // There, creating a folder may replace the empty one that another writer has just created.
        assumeThat(way).isNotEqualTo(Way.HELD_WHERE_DESCRIPTORS_HAVE_NO_PATH);
        CyclicBarrier together = new CyclicBarrier(WRITERS);
        List<FutureTask<Boolean>> writers = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            String name = "deeper/file" + writer;
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                for (int i = 0; i < FOLDERS; i++) {
                    together.await();
                    workspace.writeText(root.resolve("new" + i).resolve(name), "inside");
                }
                return true;
            });
            Thread.ofPlatform().start(task);
            writers.add(task);
        }

        for (FutureTask<Boolean> writer : writers) {
            assertThat(writer.get()).isTrue();
        }

        try (Stream<Path> all = Files.walk(root)) {
            assertThat(all.filter(Files::isRegularFile)).hasSize(WRITERS * FOLDERS);
        }
    }
}
