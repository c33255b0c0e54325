package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A file system that does not answer. Opening a pipe that nobody writes into hangs in the system just as well. */
@Tag("CBK-15")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledOnOs(OS.LINUX)
class HangingFilesTest {
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration NEVER = Duration.ofDays(1);
    private static final int BOUND = 3;

    @TempDir
    Path temp;

    private Path root;
    private Path file;
    private Path pipe;
    private volatile boolean hanging = true;
    private CountDownLatch reached = new CountDownLatch(1);

    @BeforeEach
    void create() throws Exception {
        root = Files.createDirectory(temp.resolve("root"));
        file = Files.writeString(root.resolve("a.txt"), "old");
        pipe = OddFiles.pipe(temp.resolve("pipe"));
    }

    private Workspace workspace(int bound, Duration patience) {
        return new Workspace(
                Roots.of(List.of(root)), Workspace.DEFAULT_MAX_BYTES, this::open, new FileThreads(bound, patience));
    }

    private Folder open(Root opened) throws IOException {
        if (hanging) {
            reached.countDown();
            Files.newInputStream(pipe).close();
        }
        return Folder.openRoot(opened);
    }

    /** The file system answers again; returns when all has ended that was waiting for that. */
    @AfterEach
    void answer() throws Exception {
        hanging = false;
        try (FileChannel writer = FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assertThat(writer.isOpen()).isTrue();
            OddFiles.awaitThreads();
        }
    }

    private static FutureTask<Boolean> isInterrupted(Workspace workspace, Path path) {
        return new FutureTask<>(() -> {
            try {
                workspace.readText(path);
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
    }

    @Test
    void requestThatHangsEndsByItsTimeLimitAndIsNotDoneLater() throws Exception {
        Workspace workspace = workspace(BOUND, SOON);
        int before = OddFiles.descriptors();

        assertThatExceptionOfType(WorkspaceException.Failed.class)
                .isThrownBy(() -> workspace.readText(file))
                .withMessage("cannot read " + file + ": the file system does not respond in time");
        assertThatExceptionOfType(WorkspaceException.Failed.class)
                .isThrownBy(() -> workspace.writeText(file, ""))
                .withMessage("cannot write " + file + ": the file system does not respond in time");
        answer();

        assertThat(root.toFile().list()).containsExactly("a.txt");
        assertThat(file).hasContent("old");
        assertThat(OddFiles.descriptors()).isLessThanOrEqualTo(before);
    }

    @Test
    void interruptEndsARequestThatHangs() throws Exception {
        FutureTask<Boolean> request = isInterrupted(workspace(BOUND, NEVER), file);
        Thread caller = Thread.ofVirtual().start(request);
        reached.await();

        caller.interrupt();

        assertThat(request.get()).isTrue();
    }

    @Test
    void virtualThreadsGoOnWhileMoreRequestsHangThanThereAreProcessors() throws Exception {
        int requests = 4 * Runtime.getRuntime().availableProcessors();
        reached = new CountDownLatch(requests);
        Workspace workspace = workspace(requests, NEVER);
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            callers.add(Thread.ofVirtual().start(isInterrupted(workspace, file)));
        }
        reached.await();

        FutureTask<String> other = new FutureTask<>(() -> Workspace.of(root).readText(file));
        Thread.ofVirtual().start(other);

        assertThat(other.get()).isEqualTo("old");
        callers.forEach(Thread::interrupt);
        for (Thread caller : callers) {
            caller.join();
        }
    }

    @Test
    void requestsFailAtOnceWhileTheBoundHangsAndWorkAfterwards() throws Exception {
        Workspace workspace = workspace(BOUND, SOON);
        for (int i = 0; i < BOUND; i++) {
            assertThatExceptionOfType(WorkspaceException.Failed.class).isThrownBy(() -> workspace.readText(file));
        }

        hanging = false;
        for (int i = 0; i < 100; i++) {
            assertThatExceptionOfType(WorkspaceException.Failed.class)
                    .isThrownBy(() -> workspace.writeText(file, "new"))
                    .withMessage("cannot write " + file
                            + ": the file system does not respond, and 3 earlier requests are still blocked");
        }
        assertThat(OddFiles.threads()).hasSize(BOUND);

        answer();
        workspace.writeText(file, "new");
        assertThat(workspace.readText(file)).isEqualTo("new");
    }

    @Test
    void requestThatGetsNoThreadInTimeFails() throws Exception {
        Workspace workspace = workspace(1, SOON);
        FutureTask<Boolean> first = isInterrupted(workspace, file);
        Thread.ofVirtual().start(first);
        reached.await();

        assertThatExceptionOfType(WorkspaceException.Failed.class)
                .isThrownBy(() -> workspace.readText(file))
                .withMessageStartingWith("cannot read " + file + ": the file system does not respond");

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(first::get)
                .withCauseInstanceOf(WorkspaceException.Failed.class);
    }
}
