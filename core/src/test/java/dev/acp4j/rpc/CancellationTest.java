package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code $/cancel_request} does, in either direction. */
@Timeout(60)
class CancellationTest {
    @RegisterExtension
    final Wired wired = new Wired();

    private final Map<String, IncomingRequest> running = new ConcurrentHashMap<>();
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    /** Waits until it is interrupted. */
    private static void awaitInterrupt(CountDownLatch begun) throws InterruptedException {
        begun.countDown();
        new CountDownLatch(1).await();
    }

    @Test
    @Tag("CAN-01")
    @Tag("CAN-28")
    void aHandlerMayAnswerACancelledRequestWithItsResult() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        wired.answering = request -> {
            try {
                awaitInterrupt(begun);
            } catch (InterruptedException e) {
                seen.add("interrupted, cancelled: " + request.isCancelled());
            }
            return RawJson.string("as far as I got");
        };
        wired.start();

        wired.asks(1, "m", "{}");
        begun.await();
        wired.cancels(1);

        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"as far as I got\""));
        assertThat(seen).containsExactly("interrupted, cancelled: true");
    }

    @Test
    void aHandlerThatGivesUpByItselfAnswersAsIfItsRequestHadBeenCancelled() throws Exception {
        wired.answering = request -> {
            seen.add("cancelled: " + request.isCancelled());
            throw RpcError.cancelled();
        };
        wired.start();

        wired.asks(1, "m", "{}");

        assertThat(wired.peer.receive()).contains("\"id\":1,").contains("{\"code\":-32800,");
        assertThat(seen).containsExactly("cancelled: false");
        assertThat(wired.problems).isEmpty();
    }

    @Test
    @Tag("CAN-02")
    void theRequestIsMarkedBeforeTheHandlerOfNotificationsHearsOfIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> marked = new CompletableFuture<>();
        wired.answering = request -> {
            running.put("m", request);
            awaitInterrupt(begun);
            return RawJson.NULL;
        };
        wired.hearing = (method, params) ->
                marked.complete(Objects.requireNonNull(running.get("m")).isCancelled());
        wired.start();

        wired.asks(1, "m", "{}");
        begun.await();
        wired.cancels(1);

        assertThat(marked.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(wired.peer.receive()).contains("-32800");
    }

    @Test
    @Tag("CAN-03")
    void aRequestThatWaitedWhileItWasCancelledBeginsCancelled() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        wired.hearing = (method, params) -> release.await();
        wired.answering = request -> {
            seen.add(request.method() + " cancelled: " + request.isCancelled() + ", interrupted: "
                    + Thread.currentThread().isInterrupted());
            return RawJson.NULL;
        };
        wired.start();

        wired.notifies("busy", "{\"sessionId\":\"s\"}");
        wired.asks(1, "late", "{\"sessionId\":\"s\"}");
        wired.cancels(1);
        wired.asks(2, "behind the cancellation", "{\"sessionId\":\"t\"}");
        wired.peer.receive();
        release.countDown();
        wired.peer.receive();

        assertThat(seen)
                .containsExactly(
                        "behind the cancellation cancelled: false, interrupted: false",
                        "late cancelled: true, interrupted: true");
    }

    @Test
    @Tag("CAN-04")
    @Tag("CAN-10")
    @Tag("CAN-19")
    @Tag("CAN-20")
    void aCancellationThatComesAfterTheAnswerTouchesNothing() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        wired.answering = request -> {
            if (request.method().equals("other")) {
                begun.countDown();
                release.await();
            }
            return RawJson.string("cancelled: " + request.isCancelled());
        };
        wired.start();

        wired.asks(1, "quick", "{}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"cancelled: false\""));
        wired.asks(2, "other", "{}");
        begun.await();
        wired.cancels(1);
        wired.asks(1, "the id again", "{}");

        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"cancelled: false\""));
        release.countDown();
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(2, "\"cancelled: false\""));
        assertThat(wired.problems).isEmpty();
    }

    @Test
    @Tag("CAN-12")
    void aCancellationNamesTheRequestAndNothingElse() throws Exception {
        Call call = wired.start().start("m", null, RawJson.CODEC, null);
        wired.peer.receive();

        call.cancel();

        assertThat(wired.peer.receive())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":0}}");
    }

    @Test
    @Tag("CAN-08")
    void whoCancelsAndWaitsGetsThePeersAnswer() throws Exception {
        Call call = wired.start().start("m", null, RawJson.CODEC, null);

        call.cancel();
        wired.peer.receive();
        wired.peer.receive();
        wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32800,\"message\":\"given up\"}}");

        assertThatThrownBy(call::await)
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.REQUEST_CANCELLED));
    }

    @Test
    @Tag("CAN-08")
    void whoIsInterruptedDoesNotWaitAndTheLateAnswerIsNoProblem() throws Exception {
        Connection connection = wired.start();
        Call call = connection.start("m", null, RawJson.CODEC, null);

        Thread.currentThread().interrupt();
        assertThatThrownBy(call::await).isInstanceOf(InterruptedException.class);
        wired.peer.receive();
        wired.peer.receive();
        wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32800,\"message\":\"given up\"}}");
        wired.asks(1, "settle", "{}");

        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "null"));
        assertThat(wired.problems).isEmpty();
    }

    @Test
    @Tag("CAN-09")
    void aResultThatComesAfterTheCancellationIsDelivered() throws Exception {
        Call call = wired.start().start("m", null, RawJson.CODEC, null);

        call.cancel();
        wired.answers(call, "\"done all the same\"");

        assertThat(call.await()).hasToString("\"done all the same\"");
    }

    @Test
    @Tag("CAN-11")
    void ofManyCancellationsThatRaceWithAnswersEachRequestIsAnsweredOnce() throws Exception {
        wired.answering = request -> RawJson.string(request.method());
        wired.start();
        List<String> ids = new ArrayList<>();

        for (int i = 0; i < 500; i++) {
            wired.asks(i, "m", "{\"sessionId\":\"" + i % 7 + "\"}");
            wired.cancels(i);
        }
        for (int i = 0; i < 500; i++) {
            ids.add(wired.peer.receive().replaceAll(".*\"id\":(\\d+),.*", "$1"));
        }
        wired.asks(1000, "settle", "{}");

        assertThat(ids).doesNotHaveDuplicates();
        assertThat(wired.peer.receive()).contains("\"id\":1000");
    }

    @Test
    @Tag("CAN-22")
    @Tag("CLS-22")
    void theFailureOfTheConnectionCancelsWhatRunsAndIsTheReasonOfWhatWaits() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> ended = new CompletableFuture<>();
        wired.answering = request -> {
            try {
                awaitInterrupt(begun);
            } catch (InterruptedException e) {
                ended.complete("cancelled: " + request.isCancelled());
            }
            return RawJson.NULL;
        };
        Connection connection = wired.startOverACable();
        Call call = connection.start("m", null, RawJson.CODEC, null);
        wired.asks(1, "m", "{}");
        begun.await();

        wired.peer.end();

        assertThat(ended.get(20, TimeUnit.SECONDS)).isEqualTo("cancelled: true");
        assertThatThrownBy(call::await)
                .isInstanceOf(ConnectionClosedException.class)
                .hasRootCauseMessage("cable cut");
        assertThat(connection.failure())
                .hasValueSatisfying(failure -> assertThat(failure).hasMessage("cable cut"));
    }
}
