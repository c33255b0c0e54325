package dev.acp4j;

import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.tap.Poll;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that sends and sends what nobody can use costs no memory. */
@Timeout(120)
class FloodTest {
    private static final int FLOOD = 200_000;
    private static final long SOME_MEMORY = 24L * 1024 * 1024;
    private static final String LONG_ID = "x".repeat(300);
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"#\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"#\",\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"#\",\"error\":{\"code\":1,\"message\":\"no\"}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"_nobody#\",\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"#\"}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":[\"#\"]}}"
            })
    @Tag("SEC-02")
    void whatNobodyWaitsForIsForgotten(String line) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served =
                        agent(turn -> {}).onProblem(problem -> {}).build().connect(pair.left());
                RawClient client = new RawClient(pair.right())) {
            client.send("initialize", INITIALIZE);
            client.read();
            long before = usedMemory();

            for (int i = 0; i < FLOOD; i++) {
                client.line(line.replace("#", LONG_ID + i));
            }
            client.send("session/list", "{}");
            client.read();

            assertThat(usedMemory() - before).isLessThan(SOME_MEMORY);
            assertThat(served.isOpen()).isTrue();
        }
    }

    private static final String PIECE = "\"content\":{\"type\":\"text\",\"text\":\"" + "x".repeat(100) + "\"}";

    @ParameterizedTest
    @ValueSource(ints = {1, FLOOD})
    void updatesOfSessionsThatNobodyOpenedAreDiscardedAndReportedOnce(int sessions) throws Exception {
        List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
        try (RawAgent agent = new RawAgent(
                client().limits(Limits.STANDARD.withViewBytes(4_000_000)).onProblem(problems::add))) {
            long before = usedMemory();
            for (int i = 0; i < FLOOD; i++) {
                agent.updateOf("nobody" + i % sessions, "agent_message_chunk", PIECE);
            }
            agent.settle();

            assertThat(usedMemory() - before).isLessThan(SOME_MEMORY);
            assertThat(problems)
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.detail())
                            .contains("sessions that nobody opened", "discarded without a report"));
            assertThat(agent.open().view().messages()).isEmpty();
        }
    }

    /** The least of several looks: a single one may see what threads that are about to end still hold. */
    private static long usedMemory() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    @Test
    @Tag("SEC-03")
    void answersToGarbageAreBounded() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair(1000);
        Limits limits = Limits.STANDARD.withQueueBytes(1_000_000, 10_000);
        try (ConnectedClient served = agent(turn -> {})
                        .limits(limits)
                        .onProblem(problem -> {})
                        .build()
                        .connect(pair.left());
                RawClient client = new RawClient(pair.right())) {
            for (int i = 0; i < 20_000; i++) {
                client.line("garbage");
            }
            client.send("initialize", INITIALIZE);

            int answers = 0;
            while (!String.valueOf(client.read()).contains("\"id\":0")) {
                answers++;
            }

            assertThat(answers).isPositive().isLessThan(500);
            assertThat(served.isOpen()).isTrue();
        }
    }

    @Test
    @Tag("SEC-02")
    void requestsThatAreRefusedWaitForRoomLikeOthers() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair(1000);
        Limits limits = Limits.STANDARD.withQueueBytes(10_000, 10_000).withRequests(1, 1);
        int flood = 20_000;
        AtomicInteger sent = new AtomicInteger();
        try (ConnectedClient served = agent(turn -> {}).limits(limits).build().connect(pair.left());
                RawClient client = new RawClient(pair.right())) {
            client.send("initialize", INITIALIZE);
            client.read();
            FutureTask<String> sending = new FutureTask<>(() -> {
                for (int i = 0; i < flood; i++) {
                    client.send("_many", "{}");
                    sent.incrementAndGet();
                }
                return "sent";
            });
            Thread sender = Thread.ofVirtual().start(sending);

            // Nobody reads the answers, so at some point nobody takes more requests.
            assertThat(Poll.until(() -> sender.getState() == Thread.State.WAITING))
                    .isTrue();
            int furthest = 0;
            for (int answered = 0; answered < flood; answered++) {
                furthest = Math.max(furthest, sent.get() - answered);
                assertThat(String.valueOf(client.read())).contains("error");
            }
            assertThat(furthest).isLessThan(2_000);
            assertThat(sending.get()).isEqualTo("sent");
            assertThat(served.isOpen()).isTrue();
        }
    }

    @Test
    @Tag("SEC-08")
    void namesOfClassesInWhatCameAreDataLikeAnyOther() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served = agent(turn -> {}).build().connect(pair.left());
                RawClient client = new RawClient(pair.right())) {
            String bait = "\"@class\":\"java.lang.ProcessBuilder\",\"@type\":[\"javax.script.ScriptEngineManager\"]";
            client.send("initialize", "{" + bait + ",\"protocolVersion\":1,\"_meta\":{" + bait + "}}");

            assertThat(String.valueOf(client.read())).contains("\"result\"");
            assertThat(served.meta().get("@class")).contains(RawJson.string("java.lang.ProcessBuilder"));
        }
    }
}
