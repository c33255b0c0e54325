package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process exchanges two names, in one step and as fast as it can, while the files behind them are used. */
@Tag("CBK-15")
@Tag("SEC-05")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledIf("canExchange")
class WorkspaceExchangeTest {
    private static final int CALLERS = 3;
    private static final int REQUESTS = 100;
    private static final int EXCHANGES = 200;

    private static final String FIND = "import ctypes; ctypes.CDLL(None).renameat2";

    /** Exchanges its two arguments until its input ends, and says how often it did. */
    private static final String EXCHANGE = """
            import ctypes, select, sys
            rename = ctypes.CDLL(None).renameat2
            one, other, count = sys.argv[1].encode(), sys.argv[2].encode(), 0
            while not select.select([sys.stdin], [], [], 0)[0]:
                for i in range(20):
                    count += rename(-100, one, -100, other, 2) == 0
            print(count)
            """;

    /** Which two names are exchanged. */
    enum Scene {
        FILE_AND_LINK("top/root/folder/a.txt", "top/root/link.txt"),
        FILE_AND_PIPE("top/root/folder/a.txt", "top/root/pipe"),
        FOLDER_AND_LINK("top/root/folder", "top/root/link"),
        FOLDER_AND_PIPE("top/root/folder", "top/root/pipe"),
        FOLDER_AND_FILE("top/root/folder", "top/root/file"),
        ROOT_AND_LINK("top/root", "linkToRoot"),
        ROOT_AND_FOLDER("top/root", "elsewhere/root"),
        ROOT_AND_PIPE("top/root", "pipe"),
        FOLDER_ABOVE_THE_ROOT_AND_LINK("top", "linkToTop");

        final String one;
        final String other;

        Scene(String one, String other) {
            this.one = one;
            this.other = other;
        }
    }

    @TempDir
    Path temp;

    private final List<Path> pipes = new ArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    private @Nullable Process exchanging;
    private Path root;
    private Workspace workspace;

    static boolean canExchange() throws InterruptedException {
        try {
            return new ProcessBuilder("python3", "-c", FIND).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @BeforeEach
    void create() throws Exception {
        root = folder("top/root", "inside");
        Path outside = folder("elsewhere/root", "secret");
        Files.createFile(outside.resolve("outside"));
        Files.createFile(root.resolve("file"));
        Files.createDirectory(temp.resolve("kept"));
        keptPipe(root.resolve("pipe"));
        keptPipe(temp.resolve("pipe"));
        Files.createSymbolicLink(root.resolve("link.txt"), outside.resolve("folder/a.txt"));
        Files.createSymbolicLink(root.resolve("link"), outside.resolve("folder"));
        Files.createSymbolicLink(temp.resolve("linkToRoot"), outside);
        Files.createSymbolicLink(temp.resolve("linkToTop"), temp.resolve("elsewhere"));
        workspace = new Workspace(
                Roots.of(List.of(root)),
                Workspace.DEFAULT_MAX_BYTES,
                Folder::openRoot,
                new FileThreads(CALLERS, Duration.ofSeconds(2)));
    }

    /** Makes a pipe with a second name, by which it can be opened also when a file has taken its place. */
    private void keptPipe(Path path) throws Exception {
        Path kept = temp.resolve("kept").resolve(Integer.toString(pipes.size()));
        pipes.add(Files.createLink(kept, OddFiles.pipe(path)));
    }

    private Path folder(String path, String content) throws IOException {
        Path folder = temp.resolve(path);
        Files.createDirectories(folder.resolve("folder"));
        Files.writeString(folder.resolve("folder/a.txt"), content);
        return folder;
    }

    @AfterEach
    void endExchanging() {
        if (exchanging != null) {
            exchanging.destroyForcibly();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingOutsideIsReadOrWrittenOrCreated(Scene scene) throws Exception {
        exchanging = exchange(scene);
        List<FutureTask<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            String name = "new" + i + "-";
            FutureTask<Boolean> caller = new FutureTask<>(() -> ask(name));
            Thread.ofPlatform().start(caller);
            callers.add(caller);
        }

        for (FutureTask<Boolean> caller : callers) {
            assertThat(caller.get()).isTrue();
        }

        assertThat(end(Objects.requireNonNull(exchanging))).isGreaterThan(EXCHANGES);
        assertThat(answered).hasPositiveValue();
        openPipes();
        outsideIsAsItWas();
    }

    private Process exchange(Scene scene) throws IOException {
        String one = temp.resolve(scene.one).toString();
        String other = temp.resolve(scene.other).toString();
        return new ProcessBuilder("python3", "-c", EXCHANGE, one, other)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static long end(Process exchanging) throws IOException {
        exchanging.getOutputStream().close();
        try (BufferedReader count = exchanging.inputReader()) {
            return Long.parseLong(String.valueOf(count.readLine()));
        }
    }

    private boolean ask(String name) throws InterruptedException {
        Path file = root.resolve("folder/a.txt");
        boolean inside = true;
        for (int i = 0; i < REQUESTS; i++) {
            String deep = name + i + "/deep/b.txt";
            inside &= isInside(() -> workspace.readText(file))
                    && isInside(() -> written(file))
                    && isInside(() -> written(root.resolve("folder").resolve(deep)))
                    && isInside(() -> written(root.resolve(deep)));
        }
        return inside;
    }

    private interface Request {
        String make() throws InterruptedException;
    }

    private String written(Path path) throws InterruptedException {
        workspace.writeText(path, "inside");
        return "inside";
    }

    /** Returns whether the answer is right. A refusal always is. */
    private boolean isInside(Request request) throws InterruptedException {
        try {
            String text = request.make();
            answered.incrementAndGet();
            return text.equals("inside");
        } catch (WorkspaceException e) {
            return true;
        }
    }

    /** Ends the requests that were caught by a pipe, now or in a moment: they open it, and then find its end. */
    private void openPipes() throws Exception {
        for (Thread thread : OddFiles.threads()) {
            do {
                for (Path pipe : pipes) {
                    FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)
                            .close();
                }
            } while (!thread.join(Duration.ofMillis(50)));
        }
    }

    private void outsideIsAsItWas() throws IOException {
        // The root may be there, and what was outside in the root's place.
        Path elsewhere = temp.resolve("elsewhere/root");
        Path outside = Files.exists(elsewhere.resolve("outside")) ? elsewhere : root;
        assertThat(all(outside))
                .containsExactly(
                        outside,
                        outside.resolve("folder"),
                        outside.resolve("folder/a.txt"),
                        outside.resolve("outside"));
        assertThat(outside.resolve("folder/a.txt")).hasContent("secret");
        assertThat(all(temp)).noneMatch(path -> path.toString().contains("/.acp4j-"));
    }

    private static List<Path> all(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.sorted().toList();
        }
    }
}
