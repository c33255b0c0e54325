package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

/** How terminals end, with real commands of a Unix system. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class TerminalsEndTest {
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
    @Tag("CBK-16")
    void killKeepsTheTerminal() throws Exception {
        TerminalId id = Commands.shell(terminals, "echo before; exec sleep 1000");
        Commands.awaitOutput(terminals, id, "before\n"::equals);

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
            TerminalId id = impatient.create(Commands.request("trap '' TERM; echo ready; while :; do sleep 1000; done")
                    .build());
            Commands.awaitOutput(impatient, id, "ready\n"::equals);

            impatient.kill(id);

            assertThat(impatient.waitForExit(id).signal()).isEqualTo("SIGKILL");
        }
    }

    @Test
    @Tag("CBK-16")
    void releasedTerminalIsUnknown() throws Exception {
        TerminalId id = Commands.shell(terminals, "echo last; exec sleep 1000");
        Commands.awaitOutput(terminals, id, "last\n"::equals);

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
        TerminalId id = Commands.shell(terminals, "sleep 1000 & sleep 1000 & (sleep 1000; true) & echo $!; wait");
        long grandchild = Commands.awaitNumber(terminals, id);

        terminals.release(id);

        assertThat(isRunning(grandchild)).isFalse();
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    @Tag("PRC-15")
    void releaseEndsWhatACommandLeftBehind() throws Exception {
        TerminalId id = Commands.shell(terminals, "sleep 1000 & echo $!");
        TerminalExitStatus status = terminals.waitForExit(id);
        long left = Commands.awaitNumber(terminals, id);
        assertThat(status.exitCode()).isZero();
        assertThat(isRunning(left)).isTrue();

        terminals.release(id);

        assertThat(isRunning(left)).isFalse();
    }

    @Test
    @Tag("CBK-18")
    void waitingCanBeInterrupted() throws Exception {
        TerminalId id = Commands.shell(terminals, "exec sleep 1000");
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
        TerminalId id = Commands.shell(terminals, "exec sleep 1000");
        List<Waiter> waiters = List.of(new Waiter(id), new Waiter(id), new Waiter(id));

        terminals.release(id);

        for (Waiter waiter : waiters) {
            assertThat(waiter.result.get().signal()).isEqualTo("SIGTERM");
        }
    }

    @Test
    void terminalsAreCountedUntilTheyAreReleased() throws Exception {
        try (Terminals two = Terminals.of(Workspace.of(root), TerminalOptions.DEFAULTS.withMaxTerminals(2))) {
            TerminalId first = two.create(Commands.request("true").build());
            two.create(Commands.request("true").build());
            two.waitForExit(first);

            assertThatExceptionOfType(WorkspaceException.TooManyTerminals.class)
                    .isThrownBy(() -> two.create(Commands.request("true").build()))
                    .withMessage("2 terminals are open, which is the limit; release one first");
            two.release(first);
            two.create(Commands.request("true").build());
        }
    }

    @Test
    void failedStartTakesNoPlace() throws Exception {
        try (Terminals one = Terminals.of(Workspace.of(root), TerminalOptions.DEFAULTS.withMaxTerminals(1))) {
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                        .isThrownBy(() ->
                                one.create(Commands.request("no-such-program").build()));
            }
            one.create(Commands.request("true").build());
        }
    }

    @Test
    @Tag("CBK-16")
    void closeReleasesAllAndRefusesMore() throws Exception {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiters.add(new Waiter(Commands.shell(terminals, "sleep 1000 & wait")));
        }

        terminals.close();
        terminals.close();

        for (Waiter waiter : waiters) {
            assertThat(waiter.result.get().signal()).isEqualTo("SIGTERM");
        }
        assertThatExceptionOfType(WorkspaceException.NotStarted.class)
                .isThrownBy(() -> Commands.shell(terminals, "true"))
                .withMessage("the session has ended");
    }

    @Test
    void idsDifferBetweenSessions() throws Exception {
        try (Terminals others = Terminals.of(Workspace.of(root))) {
            TerminalId id = terminals.create(Commands.request("true").build());

            assertThat(others.create(Commands.request("true").build())).isNotEqualTo(id);
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

        Waiter(TerminalId id) throws InterruptedException {
            result = new FutureTask<>(() -> terminals.waitForExit(id));
            thread = Thread.startVirtualThread(result);
            assertThat(Poll.until(() -> thread.getState() == Thread.State.WAITING))
                    .isTrue();
        }
    }

    private static boolean isRunning(long pid) throws IOException {
        Path stat = Path.of("/proc/" + pid + "/stat");
        boolean isZombie = Files.exists(stat) && Files.readString(stat).contains(") Z ");
        return !isZombie && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
