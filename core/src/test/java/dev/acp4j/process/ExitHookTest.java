package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonValue;
import dev.acp4j.rpc.Message;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class ExitHookTest {
    /** So many that ending one after the other would take minutes. */
    private static final int TREES = 150;

    /** Starts agents, tells their process numbers, and ends in one of several ways without closing them. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws Exception {
            List<LaunchedProcess> agents = new ArrayList<>();
            for (String script : List.of("echo $$; exec sleep 1000", "trap '' TERM; sh -c 'echo $$; sleep 1000'; :")) {
                LaunchedProcess agent = Launch.of("sh", "-c", script).start();
                agents.add(agent);
                System.out.println(agent.transport().reader().read());
            }
            switch (arguments[0]) {
                case "exit" -> System.exit(agents.size());
                case "throw" -> throw new IllegalStateException("on purpose");
                case "wait" -> agents.get(0).transport().reader().read();
                default -> {}
            }
        }
    }

    @Test
    @Tag("CLS-27")
    @Tag("PRC-16")
    void agentsAreEndedWhenTheProgramEnds() throws Exception {
        for (String how : List.of("return", "exit", "throw")) {
            LaunchedProcess program = start(how);
            List<ProcessHandle> agents = agentsOf(program);

            @Nullable Message end;
            try {
                end = program.transport().reader().read();
            } catch (LaunchException e) {
                end = null;
            }

            assertThat(end).isNull();
            for (ProcessHandle agent : agents) {
                assertThat(isRunning(agent)).as(how).isFalse();
            }
        }
    }

    /** Starts many commands that ignore SIGTERM, tells their process numbers, and exits. */
    static final class StubbornTrees {
        private StubbornTrees() {}

        public static void main(String[] arguments) throws Exception {
            List<Long> pids = new ArrayList<>();
            for (int i = 0; i < TREES; i++) {
                ProcessBuilder command = new ProcessBuilder("sh", "-c", "trap '' TERM; echo; sleep 1000 & sleep 1000");
                Process root = ProcessTree.start(command).root();
                // The trap is set.
                int unused = root.getInputStream().read();
                pids.add(root.pid());
            }
            System.out.println(pids);
        }
    }

    @Test
    @Tag("CLS-27")
    @Timeout(30)
    void manyStubbornTreesAreEndedInAboutTheTimeOfOne() throws Exception {
        LaunchedProcess program = TestPrograms.launch(StubbornTrees.class)
                .shutdownTimes(Duration.ofSeconds(30), Duration.ofSeconds(30))
                .start();
        Message pids = Objects.requireNonNull(program.transport().reader().read());

        @Nullable Message end = program.transport().reader().read();

        assertThat(end).isNull();
        for (JsonValue pid : ((JsonArray) pids.raw().value()).elements()) {
            assertThat(ProcessHandle.of(Long.parseLong(pid.toString())))
                    .matches(root -> root.isEmpty() || !isRunning(root.get()));
        }
    }

    @Test
    @Tag("CLS-27")
    void agentsAreEndedWhenTheProgramIsTerminated() throws Exception {
        LaunchedProcess program = start("wait");
        List<ProcessHandle> agents = agentsOf(program);

        ProcessHandle.of(program.pid()).orElseThrow().destroy();

        assertThatThrownBy(() -> program.transport().reader().read()).isInstanceOf(LaunchException.class);
        for (ProcessHandle agent : agents) {
            assertThat(isRunning(agent)).isFalse();
        }
    }

    /** Starts a command that ignores SIGTERM and a daemon, and tells their process numbers. */
    static final class Commands {
        private Commands() {}

        public static void main(String[] arguments) throws Exception {
            for (String script : List.of(
                    "trap '' TERM; echo $$; while :; do sleep 1000; done",
                    "setsid sh -c 'echo $$; exec sleep 1000 </dev/null >/dev/null 2>&1' & wait")) {
                Process root = ProcessTree.start(new ProcessBuilder("sh", "-c", script))
                        .root();
                System.out.println(root.inputReader().readLine());
            }
            System.in.transferTo(System.out);
        }
    }

    @Test
    @Tag("CLS-27")
    @EnabledOnOs(OS.LINUX)
    void commandsAreEndedWhenTheProgramIsKilled() throws Exception {
        LaunchedProcess program = TestPrograms.launch(Commands.class)
                .shutdownTimes(Duration.ofSeconds(30), Duration.ofSeconds(30))
                .start();
        List<ProcessHandle> commands = agentsOf(program);

        ProcessHandle.of(program.pid()).orElseThrow().destroyForcibly();

        for (ProcessHandle command : commands) {
            assertThat(Poll.until(() -> !isRunning(command))).isTrue();
        }
    }

    /** Starts a command whose first act is to kill its program. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            ProcessTree.start(
                    new ProcessBuilder("sh", "-c", "kill -KILL $PPID; echo $$ >" + arguments[0] + "; exec sleep 1000"));
            System.in.transferTo(System.out);
        }
    }

    @Test
    @Tag("CLS-27")
    @EnabledOnOs(OS.LINUX)
    void theFirstCommandIsEndedWhenTheProgramIsKilledAsSoonAsItExists(@TempDir Path folder) throws Exception {
        Path pid = folder.resolve("pid");
        LaunchedProcess program =
                TestPrograms.launch(Victim.class, pid.toString()).start();

        assertThatThrownBy(() -> program.transport().reader().read()).isInstanceOf(LaunchException.class);
        assertThat(Poll.until(() -> Files.exists(pid) && !contents(pid).isEmpty()))
                .isTrue();
        long command = Long.parseLong(contents(pid).strip());

        assertThat(Poll.until(() -> LinuxProcesses.isDead(command))).isTrue();
        program.close();
    }

    private static String contents(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The program is not ended by us: its own hook must do it. */
    private static LaunchedProcess start(String how) throws Exception {
        return TestPrograms.launch(Program.class, how)
                .shutdownTimes(Duration.ofSeconds(30), Duration.ofSeconds(30))
                .start();
    }

    private static List<ProcessHandle> agentsOf(LaunchedProcess program) throws Exception {
        List<ProcessHandle> agents = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Message line = Objects.requireNonNull(program.transport().reader().read());
            agents.add(ProcessHandle.of(Long.parseLong(line.toString())).orElseThrow());
        }
        return agents;
    }

    private static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && !(LinuxProcesses.AVAILABLE && LinuxProcesses.isDead(process.pid()));
    }
}
