package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that their callers no longer wait for. */
@Timeout(60)
class GivenUpCallTest {
    private static final Duration SOON = Duration.ofMillis(10);

    private final List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private final RawPeer peer = new RawPeer(pair.right());
    private final Connection connection = Connection.builder(pair.left(), new Deaf())
            .limits(Limits.STANDARD.withRequests(10, 2))
            .onProblem(problems::add)
            .start();

    private static final class Deaf implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept();
        }

        private Task accept() {
            return () -> RawJson.NULL;
        }

        @Override
        public Delivery notification(Message message) {
            return () -> handle();
        }

        private void handle() {}
    }

    @AfterEach
    void close() {
        peer.close();
        connection.close();
    }

    private Call call() throws InterruptedException {
        return connection.start("m", null, RawJson.CODEC, call -> () -> told.add(outcomeOf(call)));
    }

    private static String outcomeOf(Call call) {
        try {
            return call.id() + " " + call.result();
        } catch (RpcException e) {
            return call.id() + " " + e.getClass().getSimpleName();
        }
    }

    private void timesOut(Call call) {
        assertThatThrownBy(() -> call.await(SOON)).isInstanceOf(RequestTimeoutException.class);
    }

    private void answers(Call call) throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + call.id() + ",\"result\":true}");
    }

    /** Everything sent before has been handled when this is answered. */
    private void settle() throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":\"settle\",\"method\":\"m\"}");
        while (!peer.receive().contains("settle")) {
            // what we asked the peer before
        }
    }

    @Test
    @Tag("REQ-03")
    @Tag("REQ-10")
    void callsThatTimedOutMakeRoomForOthersAndTheirLateAnswersAreTold() throws Exception {
        Call first = call();
        Call second = call();
        assertThatThrownBy(this::call).isInstanceOf(IllegalStateException.class);

        timesOut(first);
        timesOut(second);
        Call third = call();
        answers(third);
        answers(second);
        answers(first);

        assertThat(third.await()).hasToString("true");
        settle();
        assertThat(told).containsExactly(third.id() + " true", second.id() + " true", first.id() + " true");
        assertThat(problems).isEmpty();
    }

    @Test
    void aCallWhoseCallerWasInterruptedMakesRoomToo() throws Exception {
        for (int i = 0; i < 5; i++) {
            Call call = call();
            Thread.currentThread().interrupt();
            assertThatThrownBy(call::await).isInstanceOf(InterruptedException.class);
        }

        Call last = call();
        answers(last);

        assertThat(last.await()).hasToString("true");
    }

    @Test
    @Tag("REQ-03")
    void ofManyThatAreNeverAnsweredTheOldestAreForgottenAndFail() throws Exception {
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Call call = call();
            timesOut(call);
            calls.add(call);
        }

        answers(calls.get(0));
        answers(calls.get(2));
        settle();

        assertThat(told)
                .containsExactly(
                        calls.get(0).id() + " RequestTimeoutException",
                        calls.get(2).id() + " true");
        assertThat(problems).extracting(Problem::kind).containsExactly(Problem.Kind.UNKNOWN_RESPONSE);
    }

    @Test
    void whoWaitsLongerForACallThatAnotherGaveUpGetsItsAnswer() throws Exception {
        Call call = call();
        timesOut(call);

        answers(call);

        assertThat(call.await()).hasToString("true");
    }
}
