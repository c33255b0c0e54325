package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A thread that keeps the memory by which the message it waits for could be read gets an exception that says so. */
@Timeout(60)
class WouldDeadlockTest {
    private static final String SESSION = "{\"sessionId\":\"s\"}";

    /** A step that nothing ends. */
    private static final class Never extends Step {
        Never(Connection connection) {
            super(connection, "s");
        }

        @Override
        protected String name() {
            return "nothing";
        }
    }

    @RegisterExtension
    final Wired wired = new Wired();

    private static Limits narrow(Duration patience) {
        return Limits.STANDARD
                .withQueueBytes(1000, 1_000_000)
                .withBarrierPatience(patience)
                .withRequestTimeout(Duration.ZERO);
    }

    private static String outcome(Step step) throws InterruptedException {
        try {
            step.join();
            return "ended";
        } catch (WouldDeadlockException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Sends more than a lane takes, even while a handler waits. */
    private Thread fill() {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int i = 0; i < 100; i++) {
                    wired.notifies("more", SESSION);
                }
            } catch (java.io.IOException e) {
                // The connection has ended.
            }
        });
    }

    @Test
    void aHandlerWhoseLaneIsFullWaitsInVainAndTheConnectionGoesOn() throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        CompletableFuture<Connection> connection = new CompletableFuture<>();
        wired.hearing = (method, params) -> {
            if (method.equals("first")) {
                Call call = connection.get().start("m", null, RawJson.CODEC, null);
                outcome.complete(outcome(call));
            }
        };
        connection.complete(wired.start(narrow(Duration.ofHours(1))));

        wired.notifies("first", SESSION);
        assertThat(wired.peer.receive()).contains("\"method\":\"m\"");
        Thread filling = fill();

        assertThat(outcome.get(20, TimeUnit.SECONDS))
                .isEqualTo("m: waiting would never end: 1000 bytes of messages (Limits.laneBytes) wait for the handler"
                        + " that waits, so nothing more is read");
        filling.join();
        wired.asks(5, "ask", SESSION);
        assertThat(wired.peer.receive()).contains("\"id\":5");
    }

    /** The lane is held up by a handler that waits for the thread in a way that nobody sees. */
    @Test
    void aWaitThatNobodySeesEndsAfterTheBarriersPatience() throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        wired.hearing = (method, params) -> {
            if (method.equals("first")) {
                begun.countDown();
                outcome.get();
            }
        };
        Connection connection = wired.start(narrow(Duration.ofMillis(50)));
        wired.notifies("first", SESSION);
        begun.await();
        Thread filling = fill();

        FutureTask<String> waiting = new FutureTask<>(() -> outcome(new Never(connection)));
        Thread.ofPlatform().daemon().start(waiting);

        assertThat(waiting.get(20, TimeUnit.SECONDS)).startsWith("nothing: waiting would never end");
        outcome.complete("");
        filling.join();
    }

    @Test
    void anAnswerThatWasReadIsTakenOutOfAFullLane() throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        CompletableFuture<Connection> connection = new CompletableFuture<>();
        wired.hearing = (method, params) -> {
            if (method.equals("first")) {
                Call call = connection.get().start("m", RawJson.parse(SESSION), RawJson.CODEC, null);
                outcome.complete(outcome(call));
            }
        };
        connection.complete(wired.start(narrow(Duration.ofHours(1))));

        wired.notifies("first", SESSION);
        assertThat(wired.peer.receive()).contains("\"method\":\"m\"");
        wired.peer.send(Wired.result(0, "{}"));
        Thread filling = fill();

        assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("ended");
        filling.join();
    }
}
