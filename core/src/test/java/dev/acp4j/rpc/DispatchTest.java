package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who runs when: the reader never waits for handlers, requests run beside each other, answers find their callers. */
@Timeout(60)
class DispatchTest {
    @RegisterExtension
    final Wired wired = new Wired();

    private static String request(int id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    @Test
    @Tag("DSP-10")
    void answersInAnotherOrderFindTheirCallers() throws Exception {
        Connection connection = wired.start();
        List<FutureTask<RawJson>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FutureTask<RawJson> call = new FutureTask<>(() -> connection.call("m", null));
            Thread.ofVirtual().start(call);
            assertThat(wired.peer.receive()).contains("\"id\":" + i);
            calls.add(call);
        }

        for (int i = 2; i >= 0; i--) {
            wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + i + ",\"result\":" + i * 10 + "}");
            assertThat(calls.get(i).get(20, TimeUnit.SECONDS)).hasToString(String.valueOf(i * 10));
        }
    }

    @Test
    @Tag("DSP-01")
    @Tag("DSP-12")
    void requestsRunBesideEachOtherAndAreAnsweredWhenTheyAreDone() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        wired.answering = request -> {
            if (request.method().equals("first")) {
                second.await();
            } else {
                second.countDown();
            }
            return RawJson.string(request.method());
        };
        wired.start();

        wired.peer.send(request(1, "first", "{\"sessionId\":\"s\"}"));
        wired.peer.send(request(2, "second", "{\"sessionId\":\"s\"}"));

        assertThat(List.of(wired.peer.receive(), wired.peer.receive()))
                .containsExactlyInAnyOrder(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"first\"}",
                        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"second\"}");
    }

    @Test
    void aRequestThatIsAnsweredWhenItIsReadIsAnsweredBeforeAllThatFollow() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        wired.hearing = (method, params) -> {
            busy.countDown();
            go.await();
        };
        wired.answeredAtOnce = "first";
        wired.start();
        wired.notifies("holds up the lane", "{}");
        busy.await();

        wired.peer.send(request(1, "first", "{}"));
        wired.peer.send(request(2, "second", "{\"sessionId\":\"s\"}"));

        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"at once\""));
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(2, "null"));
        go.countDown();
    }

    @Test
    @Tag("DSP-08")
    void anAnswerThatNobodyTakesDoesNotHoldUpTheReader() throws Exception {
        Connection connection = wired.start();
        Call forgotten = connection.start("m", null, RawJson.CODEC, null);
        assertThat(wired.peer.receive()).contains("\"m\"");
        wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}");

        wired.peer.send(request(5, "next", "[]"));

        assertThat(wired.peer.receive()).contains("\"id\":5");
        assertThat(forgotten.await()).hasToString("1");
    }

    @Test
    @Tag("DSP-07")
    @Tag("DSP-09")
    void whatIsDoneWithAnAnswerIsDoneBeforeTheNextMessage() throws Exception {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch heard = new CountDownLatch(1);
        wired.hearing = (method, params) -> {
            order.add(method);
            heard.countDown();
        };
        Connection connection = wired.start();
        Call call = connection.start("open", null, RawJson.CODEC, done -> () -> order.add("opened"));
        assertThat(wired.peer.receive()).contains("open");

        wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
        wired.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":{}}");

        assertThat(heard.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(call.await()).hasToString("{}");
        assertThat(order).containsExactly("opened", "update");
    }

    @Test
    @Tag("DSP-14")
    void aCancellationTakesEffectAlthoughItsRequestStillWaitsInItsLane() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Boolean> cancelled = Collections.synchronizedList(new ArrayList<>());
        wired.hearing = (method, params) -> {
            busy.countDown();
            go.await();
        };
        wired.answering = request -> {
            cancelled.add(request.isCancelled());
            if (request.isCancelled()) {
                throw RpcError.cancelled();
            }
            return RawJson.NULL;
        };
        wired.start();
        wired.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"slow\",\"params\":{}}");
        assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();
        wired.peer.send(request(1, "m", "{}"));
        wired.peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}");
        // Another lane shows that the cancellation has been read.
        wired.peer.send(request(2, "other", "{\"sessionId\":\"s\"}"));
        assertThat(wired.peer.receive()).contains("\"id\":2");

        go.countDown();

        assertThat(wired.peer.receive()).contains("\"id\":1").contains("-32800");
        assertThat(cancelled).containsExactly(false, true);
    }

    @Test
    @Tag("DSP-19")
    void anErrorOfTheMachineFailsItsRequestAlone() throws Exception {
        wired.answering = request -> {
            if (request.method().equals("deep")) {
                throw new StackOverflowError();
            }
            return RawJson.EMPTY_OBJECT;
        };
        wired.start();

        wired.peer.send(request(1, "deep", "{}"));
        assertThat(wired.peer.receive()).contains("\"id\":1").contains("-32603");
        wired.peer.send(request(2, "m", "{}"));

        assertThat(wired.peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    }
}
