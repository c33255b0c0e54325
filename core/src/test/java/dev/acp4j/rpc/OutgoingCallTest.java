package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of the requests and notifications that we send. */
@Timeout(60)
class OutgoingCallTest {
    @RegisterExtension
    final Wired wired = new Wired();

    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    private Call call(Connection connection) throws InterruptedException {
        return connection.start("m", null, RawJson.CODEC, call -> () -> told.add("told"));
    }

    @Test
    @Tag("REQ-01")
    @Tag("ERR-21")
    void afterTheEndSendingFailsAtOnceAndSaysWhatEndedTheConnection() throws Exception {
        Connection connection = wired.startOverACable();
        wired.peer.end();
        connection.awaitClosed();

        assertThatThrownBy(() -> connection.call("late", null))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessage("late: the connection failed: cable cut")
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> connection.start("late", null, RawJson.CODEC, null))
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        e -> assertThat(e.method()).contains("late"));
        assertThatThrownBy(() -> connection.send("late", null))
                .isInstanceOf(ConnectionClosedException.class)
                .hasRootCauseMessage("cable cut");
    }

    @Test
    @Tag("REQ-02")
    @Tag("REQ-11")
    void whoIsInterruptedWhileTheQueueIsFullSendsNeitherTheRequestNorItsCancellation() throws Exception {
        Connection connection = wired.startNarrow(Limits.STANDARD.withQueueBytes(1000, 1));
        connection.send("one", null);
        connection.send("two", null);

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> connection.call("never", null)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> connection.send("never", null)).isInstanceOf(InterruptedException.class);

        assertThat(wired.peer.receive()).contains("one");
        connection.send("three", null);
        assertThat(wired.peer.receive()).contains("two");
        assertThat(wired.peer.receive()).contains("three");
    }

    @Test
    @Tag("REQ-03")
    void theTimeForACallIsThatOfItsConnectionUnlessItSaysOtherwise() throws Exception {
        Connection connection = wired.start(Limits.STANDARD.withRequestTimeout(Duration.ofMillis(20)));

        assertThatThrownBy(() -> connection.call("slow", null))
                .isInstanceOf(RequestTimeoutException.class)
                .hasMessageContaining("slow");

        assertThat(wired.peer.receive()).contains("\"slow\"");
        assertThat(wired.peer.receive()).contains("$/cancel_request");
    }

    @Test
    @Tag("REQ-04")
    @Tag("CAN-06")
    void aCallIsCancelledOnceHoweverManyTry() throws Exception {
        Connection connection = wired.start();
        Call call = call(connection);

        call.cancel();
        call.cancel();
        assertThatThrownBy(() -> call.await(Duration.ofMillis(1))).isInstanceOf(RequestTimeoutException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(call::await).isInstanceOf(InterruptedException.class);
        connection.send("after", null);

        assertThat(wired.peer.receive()).contains("\"m\"");
        assertThat(wired.peer.receive()).contains("$/cancel_request");
        assertThat(wired.peer.receive()).contains("after");
    }

    @Test
    @Tag("REQ-04")
    @Tag("CAN-07")
    void whoOnlyStopsWaitingForACallDoesNotCancelIt() throws Exception {
        Connection connection = wired.start();
        Call call = call(connection);

        Thread.currentThread().interrupt();
        assertThatThrownBy(call::join).isInstanceOf(InterruptedException.class);
        connection.send("after", null);

        assertThat(wired.peer.receive()).contains("\"m\"");
        assertThat(wired.peer.receive()).contains("after");
    }

    @Test
    @Tag("CAN-07")
    void aCallThatIsAnsweredIsNotCancelledAnyMore() throws Exception {
        Connection connection = wired.start();
        Call call = call(connection);
        wired.peer.receive();
        wired.answers(call, "true");
        call.await();

        call.cancel();
        connection.send("after", null);

        assertThat(wired.peer.receive()).contains("after");
    }

    @Test
    @Tag("REQ-06")
    void aHandlerPassesOnResultsAndErrorsOfAnotherPeerUnchanged() throws Exception {
        Wired behind = new Wired();
        Connection onward = behind.start();
        wired.answering = request -> {
            try {
                return onward.call(request.method(), request.params());
            } catch (RpcError e) {
                throw e.asAnswer();
            }
        };
        wired.start();

        wired.asks(1, "good", "{\"n\":1.50}");
        assertThat(behind.peer.receive()).contains("\"params\":{\"n\":1.50}");
        behind.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"m\":[1e2,null]}}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "{\"m\":[1e2,null]}"));

        wired.asks(2, "bad", "{}");
        behind.peer.receive();
        behind.peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-7,\"message\":\"no\",\"data\":null}}");
        assertThat(wired.peer.receive())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-7,\"message\":\"no\",\"data\":null}}");

        wired.asks(3, "lost", "{}");
        behind.peer.receive();
        behind.peer.close();
        assertThat(wired.peer.receive()).contains("\"id\":3").contains("-32603");
        onward.close();
    }

    @Test
    @Tag("REQ-07")
    void whoIsToldOfAnAnswerHoldsUpNoOtherSession() throws Exception {
        CountDownLatch telling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Connection connection = wired.start();
        Call call = connection.start("m", RawJson.parse("{\"sessionId\":\"s\"}"), RawJson.CODEC, done -> () -> {
            telling.countDown();
            await(release);
        });
        wired.peer.receive();

        wired.answers(call, "true");
        telling.await();
        wired.asks(1, "other", "{\"sessionId\":\"t\"}");

        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "null"));
        release.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Tag("REQ-08")
    void theListenerOfACallIsToldBeforeTheCallerAndItsFailureChangesNoAnswer() throws Exception {
        Connection connection = wired.start();
        Call call = connection.start("m", null, RawJson.CODEC, done -> () -> {
            told.add("listener: " + done.result());
            throw new IllegalStateException("broken listener");
        });
        wired.peer.receive();

        wired.answers(call, "42");
        told.add("caller: " + call.await());

        assertThat(told).containsExactly("listener: 42", "caller: 42");
        wired.asks(1, "settle", "null");
        wired.peer.receive();
        assertThat(wired.problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail()).contains("broken listener"));
    }

    @Test
    @Tag("REQ-12")
    @Tag("CLS-23")
    void aWriteThatFailsEndsTheConnectionAndIsToldToWhoeverWatchesIt() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        wired.onEnded = ended::countDown;
        Connection connection =
                wired.start(new Unwritable(MemoryTransport.pair().left()), Limits.STANDARD);

        connection.send("lost", null);

        ended.await();
        connection.awaitClosed();
        assertThat(connection.failure())
                .hasValueSatisfying(failure -> assertThat(failure).hasMessage("disk full"));
    }

    private record Unwritable(Transport transport) implements Transport {
        @Override
        public Transport.Reader reader() {
            return transport.reader();
        }

        @Override
        public Transport.Writer writer() {
            return new Transport.Writer() {
                @Override
                public void write(Message message) throws IOException {
                    throw new IOException("disk full");
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    @Test
    @Tag("REQ-13")
    void noIdIsUsedTwice() throws Exception {
        Connection connection = wired.start();
        Set<@Nullable RequestId> ids = new HashSet<>();

        for (int i = 0; i < 50; i++) {
            Call call = call(connection);
            ids.add(call.id());
            wired.peer.receive();
            if (i % 2 == 0) {
                wired.answers(call, "null");
                call.await();
            } else {
                call.cancel();
                wired.peer.receive();
            }
        }

        assertThat(ids).hasSize(50);
    }

    @Test
    @Tag("INI-21")
    void aMethodNamedInitializeIsOneLikeAnyOther() throws Exception {
        wired.answering = request -> RawJson.string("called " + request.method());
        Connection connection = wired.start();

        wired.asks(1, "initialize", "{}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"called initialize\""));
        wired.asks(2, "initialize", "{}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(2, "\"called initialize\""));
        Call call = connection.start("initialize", RawJson.parse("{\"a\":1}"), RawJson.CODEC, null);

        assertThat(wired.peer.receive()).contains("\"params\":{\"a\":1}");
        wired.answers(call, "7");
        assertThat(call.await()).hasToString("7");
    }
}
