package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class LaunchedProcessTest {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(30);
    /** Ignores the end of its input and the request to terminate. */
    private static final String STUBBORN = "trap '' TERM; echo $$; while :; do sleep 10; done";

    private @Nullable LaunchedProcess started;

    @AfterEach
    void endIt() {
        if (started != null) {
            Thread.interrupted();
            started.close();
        }
    }

    @Test
    void theBytesOfStandardOutputAreHeardAsTheyCame() throws Exception {
        StringBuilder heard = new StringBuilder();
        Transport transport = start(launch("printf '\\n1\\r\\n2'")
                        .onStdout(bytes -> heard.append(new String(bytes, StandardCharsets.UTF_8))))
                .transport();

        assertThat(transport.reader().read()).hasToString("1");
        assertThat(transport.reader().read()).hasToString("2");
        assertThat(transport.reader().read()).isNull();
        assertThat(heard).hasToString("\n1\r\n2");
    }

    @Test
    @Tag("CLS-01")
    @Tag("PRC-09")
    void exitCodeZeroIsACleanEnd() throws Exception {
        Transport transport = start("echo 1; echo done >&2").transport();

        assertThat(transport.reader().read()).hasToString("1");
        assertThat(transport.reader().read()).isNull();
        assertThat(transport.reader().read()).isNull();
        assertThat(agent().exit()).contains(new ExitStatus(0));
    }

    @Test
    @Tag("CLS-01")
    @Tag("PRC-07")
    @Tag("PRC-09")
    void anotherExitCodeIsAFailureWithTheEndOfStderrAfterWhatWasWritten() throws Exception {
        Transport transport = start("echo 1; echo first >&2; echo 'no config' >&2; printf 2; exit 3")
                .transport();

        assertThat(transport.reader().read()).hasToString("1");
        assertThat(transport.reader().read()).hasToString("2");
        assertThatThrownBy(() -> transport.reader().read()).isInstanceOfSatisfying(LaunchException.class, e -> {
            assertThat(e.exit()).contains(new ExitStatus(3));
            assertThat(e.stderr()).isEqualTo("first\nno config\n");
            assertThat(e).hasMessageEndingWith(" ended with exit code 3; its last line was: no config");
        });
    }

    @Test
    @Tag("PRC-08")
    void anExitBeforeAnythingWasReadIsReportedWithCodeAndStderr() throws Exception {
        LaunchedProcess agent = start("echo 'node: command not found' >&2; exit 127");
        agent.transport();

        assertThatThrownBy(() -> agent.transport().reader().read()).isInstanceOf(LaunchException.class);

        FailureReport report = agent.report("initialize");
        assertThat(report.exit()).isEqualTo(new ExitStatus(127));
        assertThat(report.summary())
                .startsWith("agent failed at startup (initialize): sh -c ")
                .contains("exit code 127")
                .contains("was not found");
    }

    @Test
    void beingKilledIsNoticedAtOnce() throws Exception {
        Transport transport = start("echo $$; exec sleep 1000").transport();
        ProcessHandle process = processIn(transport.reader().read());
        FutureTask<@Nullable Message> reading =
                new FutureTask<>(() -> transport.reader().read());
        Thread.ofPlatform().start(reading);

        process.destroyForcibly();

        assertThatThrownBy(() -> reading.get(900, TimeUnit.MILLISECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        LaunchException.class,
                        e -> assertThat(e.exit().orElseThrow().signal()).contains("SIGKILL"));
    }

    @Test
    @Tag("PRC-17")
    void aBrokenPipeIsExplainedByTheExit() throws Exception {
        Transport transport = start("echo broken >&2; exit 5").transport();

        IOException failure = catchThrowableOfType(IOException.class, () -> writeForEver(transport));

        assertThat(transport.explain(failure)).isInstanceOfSatisfying(LaunchException.class, e -> {
            assertThat(e).hasCause(failure);
            assertThat(e.exit()).contains(new ExitStatus(5));
            assertThat(e.stderr()).isEqualTo("broken\n");
        });
    }

    @Test
    @Tag("PRC-14")
    @Tag("CLS-28")
    void closingWaitsForAnAgentThatExitsAtTheEndOfItsInput() throws Exception {
        LaunchedProcess agent = start(launch("cat; exit 7").shutdownTimes(LONG, LONG));

        agent.close();

        assertThat(agent.exit()).contains(new ExitStatus(7));
        assertThat(agent.ending()).contains(new ProcessTree.Ending(ProcessTree.Step.WAITED, List.of()));
        assertThat(agent.transport().reader().read()).isNull();
    }

    @Test
    @Tag("PRC-14")
    void anAgentThatIgnoresTheEndOfItsInputIsTerminated() throws Exception {
        LaunchedProcess agent = start(launch("exec sleep 1000").shutdownTimes(SHORT, LONG));

        agent.close();

        assertThat(agent.exit().flatMap(ExitStatus::signal)).contains("SIGTERM");
        assertThat(agent.ending()).contains(new ProcessTree.Ending(ProcessTree.Step.TERMINATED, List.of()));
    }

    @Test
    @Tag("PRC-14")
    void anAgentThatIgnoresEverythingIsKilled() throws Exception {
        LaunchedProcess agent = start(launch(STUBBORN).shutdownTimes(SHORT, SHORT));
        agent.transport().reader().read();

        agent.close();

        assertThat(agent.exit().flatMap(ExitStatus::signal)).contains("SIGKILL");
        assertThat(agent.ending()).contains(new ProcessTree.Ending(ProcessTree.Step.KILLED, List.of()));
    }

    @Test
    @Tag("PRC-15")
    void theAgentBehindAWrapperIsEndedToo() throws Exception {
        LaunchedProcess agent = start(launch("sh -c \"trap '' TERM; echo \\$\\$; while :; do sleep 10; done\"; :")
                .shutdownTimes(SHORT, SHORT));
        ProcessHandle leaf = processIn(agent.transport().reader().read());
        assertThat(leaf.pid()).isNotEqualTo(agent.pid());

        agent.close();

        assertThat(isRunning(leaf)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sleep 1000 &", "setsid sleep 1000 &", "sh -c 'sleep 1000; :' &"})
    @Tag("PRC-15")
    void whatALauncherLeavesOnThePipesIsEndedAndTheStreamEnds(String left) throws Exception {
        LaunchedProcess agent = start(launch(left + " echo $!; exit 0").shutdownTimes(LONG, LONG));
        ProcessHandle child = processIn(agent.transport().reader().read());

        assertThat(agent.transport().reader().read()).isNull();
        agent.close();

        assertThat(isRunning(child)).isFalse();
        assertThat(agent.exit()).contains(new ExitStatus(0));
    }

    @Test
    @Tag("PRC-15")
    void whatALauncherLeavesInTheBackgroundIsEnded() throws Exception {
        LaunchedProcess agent = start("sleep 1000 </dev/null >/dev/null 2>&1 & echo $!");
        ProcessHandle child = processIn(agent.transport().reader().read());
        assertThat(agent.transport().reader().read()).isNull();

        agent.close();

        assertThat(isRunning(child)).isFalse();
    }

    @Test
    @Tag("PRC-15")
    void aDaemonThatWentItsOwnWayIsLeftAlone() throws Exception {
        LaunchedProcess agent =
                start("setsid sh -c 'echo $$; exec sleep 1000 </dev/null >/dev/null 2>&1' & wait $!; exit 0");
        Message line = agent.transport().reader().read();
        ProcessHandle launcher = ProcessHandle.of(agent.pid()).orElseThrow();
        ProcessHandle daemon = processIn(line);
        launcher.destroyForcibly();
        assertThatThrownBy(() -> agent.transport().reader().read()).isInstanceOf(LaunchException.class);

        agent.close();

        assertThat(daemon.isAlive()).isTrue();
        daemon.destroyForcibly();
    }

    @Test
    @Tag("PRC-12")
    void anAgentThatClosesItsOutputAndStaysIsEnded() throws Exception {
        LaunchedProcess agent = start(launch("exec sleep 1000 >&-").shutdownTimes(SHORT, SHORT));

        assertThatThrownBy(() -> agent.transport().reader().read())
                .isInstanceOf(LaunchException.class)
                .hasMessageContaining("closed its standard output but kept running");
        assertThat(agent.isAlive()).isFalse();
    }

    @Test
    @Tag("PRC-12")
    void anAgentThatClosesItsOutputAndExitsAtTheEndOfItsInputEndsCleanly() throws Exception {
        LaunchedProcess agent =
                start(launch("exec >&-; while read line; do :; done; exit 0").shutdownTimes(LONG, LONG));

        assertThat(agent.transport().reader().read()).isNull();
        assertThat(agent.exit()).contains(new ExitStatus(0));
    }

    @Test
    @Tag("PRC-13")
    void closingEndsAWriteThatTheAgentDoesNotRead() throws Exception {
        LaunchedProcess agent = start(launch("echo 1; exec sleep 1000").shutdownTimes(SHORT, SHORT));
        agent.transport().reader().read();
        FutureTask<Void> writing = new FutureTask<>(() -> writeForEver(agent.transport()));
        Thread.ofPlatform().start(writing);

        agent.close();

        assertThatThrownBy(() -> writing.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void whatAnAgentWritesWhileItIsBeingClosedDoesNotHoldItUp() throws Exception {
        LaunchedProcess agent = start(launch("echo 1; cat; head -c 1000000 /dev/zero | tr '\\0' '\\n'; exit 9")
                .shutdownTimes(LONG, LONG));
        agent.transport().reader().read();
        FutureTask<@Nullable Message> reading =
                new FutureTask<>(() -> agent.transport().reader().read());
        Thread.ofPlatform().start(reading);

        agent.close();

        assertThat(reading.get(30, TimeUnit.SECONDS)).isNull();
        assertThat(agent.exit()).contains(new ExitStatus(9));
    }

    @Test
    void interruptingTheOneWhoClosesHurriesIt() throws Exception {
        LaunchedProcess agent = start(launch(STUBBORN).shutdownTimes(Duration.ofHours(1), Duration.ofHours(1)));
        agent.transport().reader().read();

        Thread.currentThread().interrupt();
        agent.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(agent.exit().flatMap(ExitStatus::signal)).contains("SIGKILL");
    }

    @Test
    @Tag("CLS-21")
    void severalThreadsMayClose() throws Exception {
        LaunchedProcess agent = start(launch("exec sleep 1000").shutdownTimes(SHORT, SHORT));
        FutureTask<Boolean> other = new FutureTask<>(() -> {
            agent.transport().close();
            return agent.isAlive();
        });
        Thread.ofVirtual().start(other);

        agent.close();

        assertThat(other.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(agent.isAlive()).isFalse();
    }

    @Test
    @Tag("PRC-06")
    @Tag("SEC-01")
    void aFloodOnStderrBlocksNothing() throws Exception {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        LaunchedProcess agent = start(
                launch("head -c 10000000 /dev/zero | tr '\\0' x >&2; echo 1").onStderr(lines::add));

        assertThat(agent.transport().reader().read()).hasToString("1");
        assertThat(agent.transport().reader().read()).isNull();

        String line = lines.poll(30, TimeUnit.SECONDS);
        assertThat(line).hasSizeLessThan(9000).endsWith("x … [9991808 more bytes]");
        assertThat(agent.stderr()).hasSize(64 * 1024);
    }

    @Test
    @Tag("PRC-07")
    void stderrLinesReachTheListenerAndAFailingListenerStopsNothing() throws Exception {
        CompletableFuture<String> first = new CompletableFuture<>();
        LaunchedProcess agent = start(launch("echo one >&2; echo two >&2; cat").onStderr(line -> {
            first.complete(line);
            throw new IllegalStateException("on purpose");
        }));
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {});

        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("one");
        agent.close();
        Thread.setDefaultUncaughtExceptionHandler(null);

        assertThat(agent.stderr()).isEqualTo("one\ntwo\n");
    }

    @Test
    @Tag("PRC-19")
    void secretsOfTheEnvironmentAreNotInReports() throws Exception {
        LaunchedProcess agent =
                start(launch("echo \"bad key: $MY_API_KEY\" >&2; exit 1").env("MY_API_KEY", "sk-123456789"));

        assertThatThrownBy(() -> agent.transport().reader().read())
                .hasMessageContaining("bad key: ***")
                .hasMessageNotContaining("sk-123456789");
        assertThat(agent.report("initialize").toString()).doesNotContain("sk-123456789");
        assertThat(agent.toString()).doesNotContain("sk-123456789");
    }

    private LaunchedProcess start(String script) throws Exception {
        return start(launch(script));
    }

    private LaunchedProcess start(Launch launch) throws Exception {
        started = launch.start();
        return started;
    }

    private LaunchedProcess agent() {
        return Objects.requireNonNull(started);
    }

    private static Launch launch(String script) {
        return Launch.of("sh", "-c", script).shutdownTimes(SHORT, SHORT);
    }

    private static ProcessHandle processIn(@Nullable Message line) {
        return ProcessHandle.of(Long.parseLong(Objects.requireNonNull(line).toString()))
                .orElseThrow();
    }

    private static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && !(LinuxProcesses.AVAILABLE && LinuxProcesses.isDead(process.pid()));
    }

    private static Void writeForEver(Transport transport) throws IOException {
        while (true) {
            transport.writer().write(Message.parse(RawJson.string("x".repeat(10_000))));
            transport.writer().flush();
        }
    }
}
