package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@EnabledOnOs({OS.LINUX, OS.MAC})
class ProcessTreeTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private @Nullable ProcessTree started;

    @AfterEach
    void endIt() {
        if (started != null) {
            Thread.interrupted();
            started.end(Duration.ZERO, Duration.ZERO);
        }
    }

    @Test
    @Tag("PRC-15")
    void theWholeTreeIsSeenAndTerminated() throws Exception {
        ProcessTree tree = start("sh -c 'sleep 1000 & echo; wait; :' & sleep 1000 & wait");
        readLine(tree);

        assertThat(tree.alive()).hasSizeBetween(3, 4).contains(tree.root().toHandle());
        ProcessTree.Ending ending = tree.end(Duration.ZERO, LONG);

        assertThat(ending).isEqualTo(new ProcessTree.Ending(ProcessTree.Step.TERMINATED, List.of()));
        assertThat(tree.alive()).isEmpty();
        assertThat(tree.isAlive()).isFalse();
    }

    @Test
    void theCommandIsLookedUpInTheSearchPathOfItsEnvironment(@TempDir Path folder) throws Exception {
        Path program = Files.writeString(folder.resolve("only-here"), "#!/bin/sh\necho found\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("only-here");
        builder.environment().put("PATH", folder.toString());

        assertThat(readLine(start(builder))).isEqualTo("found");
        assertThat(readLine(start(new ProcessBuilder("./only-here").directory(folder.toFile()))))
                .isEqualTo("found");
    }

    @Test
    void aCommandThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> start(new ProcessBuilder("only-elsewhere", "x")))
                .isInstanceOfSatisfying(
                        LaunchException.class, e -> assertThat(e.exit()).isEmpty())
                .hasMessageStartingWith("command not found: only-elsewhere. Looked in: ");
    }

    @Test
    void aPipeWhoseReaderClosedItIsBrokenAlsoWhileOthersAreStarted() throws Exception {
        List<FutureTask<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            FutureTask<Boolean> one = new FutureTask<>(ProcessTreeTest::writingFails);
            Thread.ofPlatform().start(one);
            all.add(one);
        }

        for (FutureTask<Boolean> one : all) {
            assertThat(one.get(50, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static boolean writingFails() throws IOException {
        ProcessTree tree = ProcessTree.start(new ProcessBuilder("sh", "-c", "exec <&-; echo closed; exec sleep 1000"));
        try {
            boolean unused = tree.root().getInputStream().read() < 0;
            tree.root().getOutputStream().write('x');
            tree.root().getOutputStream().flush();
            return false;
        } catch (IOException e) {
            return true;
        } finally {
            tree.end(Duration.ZERO, Duration.ZERO);
        }
    }

    @Test
    void aTreeThatEndsByItselfIsOnlyWaitedFor() throws Exception {
        ProcessTree tree = start("read line");
        tree.root().getOutputStream().close();

        assertThat(tree.end(LONG, LONG).lastStep()).isEqualTo(ProcessTree.Step.WAITED);
        assertThat(tree.end(LONG, LONG)).isEqualTo(new ProcessTree.Ending(ProcessTree.Step.WAITED, List.of()));
    }

    @Test
    void whoHasAllTheTimeOfTheWorldWaits() throws Exception {
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        ProcessTree tree = start("read line");
        tree.root().getOutputStream().close();

        assertThat(tree.end(ever, ever).lastStep()).isEqualTo(ProcessTree.Step.WAITED);
    }

    @Test
    @Tag("PRC-15")
    @EnabledOnOs(OS.LINUX)
    void processesWhoseParentsAreGoneAreFound() throws Exception {
        ProcessTree tree = start("sh -c 'sh -c \"sleep 1000 & echo \\$!\" & wait' & wait $!; exit 0");
        long leaf = Long.parseLong(readLine(tree));
        assertThat(tree.root().waitFor(30, TimeUnit.SECONDS)).isTrue();

        assertThat(tree.alive()).map(ProcessHandle::pid).containsExactly(leaf);
        assertThat(tree.isAlive()).isTrue();
        assertThat(tree.end(Duration.ZERO, LONG).isComplete()).isTrue();
        assertThat(LinuxProcesses.isDead(leaf)).isTrue();
    }

    @Test
    @Tag("PRC-15")
    @EnabledOnOs(OS.LINUX)
    void whatALaunchedClientHasLostBelongsToTheOuterTree() throws Exception {
        Launch client = TestPrograms.launch(ExitHookTest.Program.class, "wait");
        ProcessBuilder builder = new ProcessBuilder(client.command());
        builder.command().addAll(client.arguments());
        ProcessTree tree = start(builder);
        BufferedReader lines = lines(tree);
        long first = Long.parseLong(lines.readLine());
        long second = Long.parseLong(lines.readLine());

        tree.root().toHandle().destroyForcibly();
        assertThat(tree.root().waitFor(30, TimeUnit.SECONDS)).isTrue();
        ProcessTree.Ending ending = tree.end(Duration.ZERO, Duration.ofMillis(50));

        assertThat(ending.isComplete()).isTrue();
        assertThat(LinuxProcesses.isDead(first)).isTrue();
        assertThat(LinuxProcesses.isDead(second)).isTrue();
    }

    @Test
    @Tag("PRC-15")
    @EnabledOnOs(OS.LINUX)
    void theDaemonsOfACommandBelongToItsTree() throws Exception {
        ProcessTree tree =
                start("setsid sh -c 'echo $$; exec sleep 1000 </dev/null >/dev/null 2>&1' & wait $!; exit 0");
        long daemon = Long.parseLong(readLine(tree));
        tree.root().toHandle().destroyForcibly();
        assertThat(tree.root().waitFor(30, TimeUnit.SECONDS)).isTrue();

        assertThat(tree.alive()).map(ProcessHandle::pid).containsExactly(daemon);
        assertThat(tree.end(Duration.ZERO, LONG).isComplete()).isTrue();
        assertThat(LinuxProcesses.isDead(daemon)).isTrue();
    }

    @Test
    void interruptingTheOneWhoEndsItHurriesIt() throws Exception {
        ProcessTree tree = start("trap '' TERM; echo; while :; do sleep 10; done");
        readLine(tree);
        FutureTask<ProcessTree.Ending> ending = new FutureTask<>(() -> tree.end(Duration.ofHours(1), LONG));
        Thread thread = Thread.ofVirtual().start(ending);

        thread.interrupt();

        assertThat(ending.get(30, TimeUnit.SECONDS))
                .isEqualTo(new ProcessTree.Ending(ProcessTree.Step.KILLED, List.of()));
    }

    private ProcessTree start(String script) throws IOException {
        return start(new ProcessBuilder("sh", "-c", script));
    }

    private ProcessTree start(ProcessBuilder builder) throws IOException {
        ProcessTree tree = ProcessTree.start(builder.redirectError(ProcessBuilder.Redirect.DISCARD));
        started = tree;
        return tree;
    }

    private static String readLine(ProcessTree tree) throws IOException {
        return lines(tree).readLine();
    }

    private static BufferedReader lines(ProcessTree tree) {
        return new BufferedReader(new InputStreamReader(tree.root().getInputStream(), StandardCharsets.UTF_8));
    }
}
