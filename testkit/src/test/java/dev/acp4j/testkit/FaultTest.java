package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(300)
@ExtendWith(LeakRule.class)
class FaultTest {
    private static final Path HERE = Path.of("").toAbsolutePath();
    private static final String PROMPT = "say Grüße 😀\nthink so\nask Edit\ntool Look\nplan a,b";
    private static final String ANSWER = "Grüße 😀allowed";

    /** One whole turn; returns the text of the answer. */
    private static String converse(Fault toClient, Fault toAgent) throws Exception {
        try (Transports ends = Transports.overBytes(toClient, toAgent);
                ConnectedClient served = serve(ends)) {
            assertThat(served.isOpen()).isTrue();
            return ask(ends);
        }
    }

    private static ConnectedClient serve(Transports ends) {
        return TestAgent.builder().onProblem(problem -> {}).build().connect(ends.agent());
    }

    private static String ask(Transports ends) throws Exception {
        try (ConnectedAgent agent = Client.builder("test", "1")
                .onPermission(request -> request.allowOnce())
                .onProblem(problem -> {})
                .connect(ends.client())) {
            return agent.newSession(HERE).prompt(PROMPT).text();
        }
    }

    static Stream<Named<Fault>> harmless() {
        AtomicInteger count = new AtomicInteger();
        return Stream.of(
                Named.of("single bytes", Fault.pieces(1)),
                Named.of("pieces of seven bytes", Fault.pieces(7)),
                Named.of("lines that end with CR LF", Fault.lines(line -> List.of(line + "\r\n"))),
                Named.of(
                        "CR LF split",
                        Fault.lines(line -> List.of(line + "\r\n")).then(Fault.pieces(1))),
                Named.of("blank lines", Fault.lines(line -> List.of("\n", "  \n", line + "\n", "\r\n"))),
                Named.of("a byte order mark", Fault.before("\ufeff")),
                Named.of("a banner", Fault.before("Welcome!\nTo this agent.\n")),
                Named.of("a log line before each message", Fault.lines(line -> List.of("[info] x\n", line + "\n"))),
                Named.of("scalars and arrays", Fault.lines(line -> List.of("7\n\"x\"\n[]\n[{}]\nnull\n", line + "\n"))),
                Named.of(
                        "half messages between whole ones",
                        Fault.lines(line -> List.of("{\"jsonrpc\":\n", line + "\n"))),
                Named.of(
                        "answers to nobody",
                        Fault.lines(line -> List.of(
                                "{\"jsonrpc\":\"2.0\",\"id\":\"x" + count.incrementAndGet() + "\",\"result\":{}}\n",
                                line + "\n"))),
                Named.of("deep nesting", Fault.before("[".repeat(100_000) + "\n")));
    }

    @ParameterizedTest
    @MethodSource("harmless")
    @Tag("TST-02")
    @Tag("FRM-01")
    @Tag("FRM-10")
    void aTurnSurvivesWhatPipesAndAgentsDo(Fault fault) throws Exception {
        assertThat(converse(fault, Fault.NONE)).isEqualTo(ANSWER);
    }

    @ParameterizedTest
    @MethodSource("harmless")
    @Tag("TST-02")
    void anAgentSurvivesWhatPipesAndClientsDo(Fault fault) throws Exception {
        assertThat(converse(Fault.NONE, fault)).isEqualTo(ANSWER);
    }

    @Test
    @Tag("ENV-10")
    void answersThatComeTwiceCountOnce() throws Exception {
        assertThat(converse(Fault.lines(FaultTest::answersTwice), Fault.NONE)).isEqualTo(ANSWER);
    }

    private static List<String> answersTwice(String line) {
        boolean answer = line.contains("\"result\"");
        return answer ? List.of(line + "\n", line + "\n") : List.of(line + "\n");
    }

    /** Changes nothing. */
    private static Fault counting(AtomicLong bytes) {
        return Fault.lines(line -> {
            bytes.addAndGet(line.getBytes(StandardCharsets.UTF_8).length + 1);
            return List.of(line + "\n");
        });
    }

    @Test
    @Tag("CLS-02")
    @Tag("FRM-04")
    void anAgentMayDieAtEachByteAndNobodyWaitsInVain() throws Exception {
        AtomicLong bytes = new AtomicLong();
        assertThat(converse(counting(bytes), Fault.NONE)).isEqualTo(ANSWER);

        List<String> wrong = atEachByte(bytes.get(), cut -> {
            // The last line is complete without its end.
            boolean complete = cut == bytes.get() - 1;
            try {
                String answer = converse(Fault.cutAfter(cut), Fault.NONE);
                return complete && answer.equals(ANSWER) ? "" : "answered: " + answer;
            } catch (ConnectionClosedException e) {
                return complete || e.getMessage() == null ? e.toString() : "";
            }
        });

        assertThat(wrong).isEmpty();
    }

    @Test
    @Tag("CLS-01")
    @Tag("FRM-04")
    void aClientMayDieAtEachByteAndTheAgentEnds() throws Exception {
        AtomicLong bytes = new AtomicLong();
        assertThat(converse(Fault.NONE, counting(bytes))).isEqualTo(ANSWER);

        List<String> wrong = atEachByte(bytes.get(), cut -> {
            boolean complete = cut == bytes.get() - 1;
            String answer = serveUntilItEnds(Fault.cutAfter(cut));
            return complete == answer.equals(ANSWER) ? "" : "answered: " + answer;
        });

        assertThat(wrong).isEmpty();
    }

    /** A conversation that is cut; says what is wrong, or nothing. */
    private interface CutConversation {
        String wrong(long cut) throws Exception;
    }

    /** Holds a conversation for each byte, several at once, since each waits more than it works. */
    private static List<String> atEachByte(long bytes, CutConversation conversation) throws Exception {
        List<Callable<String>> all = new ArrayList<>();
        for (long cut = 0; cut < bytes; cut++) {
            long at = cut;
            all.add(() -> conversation.wrong(at));
        }
        List<String> wrong = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<String>> ends = threads.invokeAll(all);
            for (int cut = 0; cut < bytes; cut++) {
                String what = ends.get(cut).get();
                if (!what.isEmpty()) {
                    wrong.add("cut after " + cut + ": " + what);
                }
            }
        }
        return wrong;
    }

    /** Returns what was answered, or how the client failed that could still read. */
    private static String serveUntilItEnds(Fault toAgent) throws Exception {
        try (Transports ends = Transports.overBytes(Fault.NONE, toAgent);
                ConnectedClient served = serve(ends)) {
            FutureTask<String> client = new FutureTask<>(() -> {
                try {
                    return ask(ends);
                } catch (RpcException e) {
                    return String.valueOf(e.getMessage());
                }
            });
            Thread.ofVirtual().start(client);

            assertThat(served.rpc().awaitClosed(Duration.ofSeconds(30)))
                    .as("the agent has ended")
                    .isTrue();
            return client.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    @Tag("FRM-29")
    void aFailureOfReadingIsToldFromTheEnd() {
        assertThatThrownBy(() -> converse(Fault.failAfter(300), Fault.NONE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("the fault after 300 bytes");
    }
}
