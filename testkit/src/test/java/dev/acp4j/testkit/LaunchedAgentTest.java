package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.process.FailureReport;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client and an agent in a process of its own: what the user of the library learns when the agent misbehaves. */
@Timeout(120)
@ExtendWith(LeakRule.class)
class LaunchedAgentTest {
    /** A second where nothing else runs, and less than any time limit that could have ended the wait. */
    private static final Duration SOON = Duration.ofSeconds(4);

    private static final Path HERE = Path.of("").toAbsolutePath();

    private static List<String> command() {
        String java = ProcessHandle.current().info().command().orElse("java");
        return List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                TestAgentProgram.class.getName());
    }

    private static Launch testAgent() {
        List<String> command = command();
        return Launch.of(command.get(0), command.subList(1, command.size()));
    }

    private static Launch shell(String script) {
        return Launch.of("sh", "-c", script);
    }

    private static Client.Builder client() {
        return Client.builder("test", "1").startTimeout(Duration.ofSeconds(60));
    }

    private static ProcessFailedException failure(Launch launch, Client.Builder client) {
        return catchThrowableOfType(
                ProcessFailedException.class, () -> client.connect(launch).close());
    }

    @Test
    void aTurnThroughAProcess() throws Exception {
        try (ConnectedAgent agent = client().connect(testAgent())) {
            assertThat(agent.newSession(HERE).prompt("say hello").text()).isEqualTo("hello");
        }
    }

    @Test
    @Tag("CLS-02")
    void anAgentThatIsKilledInTheMiddleOfATurnIsReportedWithinASecond() throws Exception {
        try (ConnectedAgent agent = client().connect(testAgent())) {
            Session session = agent.newSession(HERE);
            Turn turn = session.prompt("say working\nwait");
            turn.iterator().next();
            long killed = System.nanoTime();
            ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);

            ProcessFailedException failure = catchThrowableOfType(ProcessFailedException.class, turn::result);

            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(SOON);
            assertThat(failure.report().phase()).isEqualTo("session/prompt");
            assertThat(failure).hasMessageContaining("SIGKILL");
            assertThat(failure.report().frames()).isNotEmpty();
        }
    }

    @Test
    @Tag("CLS-02")
    void aQuestionIsWithdrawnAndTheConnectionEndsWithinASecondWhenTheAgentIsKilled() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch withdrawn = new CountDownLatch(1);
        Client.Builder client = client().onPermission(request -> {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                withdrawn.countDown();
            }
            return request.cancelled();
        });
        try (ConnectedAgent agent = client.connect(testAgent())) {
            Turn turn = agent.newSession(HERE).prompt("ask Edit");
            asked.await();
            long killed = System.nanoTime();
            ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);

            ProcessFailedException failure = catchThrowableOfType(ProcessFailedException.class, turn::result);
            withdrawn.await();
            agent.awaitClosed();

            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(SOON);
            assertThat(failure).hasMessageContaining("SIGKILL");
        }
    }

    @Test
    @Tag("PRC-12")
    void anAgentThatWasEndedHereIsNotSaidToHaveBeenKilledByTheSystem() {
        ProcessFailedException failure = failure(
                shell("exec >&-; sleep 1000").shutdownTimes(Duration.ofMillis(100), Duration.ofMillis(100)), client());

        assertThat(failure.report().problem())
                .isEqualTo("it closed its standard output but kept running, and was ended here");
        assertThat(failure.report().exit()).isNull();
        assertThat(failure.report().likelyCause()).startsWith("The agent closed its standard output");
    }

    @Test
    @Tag("FRM-27")
    void aBannerBeforeTheFirstMessageIsReportedAndDoesNoHarm() throws Exception {
        List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
        String script = "echo 'Welcome to the agent!'; exec \"$@\"";
        List<String> arguments = new ArrayList<>(List.of("-c", script, "sh"));
        arguments.addAll(command());

        try (ConnectedAgent agent = client().onProblem(problems::add).connect(Launch.of("sh", arguments))) {
            assertThat(agent.newSession(HERE).prompt("say hello").text()).isEqualTo("hello");
        }

        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(Problem.Kind.NOISE);
            assertThat(problem.detail()).isEqualTo("Welcome to the agent!");
        });
    }

    @Test
    void whatIsKnownOfAnAgentThatLivesCanBeReported() throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        List<String> arguments =
                new ArrayList<>(List.of("-c", "echo Welcome; echo 'building the index' >&2; exec \"$@\"", "sh"));
        arguments.addAll(command());

        try (ConnectedAgent agent = client().connect(Launch.of("sh", arguments).onStderr(line -> said.countDown()))) {
            said.await();
            FailureReport report = agent.report("session/new");

            assertThat(report.phase()).isEqualTo("session/new");
            assertThat(report.stderr()).contains("building the index");
            assertThat(report.noise()).containsExactly("Welcome");
            assertThat(report.frames()).extracting(Message.Summary::sent).contains(true, false);
            assertThat(report.exit()).isNull();
        }
    }

    @Test
    void anAgentThatIsNotThere() {
        ProcessFailedException failure = failure(Launch.of("no-such-agent-anywhere"), client());

        assertThat(failure).hasMessageContaining("command not found: no-such-agent-anywhere");
        assertThat(failure.report().phase()).isEqualTo("starting");
    }

    @Test
    void aFolderThatIsNotThere() {
        ProcessFailedException failure = failure(testAgent().cwd(Path.of("/no/such/folder")), client());

        assertThat(failure).hasMessageContaining("/no/such/folder");
    }

    @Test
    @Tag("PRC-08")
    void anAgentThatDiesAtOnceIsReportedWithItsLastWords() {
        ProcessFailedException failure = failure(shell("echo 'cannot find module x' >&2; exit 7"), client());

        assertThat(failure.report().exit()).hasToString("exit code 7");
        assertThat(failure.report().stderr()).contains("cannot find module x");
        assertThat(failure.report().phase()).isEqualTo("initialize");
    }

    /** An agent that answers initialize and session/new, and does this when it is prompted. */
    private static Launch prompted(String script) {
        return shell("""
                next() { read -r line; id=$(printf %s "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/'); }
                says() { printf '{"jsonrpc":"2.0",%s}\\n' "$1"; }
                next; says "\\"id\\":$id,\\"result\\":{\\"protocolVersion\\":1}"
                next; says "\\"id\\":$id,\\"result\\":{\\"sessionId\\":\\"s\\"}"
                next
                """ + script);
    }

    @Test
    @Tag("PRC-10")
    void anErrorThatWasAnsweredIsToldAndNotTheExitAfterIt() throws Exception {
        String script = """
                says "\\"id\\":$id,\\"error\\":{\\"code\\":-32603,\\"message\\":\\"the model is down\\"}"
                exit 3
                """;
        try (ConnectedAgent agent = client().connect(prompted(script))) {
            Session session = agent.newSession(HERE);
            Turn turn = session.prompt("hello");
            agent.awaitClosed();

            assertThatThrownBy(turn::result).isInstanceOf(RpcError.class).hasMessageContaining("the model is down");
            assertThatThrownBy(() -> session.prompt("again").result())
                    .isInstanceOf(ProcessFailedException.class)
                    .hasMessageContaining("exit code 3");
        }
    }

    @Test
    @Tag("PRC-11")
    void anAgentThatEndsCleanlyDoesNotStopWhatRunsHere() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean undisturbed = new AtomicBoolean();
        String script = """
                says "\\"method\\":\\"_last\\""
                says "\\"id\\":$id,\\"result\\":{\\"stopReason\\":\\"end_turn\\"}"
                """;
        Client.Builder client = client().onNotification("_last", (connection, params) -> {
            ended.await();
            undisturbed.set(!Thread.currentThread().isInterrupted());
        });
        try (ConnectedAgent agent = client.connect(prompted(script))) {
            Turn turn = agent.newSession(HERE).prompt("hello");
            ProcessHandle.current().children().forEach(child -> child.onExit().join());
            ended.countDown();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(undisturbed).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void anAgentThatNeverAnswersIsEnded() {
        ProcessFailedException failure =
                failure(shell("sleep 1000 & sleep 1000"), client().startTimeout(Duration.ofMillis(300)));

        assertThat(failure).hasMessageContaining("no answer within");
    }

    @Test
    void anAgentWhoseMessageHasNoLineFeedIsToldFromASilentOne() {
        ProcessFailedException failure =
                failure(shell("printf 12345; exec sleep 1000"), client().startTimeout(Duration.ofSeconds(2)));

        assertThat(failure.report().noise())
                .containsExactly(
                        "(5 bytes without a line feed: a message is one line, in UTF-8, and ends with a line feed)");
    }

    @Test
    void aProgramThatPrintsSomethingElseIsNamed() {
        ProcessFailedException failure = failure(shell("echo usage: tool FILE; exit 2"), client());

        assertThat(failure.report().noise()).containsExactly("usage: tool FILE");
    }
}
