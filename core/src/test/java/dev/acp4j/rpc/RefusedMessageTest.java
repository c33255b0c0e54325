package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that cannot be handled, and whose id is known: whoever asked is told. */
@Timeout(60)
class RefusedMessageTest {
    private static final int LARGEST = 5_000;

    @RegisterExtension
    final Wired wired = new Wired();

    private static String request(int id, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"m\",\"params\":" + params + "}";
    }

    private static String tooLarge(int id) {
        return request(id, "{\"text\":\"" + "x".repeat(LARGEST) + "\"}");
    }

    @Test
    @Tag("FRM-17")
    void aRequestThatIsTooLargeIsAnsweredUnderItsIdAndTheNextIsHandled() throws Exception {
        wired.start(Limits.STANDARD.withMessageBytes(LARGEST));

        wired.peer.send(tooLarge(7));
        assertThat(wired.peer.receive())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,"
                        + "\"message\":\"message is larger than 5000 bytes\"}}");

        wired.asks(8, "m", "{}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(8, "null"));
        assertThat(wired.problems).extracting(Problem::kind).containsExactly(Problem.Kind.TOO_LARGE);
    }

    /** It must not be taken for the answer to a call of ours that has the same id. */
    @Test
    @Tag("FRM-17")
    void aRequestThatIsTooLargeAndNamesItsMethodLastIsAnsweredAndOurCallGoesOn() throws Exception {
        Connection connection = wired.start(Limits.STANDARD.withMessageBytes(LARGEST));
        Call call = connection.start("ours", null, RawJson.CODEC, null);
        assertThat(wired.peer.receive()).contains("\"id\":" + call.id() + ",");

        wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + call.id() + ",\"params\":{\"text\":\"" + "x".repeat(LARGEST)
                + "\"},\"method\":\"theirs\"}");
        assertThat(wired.peer.receive()).contains("\"id\":" + call.id() + ",").contains("-32600");

        wired.answers(call, "1");
        assertThat(call.await()).hasToString("1");
    }

    /** The reader must not drop what it has no room for, nor wait: what comes behind is read. */
    @ParameterizedTest
    @ValueSource(strings = {"too large", "scalar params", "too deep"})
    @Tag("FRM-17")
    @Tag("ENV-12")
    void isAnsweredAlsoWhenTheOutboxIsFullForAWhile(String why) throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        wired.hearing = (method, params) -> read.countDown();
        Connection connection =
                wired.startNarrow(Limits.STANDARD.withMessageBytes(LARGEST).withQueueBytes(1_000_000, 1));
        // The first lies in the transport, the second waits for room there and fills the outbox.
        connection.send("first", (RawJson) null);
        connection.send("second", (RawJson) null);

        wired.peer.send(
                switch (why) {
                    case "too large" -> tooLarge(7);
                    case "scalar params" -> request(7, "\"x\"");
                    default -> request(7, "[".repeat(2_000) + "]".repeat(2_000));
                });
        wired.notifies("behind", "{\"sessionId\":\"other\"}");
        assertThat(read.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(wired.peer.receive()).contains("first");
        assertThat(wired.peer.receive()).contains("second");
        assertThat(wired.peer.receive()).contains("\"id\":7").contains("-32600");
    }

    /** The answer to garbage has no id, so nobody waits for it; it must not fill the memory, nor hold up the reader. */
    @Test
    @Tag("FRM-27")
    void garbageIsNotAnsweredWhileTheOutboxIsFull() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        wired.hearing = (method, params) -> read.countDown();
        Connection connection = wired.startNarrow(Limits.STANDARD.withQueueBytes(1_000_000, 1));
        connection.send("first", (RawJson) null);
        connection.send("second", (RawJson) null);

        wired.peer.send("Loading the model ...");
        wired.notifies("behind", "{\"sessionId\":\"other\"}");
        assertThat(read.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(wired.peer.receive()).contains("first");
        assertThat(wired.peer.receive()).contains("second");
        wired.asks(8, "m", "{}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(8, "null"));
    }

    @Test
    @Tag("FRM-27")
    void aClientDoesNotAnswerNoiseAndReportsTheBeginningOfALongLine() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (RawPeer peer = new RawPeer(pair.right());
                Connection connection = Connection.builder(pair.left(), wired)
                        .answerNoise(false)
                        .onProblem(wired.problems::add)
                        .start()) {
            peer.send("Loading the model " + ".".repeat(100_000));
            peer.send(request(8, "{}"));

            assertThat(peer.receive()).isEqualTo(Wired.result(8, "null"));
            assertThat(connection.recentNoise()).hasSize(1);
        }

        assertThat(wired.problems).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(Problem.Kind.NOISE);
            assertThat(problem.detail())
                    .startsWith("Loading the model .....")
                    .endsWith("…")
                    .hasSizeLessThan(250);
        });
    }
}
