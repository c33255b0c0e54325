package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What requests of a peer hold is counted in bytes, from their arrival until their answers leave. */
@Timeout(60)
class HeldMemoryTest {
    @RegisterExtension
    final Wired wired = new Wired();

    private static String request(int id, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"m\",\"params\":{\"text\":\"" + text + "\"}}";
    }

    private String answer() throws Exception {
        return wired.peer.receive();
    }

    @Test
    void aRequestThatDoesNotFitBesideOthersIsRefusedAndLaterThereIsRoomAgain() throws Exception {
        CountDownLatch handled = new CountDownLatch(1);
        wired.answering = request -> {
            handled.await();
            return RawJson.NULL;
        };
        wired.start(Limits.STANDARD.withIncomingBytes(1000));

        wired.peer.send(request(1, "x".repeat(600)));
        wired.peer.send(request(2, "x".repeat(600)));
        String refusal = answer();
        handled.countDown();
        String first = answer();
        wired.peer.send(request(3, "x".repeat(600)));
        String third = answer();

        assertThat(refusal).contains("\"id\":2", "Too many bytes in flight", "allowed are 1000");
        assertThat(first).contains("\"id\":1", "\"result\"");
        assertThat(third).contains("\"id\":3", "\"result\"");
    }

    @Test
    void aSingleRequestIsTakenWhateverItsSize() throws Exception {
        wired.start(Limits.STANDARD.withIncomingBytes(100));

        wired.peer.send(request(1, "x".repeat(5000)));

        assertThat(answer()).contains("\"id\":1", "\"result\"");
    }

    /** A peer that does not read its answers cannot collect any number of them here. */
    @Test
    void anAnswerThatWaitsForRoomCountsAsInFlight() throws Exception {
        int requests = 40;
        RawJson large = RawJson.parse("\"" + "y".repeat(2000) + "\"");
        wired.answering = request -> large;
        wired.startNarrow(Limits.STANDARD.withQueueBytes(1_000_000, 2100).withRequests(2, 2));

        for (int i = 0; i < requests; i++) {
            wired.peer.send(request(i, "a"));
        }
        int results = 0;
        for (int i = 0; i < requests; i++) {
            results += answer().contains("\"result\"") ? 1 : 0;
        }

        // One is in the pipe, one in the writer's hands, one queued and two wait; some leave while the last ones come.
        assertThat(results).isBetween(1, 10);
    }

    @Test
    void aPartOfALargeMessageDoesNotKeepAllOfIt() {
        String padding = "z".repeat(100_000);
        Message message =
                Message.parse("{\"jsonrpc\":\"2.0\",\"x\":\"" + padding + "\",\"method\":\"m\",\"params\":{\"a\":1}}");

        RawJson params = Objects.requireNonNull(message.params());

        assertThat(params).hasToString("{\"a\":1}");
        assertThat(params.bytes().length).isLessThan(5000);
    }
}
