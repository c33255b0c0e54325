package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths that no system call takes, which an agent may send in any length. */
@Tag("CBK-15")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@DisabledOnOs(OS.WINDOWS)
class LongPathTest {
    private static final int LIMIT = 4095;

    @TempDir
    Path root;

    private Workspace workspace;

    @BeforeEach
    void open() {
        workspace = Workspace.of(root);
    }

    @ParameterizedTest
    @ValueSource(ints = {LIMIT + 1, 5_000, 1 << 20, 16 << 20})
    void tooLongAPathIsRefusedAtOnce(int bytes) {
        String text = nested(root, bytes);
        Path path = Path.of(text);

        assertTooLong(bytes, () -> Workspace.path(text));
        assertTooLong(bytes, () -> workspace.readText(path));
        assertTooLong(bytes, () -> workspace.writeText(path, "x"));
        assertTooLong(bytes, () -> workspace.folder(path));
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void tooLongAFolderOfACommandIsRefused() {
        String folder = nested(root, 1 << 20);
        try (Terminals terminals = Terminals.of(workspace)) {
            assertTooLong(
                    1 << 20,
                    () -> terminals.create(CreateTerminalRequest.builder(SessionId.of("s"), "true")
                            .cwd(folder)
                            .build()));
        }
    }

    @Test
    void bytesCountAndNotCharacters() {
        Path path = root.resolve("€€€€€/".repeat(300));

        int bytes = root.toString().length() + 300 * 16;
        assertTooLong(bytes, () -> workspace.writeText(path, "x"));
        assertThat(path.toString().length()).isLessThan(LIMIT);
    }

    @Test
    void tooLongARootIsRefused() {
        Path longRoot = Path.of(nested(root, 1 << 20));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Workspace.of(longRoot))
                .withMessage("a root is too long: it has 1048576 bytes, and the limit is 4095");
    }

    @Test
    void longestPathIsWrittenAndRead() throws Exception {
        Path path = deep(root, LIMIT);

        workspace.writeText(path, "deep");

        assertThat(workspace.readText(path)).isEqualTo("deep");
    }

    @Test
    void pathThatALinkMakesTooLongIsRefused() throws Exception {
        Path deep = deep(root, 3_000);
        workspace.writeText(deep.resolve("a.txt"), "a");
        Path link = Files.createSymbolicLink(root.resolve("link"), deep);

        assertThat(workspace.readText(link.resolve("a.txt"))).isEqualTo("a");
        Path path = deep(link, link.toString().length() + 1_500);
        assertTooLong(4_500, () -> workspace.writeText(path, "x"));
        try (Stream<Path> all = Files.list(deep)) {
            assertThat(all).containsExactly(deep.resolve("a.txt"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 1_000, 3_900})
    void tooLongANameGivesTheErrorOfTheSystem(int bytes) throws IOException {
        Path name = root.resolve("n".repeat(bytes));

        assertThatExceptionOfType(WorkspaceException.NotFound.class).isThrownBy(() -> workspace.readText(name));
        for (Path path : new Path[] {name, name.resolve("a")}) {
            assertThatExceptionOfType(WorkspaceException.Failed.class)
                    .isThrownBy(() -> workspace.writeText(path, "x"))
                    .withMessage("cannot write " + path + ": File name too long");
        }
        assertThat(root).isEmptyDirectory();
    }

    /** Returns a path below a folder, of long names: deleting thousands of folders takes long. */
    private static Path deep(Path folder, int bytes) {
        StringBuilder path = new StringBuilder(folder.toString());
        while (bytes - path.length() > 250) {
            path.append('/').append("d".repeat(120));
        }
        return Path.of(
                path.append('/').append("e".repeat(bytes - path.length())).toString());
    }

    /** Returns a path below a folder, of as many names as possible. */
    private static String nested(Path folder, int bytes) {
        int left = bytes - folder.toString().length();
        return folder + "/a".repeat(left / 2 - left % 2) + (left % 2 == 1 ? "/bb" : "");
    }

    private static void assertTooLong(int bytes, ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOf(WorkspaceException.InvalidArgument.class)
                .hasMessage("the path is too long: it has " + bytes + " bytes, and the limit is " + LIMIT);
    }
}
