package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What may pass a handler that waits for the peer, and what keeps its place. */
@Timeout(60)
class OvertakingTest {
    private static final String LANE = "{\"sessionId\":\"s\"}";

    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
    private final List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private final RawPeer peer = new RawPeer(pair.right());
    private @Nullable Connection opened;

    @AfterEach
    void close() {
        peer.close();
        connection().close();
    }

    private Connection connection() {
        return Objects.requireNonNull(opened);
    }

    /** Starts the connection under test; notifications are noted when their handler is done. */
    private Connection open(Handler handler) {
        return open(handler, Limits.STANDARD);
    }

    private Connection open(Handler handler, Limits limits) {
        opened = Connection.builder(pair.left(), handler)
                .limits(limits)
                .onProblem(problems::add)
                .start();
        return opened;
    }

    /** Calls the peer in each notification whose method begins with {@code call}, and in each request. */
    private class Calling implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept(request);
        }

        private Task accept(IncomingRequest request) throws Exception {
            return () -> call(request.method());
        }

        @Override
        public Delivery notification(Message message) {
            return () -> handle(message.method());
        }

        private void handle(String method) throws Exception {
            if (method.startsWith("call")) {
                call(method);
            }
            seen.add(method);
        }

        RawJson call(String method) throws InterruptedException {
            return connection().call("for-" + method, RawJson.parse(LANE));
        }
    }

    private void notifies(String method) throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + LANE + "}");
    }

    private void requests(int id, String method) throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + LANE + "}");
    }

    private void answers(int id) throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + id + "}");
    }

    /** Waits until what was sent to the lane before has been handled, and then what was reported of it. */
    private void settle() throws Exception {
        settle(RawJson.parse(LANE));
        settle(null);
    }

    private void settle(@Nullable RawJson params) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        connection().start("settle", params, RawJson.CODEC, call -> () -> done.countDown());
        String frame = peer.receive();
        answers(Integer.parseInt(frame.replaceAll(".*\"id\":(\\d+).*", "$1")));
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("DSP-05")
    void anAnswerThatNobodyWaitsForKeepsItsPlaceBehindAHandlerThatWaitsForThePeer() throws Exception {
        Handler handler = new Calling() {
            @Override
            public Acceptance request(IncomingRequest request) {
                return () -> accept();
            }

            private Task accept() {
                return () -> RawJson.NULL;
            }
        };
        Call unawaited =
                open(handler).start("unawaited", RawJson.parse(LANE), RawJson.CODEC, call -> () -> seen.add("told"));
        peer.receive();

        notifies("call");
        assertThat(peer.receive()).contains("for-call");
        answers(0);
        notifies("later");
        requests(7, "passes");
        assertThat(peer.receive()).contains("\"id\":7");
        assertThat(unawaited.isDone()).isFalse();
        answers(1);
        settle();

        assertThat(seen).containsExactly("call", "told", "later");
        assertThat(problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail()).contains("for-call"));
    }

    @Test
    @Tag("DSP-05")
    void anAnswerThatWaitsForNoHandlerOfThePeersKeepsItsPlaceToo() throws Exception {
        Handler handler = new Calling() {
            @Override
            public Acceptance request(IncomingRequest request) {
                return () -> accept();
            }

            private Task accept() {
                return () -> RawJson.NULL;
            }
        };
        Call prompt = open(handler).start("prompt", RawJson.parse(LANE), RawJson.CODEC, null);
        FutureTask<List<String>> waiting = new FutureTask<>(() -> {
            prompt.await();
            return List.copyOf(seen);
        });
        Thread.ofVirtual().start(waiting);
        peer.receive();

        notifies("call");
        assertThat(peer.receive()).contains("for-call");
        notifies("last");
        answers(0);
        requests(7, "passes");
        assertThat(peer.receive()).contains("\"id\":7");
        answers(1);

        assertThat(waiting.get(20, TimeUnit.SECONDS)).containsExactly("call", "last");
        assertThat(problems).noneMatch(problem -> problem.detail().contains("prompt"));
    }

    @Test
    @Tag("DSP-04")
    @Tag("DSP-15")
    void anAnswerThatAHandlerWaitsForMayPassOneThatWaitsForThePeerAndThatIsReported() throws Exception {
        open(new Calling());

        notifies("call");
        assertThat(peer.receive()).contains("for-call");
        requests(7, "needed");
        assertThat(peer.receive()).contains("for-needed");
        notifies("session/cancel");
        answers(1);
        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}");
        assertThat(seen).isEmpty();
        answers(0);
        settle();

        assertThat(seen).containsExactly("call", "session/cancel");
        assertThat(problems)
                .filteredOn(problem -> problem.detail().contains("for-needed"))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.kind()).isEqualTo(Problem.Kind.OUT_OF_ORDER);
                    assertThat(problem.detail()).contains("waits for the peer");
                });
    }

    @Test
    @Tag("DSP-04")
    void anAnswerThatItsHandlerBeganToWaitForLaterMayPassToo() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        CountDownLatch waitNow = new CountDownLatch(1);
        open(new Calling() {
            @Override
            public Acceptance request(IncomingRequest request) {
                return () -> accept();
            }

            private Task accept() throws Exception {
                Call call = connection().start("needed", RawJson.parse(LANE), RawJson.CODEC, null);
                return () -> {
                    waitNow.await();
                    return call.await();
                };
            }

            @Override
            public Delivery notification(Message message) {
                Delivery delivery = super.notification(message);
                return () -> {
                    answered.await();
                    delivery.deliver();
                };
            }
        });

        requests(7, "needs");
        assertThat(peer.receive()).contains("needed");
        notifies("call");
        answers(0);
        answered.countDown();
        assertThat(peer.receive()).contains("for-call");
        waitNow.countDown();

        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":0}");
        answers(1);
    }

    @Test
    @Tag("DSP-06")
    void anAnswerTakenByTheHandlerThatWaitsForItIsReportedOnlyWhenItPassesOthers() throws Exception {
        open(new Calling());

        notifies("call-alone");
        assertThat(peer.receive()).contains("for-call-alone");
        answers(0);
        settle();
        assertThat(problems).isEmpty();
        notifies("call");
        assertThat(peer.receive()).contains("for-call");
        notifies("later");
        answers(3);
        settle();

        assertThat(seen).containsExactly("call-alone", "call", "later");
        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(Problem.Kind.OUT_OF_ORDER);
            assertThat(problem.detail()).contains("for-call");
        });
    }

    @Test
    @Tag("DSP-06")
    void aHandlerThatDoesNotReturnIsReportedAsStuck() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Handler stuck = new Calling() {
            @Override
            public Delivery notification(Message message) {
                return () -> handle();
            }

            private void handle() throws Exception {
                release.await();
            }
        };
        Call call = open(stuck, Limits.STANDARD.withBarrierPatience(Duration.ofMillis(50)))
                .start("m", RawJson.parse(LANE), RawJson.CODEC, null);
        peer.receive();
        notifies("long");
        answers(0);

        assertThat(call.await()).hasToString("0");
        release.countDown();
        settle();

        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(Problem.Kind.HANDLER_STUCK);
            assertThat(problem.detail()).contains("m: ").contains("does not return");
        });
    }

    @Test
    @Tag("DSP-05")
    void anAnswerThatPassesAHandlerOfTheConnectionStillWaitsForTheUpdatesOfItsSession() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CompletableFuture<List<String>> seenBefore = new CompletableFuture<>();
        open(new Calling() {
            @Override
            public Acceptance request(IncomingRequest request) {
                return () -> accept();
            }

            private Task accept() {
                return () -> RawJson.NULL;
            }

            @Override
            public Delivery notification(Message message) {
                return () -> handle(message.method());
            }

            private void handle(String method) throws Exception {
                if (method.equals("update")) {
                    release.await();
                    seen.add(method);
                } else {
                    call("connection");
                    seenBefore.complete(List.copyOf(seen));
                }
            }
        });

        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"in-the-lane-of-the-connection\"}");
        assertThat(peer.receive()).contains("for-connection");
        notifies("update");
        answers(0);
        // The answer has been read, and there is time enough to return it too early.
        for (int i = 0; i < 20; i++) {
            peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"sessionId\":\"other\"}}");
            assertThat(peer.receive()).contains("\"result\"");
        }
        assertThat(seenBefore).isNotDone();
        release.countDown();

        assertThat(seenBefore.get(20, TimeUnit.SECONDS)).containsExactly("update");
        assertThat(problems).isEmpty();
    }
}
