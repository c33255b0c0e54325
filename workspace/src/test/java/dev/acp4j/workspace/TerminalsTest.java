package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalRequestBuilder;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real commands of a Unix system. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class TerminalsTest {
    private static final SessionId SESSION = SessionId.of("s");

    @TempDir
    Path temp;

    private Path root;
    private Terminals terminals;

    @BeforeEach
    void open() throws IOException {
        root = Files.createDirectory(temp.resolve("root")).toRealPath();
        terminals = Terminals.of(Workspace.of(root));
    }

    @AfterEach
    void nothingIsLeftRunning() {
        terminals.close();
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void bothOutputsAreKeptInTheOrderTheyCame() throws Exception {
        TerminalId id = shell("echo one; echo two >&2; echo three; echo €ß😀");

        TerminalExitStatus status = terminals.waitForExit(id);

        assertThat(status.exitCode()).isZero();
        assertThat(status.signal()).isNull();
        TerminalOutputResponse output = terminals.output(id);
        assertThat(output.output()).isEqualTo("one\ntwo\nthree\n€ß😀\n");
        assertThat(output.truncated()).isFalse();
        assertThat(output.exitStatus()).isEqualTo(status);
    }

    @Test
    void outputCanBeReadWhileTheCommandRuns() throws Exception {
        TerminalId id = shell("echo ready; exec sleep 1000");

        TerminalOutputResponse output = awaitOutput(id, "ready\n");

        assertThat(output.exitStatus()).isNull();
    }

    @Test
    void exitCodeIsReported() throws Exception {
        TerminalExitStatus status = terminals.waitForExit(shell("exit 3"));

        assertThat(status.exitCode()).isEqualTo(3);
        assertThat(status.signal()).isNull();
    }

    @Test
    void commandEndedByASignalHasItsName() throws Exception {
        assertThat(terminals.waitForExit(shell("kill -SEGV $$")).signal()).isEqualTo("SIGSEGV");
        TerminalExitStatus killed = terminals.waitForExit(shell("kill -KILL $$"));
        assertThat(killed.signal()).isEqualTo("SIGKILL");
        assertThat(killed.exitCode()).isEqualTo(137);
    }

    @Test
    void commandThatAsksFindsTheEndOfItsInput() throws Exception {
        TerminalId id = shell("read answer; echo \"got $? [$answer]\"");

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo("got 1 []\n");
    }

    @Test
    @Tag("CBK-19")
    void folderAndEnvironmentAreApplied() throws Exception {
        Path folder = Files.createDirectory(root.resolve("folder"));
        TerminalId id = terminals.create(request("sh")
                .args(List.of("-c", "pwd; echo $WORD; echo $HOME"))
                .env(List.of(EnvVariable.of("WORD", "a b"), EnvVariable.of("HOME", "/elsewhere")))
                .cwd(folder.toString())
                .build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo(folder + "\na b\n/elsewhere\n");
    }

    @Test
    @Tag("CBK-19")
    void commandStartsInTheFirstRootUnlessToldOtherwise() throws Exception {
        TerminalId id = terminals.create(request("pwd").build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo(root + "\n");
    }

    @Test
    @Tag("CBK-19")
    void environmentCanBeLimited() throws Exception {
        Terminals limited = Terminals.of(
                Workspace.of(root), TerminalOptions.DEFAULTS.withEnvironment(Map.of("PATH", System.getenv("PATH"))));
        try (limited) {
            TerminalId id = limited.create(
                    request("sh").args(List.of("-c", "echo [$HOME]")).build());

            limited.waitForExit(id);

            assertThat(limited.output(id).output()).isEqualTo("[]\n");
        }
    }

    @Test
    @Tag("CBK-19")
    @Tag("SEC-05")
    void folderOutsideTheRootsIsRefused() throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("link"), temp);

        for (String cwd : List.of("/", temp.toString(), link.toString(), root + "/..")) {
            assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                    .isThrownBy(() -> terminals.create(request("pwd").cwd(cwd).build()));
        }
        for (String cwd : List.of("relative", "", "nul\0")) {
            assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                    .isThrownBy(() -> terminals.create(request("pwd").cwd(cwd).build()));
        }
        assertThatExceptionOfType(WorkspaceException.NotFound.class)
                .isThrownBy(() -> terminals.create(
                        request("pwd").cwd(root.resolve("no").toString()).build()));
    }

    @Test
    @Tag("CBK-19")
    void argumentsReachTheCommandAsTheyAre() throws Exception {
        List<String> arguments = List.of("[%s]", "a b", "$HOME", "`id`", "; echo x", "*", "", "\"'", "a\nb");
        TerminalId id = terminals.create(request("printf").args(arguments).build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo("[a b][$HOME][`id`][; echo x][*][][\"'][a\nb]");
    }

    @Test
    @Tag("CBK-19")
    void lineWithoutArgumentsIsRunByAShell() throws Exception {
        TerminalId id = terminals.create(
                request("echo one && echo 'two  three' | tr t T").build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).isEqualTo("one\nTwo  Three\n");
    }

    @Test
    @Tag("CBK-19")
    void programWithASpaceInItsNameIsNoLine() throws Exception {
        Path program = Files.writeString(root.resolve("my program"), "#!/bin/sh\necho \"$0\"\n");
        program.toFile().setExecutable(true);
        TerminalId id = terminals.create(request("./my program").build());

        terminals.waitForExit(id);

        assertThat(terminals.output(id).output()).endsWith("my program\n");
    }

    @Test
    @Tag("CBK-19")
    void lineIsRefusedWhenThereIsToBeNoShell() {
        TerminalOptions options = TerminalOptions.DEFAULTS.withShellLines(false);
        try (Terminals strict = Terminals.of(Workspace.of(root), options)) {
            assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                    .isThrownBy(() -> strict.create(request("echo one").build()))
                    .withMessage("there is no program \"echo one\", and commands are not run by a shell here: send the"
                            + " program and its arguments");
        }
    }

    @Test
    void commandThatDoesNotExistIsAnErrorAtOnce() {
        assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                .isThrownBy(() -> terminals.create(
                        request("no-such-program").args(List.of("x")).build()))
                .withMessageStartingWith("cannot run no-such-program in " + root + ": ")
                .withMessageContaining("No such file or directory");
        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> terminals.create(request(" ").build()));
        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> terminals.create(request("pwd")
                        .env(List.of(EnvVariable.of("A=B", "secret")))
                        .build()))
                .withMessageContaining("A=B")
                .withMessageNotContaining("secret");
    }

    @Test
    @Tag("CBK-17")
    void floodLeavesItsEnd() throws Exception {
        TerminalId id = terminals.create(request("sh")
                .args(List.of("-c", "i=0; while [ $i -lt 20000 ]; do echo \"€ $i\"; i=$((i+1)); done"))
                .outputByteLimit(100L)
                .build());

        terminals.waitForExit(id);

        TerminalOutputResponse output = terminals.output(id);
        assertThat(output.truncated()).isTrue();
        assertThat(output.output()).endsWith("€ 19998\n€ 19999\n").doesNotContain("\uFFFD");
        assertThat(output.output().getBytes(StandardCharsets.UTF_8).length).isBetween(97, 100);
    }

    @Test
    @Tag("CBK-17")
    void outputIsLimitedWhateverTheAgentAsksFor() throws Exception {
        TerminalOptions options = TerminalOptions.DEFAULTS.withOutputBytes(3, 6);
        try (Terminals small = Terminals.of(Workspace.of(root), options)) {
            for (Long asked : new Long[] {null, 2L, 1_000_000L, Long.MAX_VALUE}) {
                TerminalId id = small.create(request("printf")
                        .args(List.of("0123456789"))
                        .outputByteLimit(asked)
                        .build());
                small.waitForExit(id);

                String expected = asked == null ? "789" : asked == 2 ? "89" : "456789";
                assertThat(small.output(id).output()).isEqualTo(expected);
                assertThat(small.output(id).truncated()).isTrue();
            }
        }
    }

    @Test
    @Tag("CBK-16")
    void killKeepsTheTerminal() throws Exception {
        TerminalId id = shell("echo before; exec sleep 1000");
        awaitOutput(id, "before\n");

        terminals.kill(id);

        TerminalOutputResponse output = terminals.output(id);
        assertThat(output.output()).isEqualTo("before\n");
        assertThat(output.exitStatus()).isNotNull();
        assertThat(terminals.waitForExit(id).signal()).isEqualTo("SIGTERM");
        terminals.kill(id);
        assertThat(terminals.release(id).output()).isEqualTo("before\n");
    }

    @Test
    @Tag("CBK-16")
    void commandThatIgnoresTerminationIsKilled() throws Exception {
        TerminalOptions options = TerminalOptions.DEFAULTS.withMercy(Duration.ofMillis(50));
        try (Terminals impatient = Terminals.of(Workspace.of(root), options)) {
            TerminalId id = impatient.create(request("trap '' TERM; echo ready; while :; do sleep 1000; done")
                    .build());
            while (!impatient.output(id).output().equals("ready\n")) {
                Thread.yield();
            }

            impatient.kill(id);

            assertThat(impatient.waitForExit(id).signal()).isEqualTo("SIGKILL");
        }
    }

    @Test
    @Tag("CBK-16")
    void releasedTerminalIsUnknown() throws Exception {
        TerminalId id = shell("echo last; exec sleep 1000");
        awaitOutput(id, "last\n");

        assertThat(terminals.release(id).output()).isEqualTo("last\n");

        for (Use use :
                List.<Use>of(terminals::output, terminals::waitForExit, Use.of(terminals::kill), terminals::release)) {
            assertThatExceptionOfType(WorkspaceException.UnknownTerminal.class)
                    .isThrownBy(() -> use.of(id))
                    .withMessage("there is no terminal " + id + ", or it has been released");
        }
    }

    @Test
    @Tag("PRC-15")
    @Tag("CBK-16")
    void releaseEndsAllThatTheCommandStarted() throws Exception {
        TerminalId id = shell("sleep 1000 & sleep 1000 & (sleep 1000; true) & echo $!; wait");
        long grandchild = Long.parseLong(awaitLine(id));

        terminals.release(id);

        assertThat(isRunning(grandchild)).isFalse();
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    @Tag("PRC-15")
    void releaseEndsWhatACommandLeftBehind() throws Exception {
        TerminalId id = shell("sleep 1000 & echo $!");
        TerminalExitStatus status = terminals.waitForExit(id);
        long left = Long.parseLong(awaitLine(id));
        assertThat(status.exitCode()).isZero();
        assertThat(isRunning(left)).isTrue();

        terminals.release(id);

        assertThat(isRunning(left)).isFalse();
    }

    @Test
    @Tag("CBK-18")
    void waitingCanBeInterrupted() throws Exception {
        TerminalId id = shell("exec sleep 1000");
        Waiter waiter = new Waiter(id);

        waiter.thread.interrupt();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiter.result::get)
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(terminals.output(id).exitStatus()).isNull();
    }

    @Test
    @Tag("CBK-18")
    void releaseEndsTheWaitForItsTerminal() throws Exception {
        TerminalId id = shell("exec sleep 1000");
        List<Waiter> waiters = List.of(new Waiter(id), new Waiter(id), new Waiter(id));

        terminals.release(id);

        for (Waiter waiter : waiters) {
            assertThat(waiter.result.get().signal()).isEqualTo("SIGTERM");
        }
    }

    @Test
    void terminalsAreCountedUntilTheyAreReleased() throws Exception {
        try (Terminals two = Terminals.of(Workspace.of(root), TerminalOptions.DEFAULTS.withMaxTerminals(2))) {
            TerminalId first = two.create(request("true").build());
            two.create(request("true").build());
            two.waitForExit(first);

            assertThatExceptionOfType(WorkspaceException.TooManyTerminals.class)
                    .isThrownBy(() -> two.create(request("true").build()))
                    .withMessage("2 terminals are open, which is as many as are allowed; release one first");
            two.release(first);
            two.create(request("true").build());
        }
    }

    @Test
    void failedStartTakesNoPlace() {
        try (Terminals one = Terminals.of(Workspace.of(root), TerminalOptions.DEFAULTS.withMaxTerminals(1))) {
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                        .isThrownBy(() -> one.create(request("no-such-program").build()));
            }
            one.create(request("true").build());
        }
    }

    @Test
    @Tag("CBK-16")
    void closeReleasesAllAndRefusesMore() throws Exception {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiters.add(new Waiter(shell("sleep 1000 & wait")));
        }

        terminals.close();
        terminals.close();

        for (Waiter waiter : waiters) {
            assertThat(waiter.result.get().signal()).isEqualTo("SIGTERM");
        }
        assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                .isThrownBy(() -> shell("true"))
                .withMessage("the session has ended");
    }

    @Test
    void idsDifferBetweenSessions() {
        try (Terminals others = Terminals.of(Workspace.of(root))) {
            TerminalId id = terminals.create(request("true").build());

            assertThat(others.create(request("true").build())).isNotEqualTo(id);
            assertThatExceptionOfType(WorkspaceException.UnknownTerminal.class).isThrownBy(() -> others.output(id));
        }
    }

    /** Something done with a terminal. */
    private interface Use {
        Object of(TerminalId id) throws InterruptedException;

        static Use of(VoidUse use) {
            return id -> {
                use.of(id);
                return id;
            };
        }
    }

    /** Something done with a terminal that returns nothing. */
    private interface VoidUse {
        void of(TerminalId id);
    }

    /** A thread that waits for a command to end. */
    private final class Waiter {
        final FutureTask<TerminalExitStatus> result;
        final Thread thread;

        Waiter(TerminalId id) {
            result = new FutureTask<>(() -> terminals.waitForExit(id));
            thread = Thread.startVirtualThread(result);
            while (thread.getState() != Thread.State.WAITING) {
                Thread.yield();
            }
        }
    }

    private TerminalId shell(String script) {
        return terminals.create(request("sh").args(List.of("-c", script)).build());
    }

    private static CreateTerminalRequestBuilder request(String command) {
        return CreateTerminalRequest.builder(SESSION, command);
    }

    private TerminalOutputResponse awaitOutput(TerminalId id, String expected) {
        while (true) {
            TerminalOutputResponse output = terminals.output(id);
            if (output.output().equals(expected)) {
                return output;
            }
            Thread.yield();
        }
    }

    private String awaitLine(TerminalId id) {
        while (true) {
            String output = terminals.output(id).output();
            if (output.endsWith("\n")) {
                return output.strip();
            }
            Thread.yield();
        }
    }

    private static boolean isRunning(long pid) throws IOException {
        Path stat = Path.of("/proc/" + pid + "/stat");
        boolean isZombie = Files.exists(stat) && Files.readString(stat).contains(") Z ");
        return !isZombie && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
