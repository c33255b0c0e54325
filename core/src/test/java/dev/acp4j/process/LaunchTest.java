package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.Message;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LaunchTest {
    @Test
    @Tag("PRC-18")
    void aMissingCommandIsOneClearLine() {
        assertThatThrownBy(() -> Launch.of("no-such-agent", "--acp").start())
                .isInstanceOf(LaunchException.class)
                .hasMessageStartingWith("command not found: no-such-agent. Looked in: ")
                .hasMessageEndingWith(". Install no-such-agent or give its full path.");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void theProgramIsTheFileThatTheSearchPathLeadsTo(@TempDir Path directory) throws Exception {
        Path agent = Files.createFile(directory.resolve("agent"));
        assertThat(agent.toFile().setExecutable(true)).isTrue();

        assertThat(Launch.of("agent", "--acp").env("PATH", directory.toString()).program())
                .isEqualTo(agent);
        assertThatThrownBy(() ->
                        Launch.of("other").env("PATH", directory.toString()).program())
                .isInstanceOf(LaunchException.class)
                .hasMessageStartingWith("command not found: other.");
    }

    @Test
    @Tag("PRC-18")
    void aMissingWorkingDirectoryIsNamed(@TempDir Path directory) throws Exception {
        Path missing = directory.resolve("missing");
        Path file = Files.createFile(directory.resolve("file"));

        assertThatThrownBy(() -> Launch.of("cat").cwd(missing).start())
                .hasMessage("cannot start cat: the working directory " + missing + " does not exist.");
        assertThatThrownBy(() -> Launch.of("cat").cwd(file).start())
                .hasMessage("cannot start cat: the working directory " + file + " is not a directory.");
    }

    @Test
    @Tag("PRC-18")
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void aScriptWithoutItsInterpreterIsExplained(@TempDir Path directory) throws Exception {
        Path script = Files.writeString(directory.resolve("script"), "#!/no/such/interpreter -x\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();

        assertThatThrownBy(() -> Launch.of(script.toString()).start())
                .hasMessage(
                        "cannot start " + script
                                + ": its first line asks for /no/such/interpreter, which does not exist. Install it, or correct that line.");
    }

    @Test
    @Tag("PRC-03")
    @Tag("PRC-04")
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void commandArgumentsDirectoryAndVariablesArriveAsGiven(@TempDir Path directory) throws Exception {
        Path script = Files.writeString(
                directory.resolve("my agent"), "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" \"$PWD\" \"$MODE\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();

        assertThat(output(Launch.of(script.toString(), "an argument")
                        .cwd(directory)
                        .env("MODE", "fast mode")))
                .isEqualTo("1\nan argument\n" + directory.toRealPath() + "\nfast mode\n");
    }

    @Test
    @Tag("PRC-04")
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void theEnvironmentIsFilteredExtendedOrInheritedWhole() throws Exception {
        Launch env = Launch.of("env");

        assertThat(names(env)).contains("PATH", "ACP4J_LAUNCH");
        assertThat(names(env.inheritOnly())).containsExactly("ACP4J_LAUNCH");
        assertThat(names(env.inheritOnly("path").env("A", "1"))).containsExactly("A", "ACP4J_LAUNCH", "PATH");
        Set<String> all = new TreeSet<>(System.getenv().keySet());
        all.add("ACP4J_LAUNCH");
        assertThat(names(env.inheritAll())).isEqualTo(all);
        assertThat(env.inheritOnly().env("A", "1").environment()).isEqualTo(Map.of("A", "1"));
    }

    @Test
    @Tag("PRC-04")
    void aVariableThatIsMissedIsFoundInWhatTheAgentSays() {
        Launch launch = Launch.of("agent").inheritOnly();

        assertThat(launch.withheldVariablesIn("error: PATH is not set")).containsExactly("PATH");
        assertThat(launch.withheldVariablesIn("error: MYPATH and PATHS are not set"))
                .isEmpty();
        assertThat(launch.env("PATH", "/bin").withheldVariablesIn("bad PATH")).isEmpty();
        assertThat(launch.inherit("PATH").withheldVariablesIn("bad PATH")).isEmpty();
    }

    @Test
    void aLaunchIsNotChangedByItsCopies() {
        Launch launch = Launch.of("agent", "-a");

        Launch changed = launch.cwd(Path.of("x"))
                .env("A", "1")
                .withArguments("-b")
                .messageBytes(10)
                .inheritAll()
                .inherit("B")
                .shutdownTimes(Duration.ZERO, Duration.ZERO)
                .onStderr(line -> {});

        assertThat(launch).hasToString("Launch[agent -a]");
        assertThat(launch.cwd()).isNull();
        assertThat(changed).hasToString("Launch[agent -a -b, cwd=x, env=[A]]");
    }

    @Test
    @Tag("PRC-19")
    void secretsAreNotShown() {
        Launch launch = Launch.of(
                        "agent",
                        "--api-key",
                        "abc",
                        "--token=def",
                        "-e",
                        "MY_SECRET=ghi",
                        "https://u:jkl@host/x",
                        "--acp")
                .env("PASSWORD", "mno");

        assertThat(launch)
                .hasToString("Launch[agent --api-key *** --token=*** -e MY_SECRET=*** https://***@host/x --acp,"
                        + " env=[PASSWORD]]");
        assertThat(launch.commandLine()).doesNotContain("abc", "def", "ghi", "jkl", "mno");
    }

    @Test
    void nonsenseIsRefused() {
        Launch launch = Launch.of("agent");

        assertThatThrownBy(() -> Launch.of(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> launch.env("A=B", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> launch.inherit("A=B")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> launch.messageBytes(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> launch.shutdownTimes(Duration.ofSeconds(-1), Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Tag("PRC-16")
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void aThreadThatIsInterruptedBeforehandStartsNothing(@TempDir Path directory) {
        Path trace = directory.resolve("trace");
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Launch.of("touch", trace.toString()).start()).isInstanceOf(InterruptedException.class);

        assertThat(trace).doesNotExist();
    }

    @Test
    @Tag("PRC-16")
    @Tag("CLS-26")
    @EnabledOnOs(OS.LINUX)
    void interruptingStartersAtAnyMomentLeavesNothingBehind() throws Exception {
        try (ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
            for (int round = 0; round < 40; round++) {
                FutureTask<Void> starting = new FutureTask<>(() -> {
                    try (LaunchedProcess agent = wrapper().start()) {
                        agent.transport();
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        // That is the test.
                    }
                    return null;
                });
                Thread starter = Thread.ofPlatform().start(starting);

                Future<?> interrupting = clock.schedule(starter::interrupt, round * 200L, TimeUnit.MICROSECONDS);
                interrupting.get(30, TimeUnit.SECONDS);
                starting.get(30, TimeUnit.SECONDS);
            }
        }

        Leftovers.assertNoChildren();
    }

    @Test
    @Tag("CLS-26")
    @Tag("PRC-15")
    @EnabledOnOs(OS.LINUX)
    void twoHundredStartsAndKillsLeaveNoProcessThreadOrDescriptor() throws Exception {
        startAndKill();
        int descriptors = descriptors();

        for (int i = 0; i < 200; i++) {
            startAndKill();
        }

        Leftovers.assertNoChildren();
        Leftovers.assertNoThreads();
        assertThat(descriptors()).isLessThanOrEqualTo(descriptors + 5);
    }

    private static void startAndKill() throws Exception {
        LaunchedProcess agent = wrapper().start();
        agent.transport().reader().read();
        agent.close();
        assertThat(agent.ending()).map(ProcessTree.Ending::isComplete).contains(true);
    }

    /** A shell that runs another process and waits for it. */
    private static Launch wrapper() {
        return Launch.of("sh", "-c", "echo 1; sleep 1000; :").shutdownTimes(Duration.ZERO, Duration.ofSeconds(5));
    }

    private static int descriptors() {
        String[] names = new File("/proc/self/fd").list();
        return names == null ? 0 : names.length;
    }

    private static Set<String> names(Launch env) throws Exception {
        Set<String> names = new TreeSet<>();
        output(env)
                .lines()
                .filter(line -> line.indexOf('=') > 0)
                .forEach(line -> names.add(line.substring(0, line.indexOf('='))));
        return names;
    }

    private static String output(Launch launch) throws Exception {
        StringBuilder lines = new StringBuilder();
        try (LaunchedProcess agent = launch.start()) {
            @Nullable Message line = agent.transport().reader().read();
            while (line != null) {
                lines.append(Objects.requireNonNull(line)).append('\n');
                line = agent.transport().reader().read();
            }
        }
        return lines.toString();
    }
}
