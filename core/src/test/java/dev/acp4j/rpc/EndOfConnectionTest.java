package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the end of a connection does to calls, to those who are told of them, and to those who wait for it. */
@Timeout(60)
class EndOfConnectionTest {
    private static final RawJson SESSION = RawJson.parse("{\"sessionId\":\"s\"}");

    @RegisterExtension
    final Wired wired = new Wired();

    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    private Call call(Connection connection, String method) throws InterruptedException {
        return connection.start(method, null, RawJson.CODEC, call -> () -> told.add(outcome(call)));
    }

    private static String outcome(Call call) {
        try {
            return call.method() + " " + call.result();
        } catch (RpcException e) {
            return call.method() + " " + e.getClass().getSimpleName();
        }
    }

    @Test
    @Tag("CLS-04")
    void aCallThatWasNotWrittenYetFailsWithTheEndAsWell() throws Exception {
        Connection connection = wired.startNarrow(Limits.STANDARD);
        connection.send("one", null);
        connection.send("two", null);
        Call call = call(connection, "unwritten");

        wired.peer.end();

        assertThatThrownBy(call::await)
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessage("unwritten: the connection is closed");
        wired.peer.close();
    }

    @Test
    @Tag("CLS-06")
    void anAnswerThatIsBeingToldWhenTheEndComesKeepsItsOutcome() throws Exception {
        CountDownLatch telling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Connection connection = wired.start();
        Call call = connection.start("m", SESSION, RawJson.CODEC, done -> () -> {
            telling.countDown();
            await(release);
            told.add(outcome(done));
        });
        Call pending = call(connection, "pending");
        wired.answers(call, "42");
        telling.await();

        wired.peer.close();
        assertThatThrownBy(pending::await).isInstanceOf(ConnectionClosedException.class);
        release.countDown();

        assertThat(call.await()).hasToString("42");
        assertThat(told).containsExactly("pending ConnectionClosedException", "m 42");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Tag("CLS-07")
    void anAnswerThatWasLostHereIsNotTakenForTheEnd() throws Exception {
        Connection connection = wired.start(Limits.STANDARD.withMessageBytes(200));
        Call call = call(connection, "big");
        wired.peer.receive();

        wired.answers(call, "\"" + "x".repeat(300) + "\"");

        assertThatThrownBy(call::await)
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("big: the answer is larger than 200 bytes");
        assertThat(told).containsExactly("big MalformedMessageException");
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    @Tag("CLS-08")
    @Tag("CLS-16")
    @Tag("CLS-18")
    void whoIsToldOfCallsIsToldOfTheEndBeforeTheConnectionHasEndedEvenIfOneFails() throws Exception {
        wired.onEnded = () -> told.add("ended");
        Connection connection = wired.start();
        Call broken = connection.start("broken", null, RawJson.CODEC, call -> () -> {
            throw new IllegalStateException("broken listener");
        });
        call(connection, "one");
        call(connection, "two");

        wired.peer.close();
        connection.awaitClosed();

        assertThat(told)
                .hasSize(3)
                .endsWith("ended")
                .contains("one ConnectionClosedException")
                .contains("two ConnectionClosedException");
        assertThatThrownBy(broken::await).isInstanceOf(ConnectionClosedException.class);
    }

    /** Answers that wait behind a stuck handler are dropped at the end; nobody who waits for them may be forgotten. */
    @Test
    @Tag("CLS-16")
    void aListenerThatFailsWithAnErrorKeepsNobodyWaitingBehindAStuckHandler() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        wired.hearing = (method, params) -> awaitThroughInterrupts(release);
        wired.onEnded = () -> told.add("ended");
        Connection connection = wired.start(Limits.STANDARD.withDrainTime(Duration.ZERO));
        Call broken = connection.start("broken", SESSION, RawJson.CODEC, call -> () -> {
            throw new AssertionError("broken listener");
        });
        Call other = connection.start("other", SESSION, RawJson.CODEC, null);
        wired.notifies("stuck", SESSION.toString());
        wired.answers(broken, "1");
        wired.answers(other, "2");
        wired.asks(9, "read so far", "{}");
        while (!wired.peer.receive().contains("\"id\":9,")) {
            // our calls come first
        }

        FutureTask<@Nullable Void> closing = new FutureTask<>(connection::close, null);
        Thread.ofVirtual().start(closing);
        other.join();

        closing.get(20, TimeUnit.SECONDS);
        assertThat(broken.isDone()).isTrue();
        assertThat(told).containsExactly("ended");
        release.countDown();
    }

    private static void awaitThroughInterrupts(CountDownLatch latch) {
        boolean done = false;
        while (!done) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                // A handler that does not listen.
            }
        }
    }

    @Test
    @Tag("CLS-14")
    @Tag("CLS-15")
    void closingDoesNotWaitForThePeerAndEndsAllWhoWait() throws Exception {
        Connection connection = wired.start();
        FutureTask<RawJson> calling = new FutureTask<>(() -> connection.call("unanswered", null));
        FutureTask<Boolean> waiting = new FutureTask<>(() -> connection.awaitClosed(Duration.ofMinutes(10)));
        Thread.ofVirtual().start(calling);
        Thread.ofVirtual().start(waiting);
        wired.peer.receive();

        connection.close();

        assertThat(waiting.get(20, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> calling.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("unanswered: the connection is closed");
    }

    @Test
    @Tag("CLS-20")
    void theEndOfTheInputCanBeAskedForAndItsConsequencesBeWaitedFor() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        wired.answering = request -> {
            release.await();
            return RawJson.NULL;
        };
        Connection connection = wired.start();
        wired.asks(1, "m", "{}");
        Call pending = call(connection, "pending");
        assertThat(connection.isOpen()).isTrue();

        wired.peer.end();
        assertThatThrownBy(pending::await).isInstanceOf(ConnectionClosedException.class);

        assertThat(connection.isOpen()).isFalse();
        assertThat(connection.awaitClosed(Duration.ZERO)).isFalse();
        release.countDown();
        connection.awaitClosed();
        assertThat(connection.awaitClosed(Duration.ZERO)).isTrue();
    }
}
