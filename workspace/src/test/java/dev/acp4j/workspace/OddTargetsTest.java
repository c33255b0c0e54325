package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests for what is no file, or leads nowhere. All are refused at once and leave nothing behind. */
@Tag("CBK-15")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledOnOs(OS.LINUX)
class OddTargetsTest {
    private static final int REQUESTS = 300;

    /** Fewer than one in ten requests: the JVM opens some files of its own at odd times. */
    private static final int SLACK = 20;

    @TempDir
    Path temp;

    /** What a request may be for, and how it is made. */
    enum Target {
        FOLDER,
        BELOW_A_FILE,
        TWO_LEVELS_BELOW_A_FILE,
        PIPE,
        BELOW_A_PIPE,
        TWO_LEVELS_BELOW_A_PIPE,
        SOCKET,
        BELOW_A_SOCKET,
        DEVICE,
        BELOW_A_DEVICE,
        LINK_TO_NOTHING,
        CIRCLE_OF_LINKS,
        LINK_OUTSIDE,
        BELOW_A_LINK_OUTSIDE,
        BELOW_A_LINK_TO_A_FILE,
        TOO_LONG_A_NAME,
        NO_PERMISSION;

        Path in(Path root, Path outside) throws Exception {
            return switch (this) {
                case FOLDER -> Files.createDirectory(root.resolve("folder"));
                case BELOW_A_FILE -> Files.createFile(root.resolve("file")).resolve("x");
                case TWO_LEVELS_BELOW_A_FILE ->
                    Files.createFile(root.resolve("file")).resolve("x/y");
                case PIPE -> OddFiles.pipe(root.resolve("pipe"));
                case BELOW_A_PIPE -> OddFiles.pipe(root.resolve("pipe")).resolve("x");
                case TWO_LEVELS_BELOW_A_PIPE ->
                    OddFiles.pipe(root.resolve("pipe")).resolve("x/y");
                case SOCKET -> OddFiles.socket(root.resolve("socket"));
                case BELOW_A_SOCKET -> OddFiles.socket(root.resolve("socket")).resolve("x");
                case DEVICE -> Path.of("/dev/full");
                case BELOW_A_DEVICE -> Path.of("/dev/full/x");
                case LINK_TO_NOTHING -> link(root, root.resolve("nothing"));
                case CIRCLE_OF_LINKS -> link(root, root.resolve("link"));
                case LINK_OUTSIDE -> link(root, outside.resolve("a.txt"));
                case BELOW_A_LINK_OUTSIDE -> link(root, outside).resolve("new/new.txt");
                case BELOW_A_LINK_TO_A_FILE ->
                    link(root, Files.createFile(root.resolve("file"))).resolve("x");
                case TOO_LONG_A_NAME -> root.resolve("n".repeat(300)).resolve("x");
                case NO_PERMISSION -> locked(root).resolve("folder/x");
            };
        }

        private static Path link(Path root, Path target) throws IOException {
            return Files.createSymbolicLink(root.resolve("link"), target);
        }

        /** The administrator may do anything, so there a file stands in the way. */
        private static Path locked(Path root) throws IOException {
            Path locked = Files.createDirectory(root.resolve("locked"));
            Files.createFile(locked.resolve("folder"));
            Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("---------"));
            return locked;
        }
    }

    @ParameterizedTest
    @EnumSource
    void oddTargetIsRefusedAgainAndAgainAndNothingIsLeftOpen(Target target) throws Exception {
        Path root = Files.createDirectory(temp.resolve("root"));
        Path outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("a.txt"), "secret");
        Path path = target.in(root, outside);
        List<Path> before = all(temp);
        Workspace workspace = Workspace.of(root, Path.of("/dev"));
        requests(workspace, path, 10);
        int descriptors = OddFiles.descriptors();

        requests(workspace, path, REQUESTS);

        assertThat(OddFiles.descriptors()).isLessThan(descriptors + SLACK);
        assertThat(all(temp)).isEqualTo(before);
        assertThat(outside.resolve("a.txt")).hasContent("secret");
        assertThat(OddFiles.threads()).isEmpty();
        unlock(root.resolve("locked"));
    }

    private static void requests(Workspace workspace, Path path, int number) throws InterruptedException {
        for (int i = 0; i < number; i++) {
            assertThat(isRefused(() -> workspace.readText(path))).isTrue();
            assertThat(isRefused(() -> workspace.writeText(path, "overwritten")))
                    .isTrue();
            assertThat(isRefused(() -> workspace.folder(path.resolve("cwd")))).isTrue();
        }
        OddFiles.awaitThreads();
    }

    private interface Request {
        void make() throws InterruptedException;
    }

    private static boolean isRefused(Request request) throws InterruptedException {
        try {
            request.make();
            return false;
        } catch (WorkspaceException e) {
            return true;
        }
    }

    private static List<Path> all(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.sorted().toList();
        }
    }

    private static void unlock(Path locked) throws IOException {
        if (Files.exists(locked, LinkOption.NOFOLLOW_LINKS)) {
            Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("rwx------"));
        }
    }
}
