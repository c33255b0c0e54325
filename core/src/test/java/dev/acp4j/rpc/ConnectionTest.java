package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionTest {
    private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    /** What a test's side does with requests and notifications. */
    private abstract static class Side implements Handler {
        @Nullable
        Connection connection;

        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept(request);
        }

        private Task accept(IncomingRequest request) {
            return () -> answer(request);
        }

        RawJson answer(IncomingRequest request) throws Exception {
            return request.params() == null ? RawJson.NULL : request.params();
        }

        @Override
        public Delivery notification(Message message) {
            return () -> handle();
        }

        private void handle() throws Exception {}

        Connection peer() {
            return Objects.requireNonNull(connection);
        }
    }

    private static final class Echo extends Side {}

    private static RawJson json(String text) {
        return RawJson.parse(text);
    }

    private Connection join(Side left, Side right) {
        return join(left, right, Limits.STANDARD);
    }

    private Connection join(Side left, Side right, Limits limits) {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        left.connection =
                start(Connection.builder(pair.left(), left).name("left").limits(limits));
        right.connection =
                start(Connection.builder(pair.right(), right).name("right").limits(limits));
        return left.connection;
    }

    private Connection start(Connection.Builder builder) {
        Connection connection = builder.start();
        open.add(connection);
        return connection;
    }

    private record Raw(Connection connection, RawPeer peer) {}

    private Raw raw(Side side) {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Connection connection = start(Connection.builder(pair.left(), side));
        side.connection = connection;
        return new Raw(connection, new RawPeer(pair.right()));
    }

    @Test
    void answersARequest() throws Exception {
        Connection left = join(new Echo(), new Echo());

        assertThat(left.call("echo", json("{\"a\":[1,2]}"))).hasToString("{\"a\":[1,2]}");
    }

    @Test
    @Tag("ENV-18")
    void anAnswerRepeatsTheIdExactlyAsItCame() throws Exception {
        Raw raw = raw(new Echo());

        for (String id : List.of("1", "\"1\"", "9007199254740993", "123456789012345678901234567890", "null")) {
            raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"m\",\"params\":{}}");
            assertThat(raw.peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{}}");
        }
    }

    @Test
    @Tag("DSP-05")
    void aCallerSeesTheAnswerAfterAllNotificationsBeforeIt() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        Raw raw = raw(new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle();
            }

            private void handle() throws InterruptedException {
                release.await();
                handled.incrementAndGet();
            }
        });
        FutureTask<Integer> handledAtTheAnswer = new FutureTask<>(() -> {
            raw.connection.call("prompt", json("{\"sessionId\":\"s\"}"));
            return handled.get();
        });
        Thread.ofVirtual().start(handledAtTheAnswer);
        assertThat(raw.peer.receive()).contains("\"id\":0");
        for (int i = 0; i < 500; i++) {
            raw.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":{\"sessionId\":\"s\"}}");
        }
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":null}");

        // The answer has been read, and there is time enough to return it too early.
        for (int i = 0; i < 20; i++) {
            raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"sessionId\":\"other\"}}");
            assertThat(raw.peer.receive()).contains("\"result\"");
        }
        assertThat(handledAtTheAnswer).isNotDone();
        release.countDown();

        assertThat(handledAtTheAnswer.get(20, TimeUnit.SECONDS)).isEqualTo(500);
    }

    @Test
    @Tag("DSP-02")
    void notificationsOfOneLaneAreHandledOneAfterAnother() throws Exception {
        List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Side receiver = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle(message.method());
            }

            private void handle(String method) {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                seen.add(Integer.parseInt(method));
                inside.decrementAndGet();
            }
        };
        Connection left = join(new Echo(), receiver);

        for (int i = 0; i < 200; i++) {
            left.send(String.valueOf(i), json("{\"sessionId\":\"s\"}"));
        }
        left.call("sync", json("{\"sessionId\":\"s\"}"));

        assertThat(most).hasValue(1);
        assertThat(seen).hasSize(200).isSorted();
    }

    @Test
    @Tag("DSP-03")
    void aSlowSessionDoesNotDelayAnother() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Side receiver = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle();
            }

            private void handle() throws InterruptedException {
                release.await();
            }
        };
        Connection left = join(new Echo(), receiver);

        left.send("block", json("{\"sessionId\":\"slow\"}"));
        RawJson answer = left.call("echo", json("{\"sessionId\":\"quick\"}"));

        assertThat(answer).hasToString("{\"sessionId\":\"quick\"}");
        release.countDown();
    }

    @Test
    @Tag("DSP-04")
    @Tag("DSP-06")
    @Tag("DSP-11")
    void handlersThatCallBackAndWaitNeverDeadlock() throws Exception {
        AtomicInteger depth = new AtomicInteger();
        CompletableFuture<String> last = new CompletableFuture<>();
        class Nested extends Side {
            @Override
            public Delivery notification(Message message) {
                return () -> handle(message.method(), message.params());
            }

            private void handle(String method, @Nullable RawJson params) throws Exception {
                // In the lane, waiting for an answer that comes through the same lane.
                peer().call("nested", params);
                peer().call("nested", params);
                last.complete(method);
            }

            @Override
            RawJson answer(IncomingRequest request) throws Exception {
                if (depth.incrementAndGet() % 6 != 0) {
                    peer().call("nested", request.params());
                    peer().send("done", request.params());
                }
                return json("{\"sessionId\":\"s\"}");
            }
        }
        Connection left = join(new Nested(), new Nested());

        left.send("first", json("{\"sessionId\":\"s\"}"));

        assertThat(last.get(20, TimeUnit.SECONDS)).isNotEmpty();
    }

    @Test
    @Tag("DSP-06")
    void aThreadStartedByAHandlerMayWaitForAnAnswerBehindTheHandler() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Side waiting = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle(message.params());
            }

            private void handle(@Nullable RawJson params) throws Exception {
                FutureTask<RawJson> task = new FutureTask<>(() -> peer().call("echo", params));
                Thread.ofVirtual().start(task);
                answer.complete(task.get().toString());
            }
        };
        Connection left = join(new Echo(), waiting);

        left.send("go", json("{\"sessionId\":\"s\"}"));

        assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo("{\"sessionId\":\"s\"}");
    }

    @Test
    void anAnswerIsDeliveredOutOfOrderRatherThanNeverWhenAHandlerDoesNotReturn() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Side stuck = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle();
            }

            private void handle() throws InterruptedException {
                release.await();
            }
        };
        Side notifying = new Side() {
            @Override
            RawJson answer(IncomingRequest request) throws InterruptedException {
                peer().send("block", request.params());
                return RawJson.NULL;
            }
        };
        Connection left = join(stuck, notifying, Limits.STANDARD.withBarrierPatience(Duration.ofMillis(50)));

        RawJson answer = left.call("m", json("{\"sessionId\":\"s\"}"));

        assertThat(answer).isEqualTo(RawJson.NULL);
        release.countDown();
    }

    @Test
    @Tag("CAN-01")
    @Tag("CAN-14")
    @Tag("REQ-05")
    void interruptingACallerInterruptsTheHandlersOnBothSides() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<String> outer = new CompletableFuture<>();
        Side left = new Side() {
            @Override
            RawJson answer(IncomingRequest request) throws Exception {
                try {
                    waiting.countDown();
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    inner.complete("interrupted " + request.isCancelled());
                    throw e;
                }
                return RawJson.NULL;
            }
        };
        Side right = new Side() {
            @Override
            RawJson answer(IncomingRequest request) throws Exception {
                try {
                    return peer().call("permission", null);
                } catch (InterruptedException e) {
                    outer.complete("interrupted " + request.isCancelled());
                    throw e;
                }
            }
        };
        Connection connection = join(left, right);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                connection.call("prompt", null);
            } catch (Throwable e) {
                thrown.set(e);
            }
        });

        waiting.await();
        caller.interrupt();
        caller.join();

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(outer.get(20, TimeUnit.SECONDS)).isEqualTo("interrupted true");
        assertThat(inner.get(20, TimeUnit.SECONDS)).isEqualTo("interrupted true");
    }

    @Test
    @Tag("CAN-11")
    void aCancelledRequestIsAnsweredExactlyOnce() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        Side side = new Side() {
            @Override
            RawJson answer(IncomingRequest request) throws Exception {
                if (request.method().equals("slow")) {
                    running.countDown();
                    new CountDownLatch(1).await();
                }
                return json("\"" + request.method() + "\"");
            }
        };
        Raw raw = raw(side);

        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"slow\"}");
        running.await();
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":7}}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":7}}");
        String cancelled = raw.peer.receive();
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"again\"}");
        String again = raw.peer.receive();

        assertThat(cancelled).contains("\"id\":7").contains("-32800");
        assertThat(again).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"again\"}");
    }

    @Test
    @Tag("CAN-04")
    @Tag("CAN-05")
    void cancellingWhatIsNotThereIsIgnored() throws Exception {
        Raw raw = raw(new Echo());

        raw.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":99}}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":{}}}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\"}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}");

        assertThat(raw.peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}");
    }

    @Test
    @Tag("REQ-03")
    void aTimeoutCancelsTheCallAndALateAnswerIsDropped() throws Exception {
        Raw raw = raw(new Echo());
        Call call = raw.connection.start("slow", null, RawJson.CODEC, null);
        raw.peer.receive();

        assertThatThrownBy(() -> call.await(Duration.ofMillis(20))).isInstanceOf(RequestTimeoutException.class);

        assertThat(raw.peer.receive()).contains("$/cancel_request").contains("\"requestId\":0");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"alive\"}");
        assertThat(raw.peer.receive()).contains("\"id\":5");
    }

    @Test
    @Tag("ENV-01")
    @Tag("ENV-02")
    @Tag("FRM-05")
    @Tag("FRM-06")
    @Tag("FRM-07")
    @Tag("FRM-08")
    void whatIsNotAMessageIsAnsweredOnceAndTheNextMessageWorks() throws Exception {
        Raw raw = raw(new Echo());

        assertThat(answerTo(raw, "{not json secret")).isEqualTo(error(-32700, "Parse error"));
        for (String scalar : List.of("7", "\"text\"", "true", "null")) {
            assertThat(answerTo(raw, scalar)).contains("\"id\":null").contains("-32600");
        }
        for (String array : List.of("[]", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]")) {
            assertThat(answerTo(raw, array)).contains("\"id\":null").contains("-32600");
        }
        assertThat(answerTo(raw, "{\"id\":1,\"method\":\"m\"}"))
                .contains("\"id\":null")
                .contains("-32600");
        assertThat(answerTo(raw, "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}"))
                .contains("-32600");
        assertThat(answerTo(raw, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}"))
                .contains("\"result\"");
    }

    private static String answerTo(Raw raw, String line) throws Exception {
        raw.peer.send(line);
        return raw.peer.receive();
    }

    private static String error(int code, String message) {
        return "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" + code + ",\"message\":\"" + message + "\"}}";
    }

    @Test
    @Tag("ENV-03")
    @Tag("ENV-06")
    @Tag("ENV-09")
    void brokenAnswersAreNeverAnsweredAndFailTheirCall() throws Exception {
        Raw raw = raw(new Echo());
        Call call = raw.connection.start("m", null, RawJson.CODEC, null);
        raw.peer.receive();

        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":98}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1,\"error\":{\"code\":1,\"message\":\"x\"}}");

        assertThatThrownBy(call::await).isInstanceOf(MalformedMessageException.class);
        assertThat(answerTo(raw, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}"))
                .contains("\"id\":1");
    }

    @Test
    @Tag("ERR-06")
    void aPeersErrorArrivesWithCodeMessageAndData() throws Exception {
        Side failing = new Side() {
            @Override
            RawJson answer(IncomingRequest request) {
                throw new RpcError(-7, "no such thing", json("{\"why\":null}"));
            }
        };
        Connection left = join(new Echo(), failing);

        assertThatThrownBy(() -> left.call("m", null)).isInstanceOfSatisfying(RpcError.class, e -> {
            assertThat(e.code()).isEqualTo(-7);
            assertThat(e.message()).isEqualTo("no such thing");
            assertThat(e.data()).hasValue(json("{\"why\":null}"));
        });
    }

    @Test
    @Tag("ERR-07")
    void ofAnyOtherExceptionThePeerLearnsNothing() throws Exception {
        Side failing = new Side() {
            @Override
            RawJson answer(IncomingRequest request) {
                throw new IllegalStateException("password=1234");
            }
        };
        Raw raw = raw(failing);

        assertThat(answerTo(raw, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}"))
                .contains("-32603")
                .doesNotContain("password");
    }

    @Test
    @Tag("ERR-17")
    void onlyACancelledRequestIsAnsweredAsCancelled() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        Side giving = new Side() {
            @Override
            RawJson answer(IncomingRequest request) throws Exception {
                if (request.method().equals("gives-up")) {
                    throw new InterruptedException("of its own");
                }
                running.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    throw new CancellationException();
                }
                return RawJson.NULL;
            }
        };
        Raw raw = raw(giving);

        String uncancelled = answerTo(raw, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"gives-up\"}");
        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"waits\"}");
        running.await();
        String cancelled =
                answerTo(raw, "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":2}}");

        assertThat(uncancelled).contains("\"id\":1").contains("-32603");
        assertThat(cancelled).contains("\"id\":2").contains("-32800");
    }

    @Test
    @Tag("CLS-02")
    @Tag("CLS-03")
    @Tag("CLS-05")
    void theEndOfTheStreamFailsPendingCallsAndLaterOnes() throws Exception {
        Raw raw = raw(new Echo());
        Call answered = raw.connection.start("answered", null, RawJson.CODEC, null);
        Call pending = raw.connection.start("pending", null, RawJson.CODEC, null);
        raw.peer.receive();
        raw.peer.receive();

        raw.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":42}");
        raw.peer.close();

        assertThat(answered.await()).hasToString("42");
        assertThatThrownBy(pending::await)
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("pending");
        raw.connection.awaitClosed();
        assertThatThrownBy(() -> raw.connection.call("later", null)).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    @Tag("CLS-10")
    void requestsInFlightAreAnsweredAfterThePeerClosedItsSide() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        CountDownLatch goOn = new CountDownLatch(1);
        Side side = new Side() {
            @Override
            RawJson answer(IncomingRequest request) throws InterruptedException {
                goOn.await();
                return json("\"done\"");
            }
        };
        Connection connection = start(Connection.builder(pair.left(), side));
        RawPeer peer = new RawPeer(pair.right());

        peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}");
        pair.right().writer().close();
        goOn.countDown();

        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"done\"}");
        assertThat(peer.receive()).isEqualTo("(end)");
        connection.awaitClosed();
        assertThat(connection.failure()).isEmpty();
    }

    @Test
    @Tag("CLS-21")
    void closingFromAHandlerAndTwiceIsFine() throws Exception {
        CompletableFuture<String> closed = new CompletableFuture<>();
        Side closing = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle();
            }

            private void handle() {
                peer().close();
                peer().close();
                closed.complete("closed");
            }
        };
        Connection left = join(new Echo(), closing);

        left.send("close", null);

        assertThat(closed.get(20, TimeUnit.SECONDS)).isEqualTo("closed");
        left.awaitClosed();
    }

    @Test
    @Tag("DSP-13")
    void tooManyRequestsInFlightAreRefused() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Side side = new Side() {
            @Override
            RawJson answer(IncomingRequest request) throws InterruptedException {
                release.await();
                return RawJson.NULL;
            }
        };
        Connection left = join(new Echo(), side, Limits.STANDARD.withRequests(2, 10));
        Call one = left.start("m", null, RawJson.CODEC, null);
        Call two = left.start("m", null, RawJson.CODEC, null);

        assertThatThrownBy(() -> left.call("m", null))
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("Too many requests");

        release.countDown();
        one.await();
        two.await();
    }

    @Test
    void aSlowReceiverSlowsTheSenderAndNothingIsLost() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        Side receiver = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle();
            }

            private void handle() throws InterruptedException {
                release.await();
                handled.incrementAndGet();
            }
        };
        Limits small = Limits.STANDARD.withQueueBytes(10_000, 10_000);
        Connection left = join(new Echo(), receiver, small);
        AtomicInteger sent = new AtomicInteger();
        RawJson params = json("{\"sessionId\":\"s\",\"text\":\"" + "x".repeat(1000) + "\"}");
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 3000; i++) {
                    left.send("update", params);
                    sent.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        assertThat(sender.join(Duration.ofMillis(500)))
                .as("the sender is held up")
                .isFalse();
        int held = sent.get();
        release.countDown();
        sender.join();
        left.call("sync", json("{\"sessionId\":\"s\"}"));

        assertThat(held).isLessThan(3000);
        assertThat(handled).hasValue(3000);
    }

    @Test
    void aHandlerOfOneConnectionMayWaitForAnother() throws Exception {
        Connection other = join(new Echo(), new Echo());
        CountDownLatch waiting = new CountDownLatch(1);
        Side bridge = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle(message.params());
            }

            private void handle(@Nullable RawJson params) throws Exception {
                for (int i = 0; i < 50; i++) {
                    other.call("echo", params);
                }
                waiting.countDown();
            }
        };
        Connection left = join(new Echo(), bridge);

        left.send("go", json("{\"sessionId\":\"s\"}"));
        for (int i = 0; i < 200; i++) {
            left.call("echo", json("{\"sessionId\":\"s\"}"));
        }

        assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void theEndOfTheConnectionReachesThoseWhoseAnswersWaitBehindAStuckHandler() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Side stuck = new Side() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle();
            }

            private void handle() throws InterruptedException {
                release.await();
            }
        };
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Connection connection = start(
                Connection.builder(pair.left(), stuck).limits(Limits.STANDARD.withDrainTime(Duration.ofMillis(50))));
        RawPeer peer = new RawPeer(pair.right());
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        connection.start("m", json("{\"sessionId\":\"s\"}"), RawJson.CODEC, call -> () -> done.complete(call.isDone()));
        peer.receive();

        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"block\",\"params\":{\"sessionId\":\"s\"}}");
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}");
        peer.close();

        assertThat(done.get(20, TimeUnit.SECONDS)).isTrue();
        release.countDown();
    }

    @Test
    @Tag("ENV-12")
    void aRequestWithScalarParamsIsAnsweredEvenWhereNoiseIsNot() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        start(Connection.builder(pair.left(), new Echo()).answerNoise(false));
        RawPeer peer = new RawPeer(pair.right());

        peer.send("a log line");
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\",\"params\":\"x\"}");

        assertThat(peer.receive()).contains("\"id\":5").contains("-32600");
    }
}
