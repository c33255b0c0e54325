package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Notifications that one connection passes on to another without reading them. */
@Timeout(60)
class ForwardingTest {
    @RegisterExtension
    final Wired wired = new Wired();

    @RegisterExtension
    final Wired next = new Wired();

    private static String update(String session, int number) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":{\"sessionId\":\"" + session + "\",\"n\":"
                + number + "}}";
    }

    @Test
    void theyArriveAsTheyCameByteForByte() throws Exception {
        wired.forwarding = Map.of("update", next.start());
        wired.start();
        String odd =
                "{ \"method\" :\"update\", \"params\":{\"x\":1.50,\"x\":1e3,\"\\u00e9\":[ ]} ,\"own\":{},\"jsonrpc\":\"2.0\"}";

        wired.peer.send(odd);

        assertThat(next.peer.receive()).isEqualTo(odd);
    }

    @Test
    void theyKeepTheirPlaceBehindWhatIsHandledHere() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Connection further = next.start();
        wired.forwarding = Map.of("update", further);
        wired.hearing = (method, params) -> {
            goOn.await();
            further.send("heard", params);
        };
        wired.start();

        wired.notifies("slow", "{\"sessionId\":\"a\"}");
        wired.peer.send(update("a", 1));
        wired.peer.send(update("b", 2));
        wired.peer.send(update("a", 3));

        assertThat(next.peer.receive()).isEqualTo(update("b", 2));
        goOn.countDown();
        assertThat(next.peer.receive()).contains("heard");
        assertThat(next.peer.receive()).isEqualTo(update("a", 1));
        assertThat(next.peer.receive()).isEqualTo(update("a", 3));
    }

    @Test
    void anAnswerComesBehindWhatWasPassedOnBeforeIt() throws Exception {
        Connection further = next.start();
        Connection connection = wired.start();
        wired.forwarding = Map.of("update", further);
        next.answering = request -> connection.call(request.method(), request.params());

        next.asks(7, "prompt", "{\"sessionId\":\"a\"}");
        assertThat(wired.peer.receive()).contains("prompt");
        for (int i = 0; i < 100; i++) {
            wired.peer.send(update("a", i));
        }
        wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");

        for (int i = 0; i < 100; i++) {
            assertThat(next.peer.receive()).isEqualTo(update("a", i));
        }
        assertThat(next.peer.receive()).isEqualTo(Wired.result(7, "{}"));
    }

    @Test
    void theyDoNotPassARequestThatIsSentOnWhereItIsAccepted() throws Exception {
        Connection further = next.start();
        wired.forwarding = Map.of("update", further);
        wired.accepting = request -> further.start(request.method(), request.params(), RawJson.CODEC, null)::await;
        wired.start();

        for (int i = 0; i < 200; i++) {
            wired.asks(i, "prompt", "{\"sessionId\":\"a\"}");
            wired.peer.send(update("a", i));

            assertThat(next.peer.receive()).contains("\"id\":" + i + ",\"method\":\"prompt\"");
            assertThat(next.peer.receive()).isEqualTo(update("a", i));
            next.peer.send(Wired.result(i, "{}"));
            assertThat(wired.peer.receive()).isEqualTo(Wired.result(i, "{}"));
        }
    }

    @Test
    void aSlowReaderHoldsThemBackAndLosesNone() throws Exception {
        wired.forwarding = Map.of("update", next.startNarrow(Limits.STANDARD.withQueueBytes(200, 200)));
        wired.start(Limits.STANDARD.withQueueBytes(200, 200));
        int messages = 500;
        LinkedBlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < messages; i++) {
                    wired.peer.send(update("a", i));
                }
            } catch (Exception e) {
                failures.add(e);
            }
        });

        for (int i = 0; i < messages; i++) {
            assertThat(next.peer.receive()).isEqualTo(update("a", i));
        }
        assertThat(sender.join(Duration.ofSeconds(20))).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    @Tag("CAN-15")
    void cancellationsOfTheConnectionItselfGoNoFurther() throws Exception {
        Connection further = next.start();
        wired.forwarding = Map.of("$/cancel_request", further, "update", further);
        wired.start();

        wired.cancels(4);
        wired.peer.send(update("a", 1));

        assertThat(next.peer.receive()).isEqualTo(update("a", 1));
    }

    @Test
    void whatTheNextOneDoesNotTakeIsReported() throws Exception {
        LinkedBlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        Connection closed = next.start();
        closed.close();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        wired.forwarding = Map.of("update", closed);
        Connection connection =
                Connection.builder(pair.left(), wired).onProblem(problems::add).start();
        try (connection;
                RawPeer peer = new RawPeer(pair.right())) {
            peer.send(update("a", 1));
            assertThat(problems.poll(20, TimeUnit.SECONDS)).satisfies(problem -> {
                assertThat(problem.kind()).isEqualTo(Problem.Kind.NOTIFICATION_FAILED);
                assertThat(problem.detail()).startsWith("update: ");
            });

            wired.forwarding = Map.of("update", wired.start(Limits.STANDARD.withMessageBytes(50)));
            peer.send(update("a", 2));
            assertThat(problems.poll(20, TimeUnit.SECONDS))
                    .satisfies(problem -> assertThat(problem.detail()).endsWith("allowed are 50"));
        }
    }
}
