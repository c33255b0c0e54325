package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call has one end, whatever meets; its caller is always released, and its place is free again. */
@Timeout(3600)
class CallSchedulesTest {
    private static final Limits ONE_CALL = Limits.STANDARD.withRequests(10, 1);

    /**
     * The other end of a connection, played on the wire: answers each request and counts what it was told to cancel.
     */
    private static final class Peer {
        final List<String> received = Collections.synchronizedList(new ArrayList<>());
        final Transport transport;

        Peer(Transport transport) {
            this.transport = transport;
        }

        /** Answers until the input ends, a while after each request. */
        void answerAll(Schedule schedule, long millis) throws Exception {
            Message message;
            while ((message = transport.reader().read()) != null) {
                String text = message.toString();
                received.add(text);
                if (!text.contains("$/cancel_request")) {
                    schedule.pause(millis);
                    send("{\"jsonrpc\":\"2.0\",\"id\":" + text.replaceAll(".*\"id\":(\\d+).*", "$1")
                            + ",\"result\":7}");
                }
            }
            transport.close();
        }

        void send(String text) throws Exception {
            transport.writer().write(Message.parse(text));
        }

        long cancellations() {
            return received.stream()
                    .filter(text -> text.contains("$/cancel_request"))
                    .count();
        }
    }

    private static String outcome(Call call, Duration timeout) {
        try {
            return call.await(timeout).toString();
        } catch (InterruptedException | RpcException e) {
            return e.getClass().getSimpleName();
        }
    }

    @Test
    void anAnswerACancellationAndTheEndMeet() {
        Schedule.explore(schedule -> {
            AtomicInteger told = new AtomicInteger();
            AtomicInteger handled = new AtomicInteger();
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Connection far = Connection.builder(
                            pair.right(),
                            new Played(
                                    method -> {
                                        handled.incrementAndGet();
                                        return RawJson.number(7);
                                    },
                                    (method, params) -> {}))
                    .time(schedule)
                    .start();
            Connection near = Connection.builder(pair.left(), Played.silent())
                    .time(schedule)
                    .start();
            List<String> outcomes = Collections.synchronizedList(new ArrayList<>());

            Call call = near.start("m", null, RawJson.CODEC, done -> () -> told.incrementAndGet());
            Schedule.join(
                    schedule.begin("caller", () -> outcomes.add(outcome(call, Duration.ZERO))),
                    schedule.begin("other caller", () -> outcomes.add(outcome(call, Duration.ZERO))),
                    schedule.begin("canceller", call::cancel),
                    schedule.begin("closer", near::close));
            far.close();

            assertThat(told).hasValue(1);
            assertThat(handled.get()).isLessThan(2);
            assertThat(outcomes).hasSize(2).containsAnyOf("7", "RpcError", "ConnectionClosedException");
            assertThat(outcomes.get(0)).isEqualTo(outcomes.get(1));
            assertThat(schedule.millis()).isZero();
        });
    }

    @Test
    void aCallBeginsWhileTheConnectionEnds() {
        Schedule.explore(schedule -> {
            List<String> outcomes = Collections.synchronizedList(new ArrayList<>());
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Connection far = Connection.builder(pair.right(), Played.silent())
                    .time(schedule)
                    .start();
            Connection near = Connection.builder(pair.left(), Played.silent())
                    .time(schedule)
                    .start();

            Schedule.join(
                    schedule.begin("caller", () -> {
                        try {
                            outcomes.add(near.call("m", null).toString());
                        } catch (ConnectionClosedException | RpcError e) {
                            outcomes.add("closed"); // here, or there
                        }
                    }),
                    schedule.begin("closer", near::close),
                    schedule.begin("other closer", far::close));

            assertThat(outcomes).hasSize(1).isSubsetOf("null", "closed");
            assertThat(schedule.millis()).isZero();
        });
    }

    @Test
    void twoThreadsCloseOneSide() {
        Schedule.explore(schedule -> {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Connection near = Connection.builder(pair.left(), Played.silent())
                    .time(schedule)
                    .start();

            Schedule.join(schedule.begin("closer", near::close), schedule.begin("other closer", near::close));

            assertThat(near.closedHere()).isTrue();
        });
    }

    @Test
    void aLateAnswerMeetsACallerThatGivesUp() {
        Schedule.explore(schedule -> {
            AtomicInteger told = new AtomicInteger();
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Peer peer = new Peer(pair.right());
            Thread answering = schedule.begin("peer", () -> peer.answerAll(schedule, 5));
            Connection near = Connection.builder(pair.left(), Played.silent())
                    .limits(ONE_CALL)
                    .time(schedule)
                    .start();

            Call call = near.start("m", null, RawJson.CODEC, done -> () -> told.incrementAndGet());
            String outcome = outcome(call, Duration.ofMillis(5));
            Call next = near.start("next", null, RawJson.CODEC, done -> () -> told.incrementAndGet());

            assertThat(outcome(next, Duration.ZERO)).isEqualTo("7");
            assertThat(outcome).isIn("7", "RequestTimeoutException");
            assertThat(told).hasValue(2);
            assertThat(peer.cancellations()).isLessThan(2);
            near.close();
            answering.join();
            assertThat(told).hasValue(2);
        });
    }

    @Test
    void anInterruptMeetsTheAnswer() {
        Schedule.explore(schedule -> {
            AtomicInteger told = new AtomicInteger();
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Peer peer = new Peer(pair.right());
            Thread answering = schedule.begin("peer", () -> peer.answerAll(schedule, 0));
            Connection near = Connection.builder(pair.left(), Played.silent())
                    .limits(ONE_CALL)
                    .time(schedule)
                    .start();
            List<@Nullable String> outcomes = Collections.synchronizedList(new ArrayList<>());

            Thread caller = schedule.begin("caller", () -> {
                Call call = near.start("m", null, RawJson.CODEC, done -> () -> told.incrementAndGet());
                outcomes.add(outcome(call, Duration.ZERO));
            });
            Schedule.join(caller, schedule.begin("interrupting", caller::interrupt));

            // Sending fails when it is interrupted, too; nothing was sent then.
            assertThat(outcomes).hasSizeLessThan(2).isSubsetOf("7", "InterruptedException");
            assertThat(near.call("next", null)).hasToString("7");
            assertThat(peer.cancellations())
                    .isEqualTo(outcomes.contains("InterruptedException") ? peer.cancellations() : 0)
                    .isLessThan(2);
            near.close();
            answering.join();
            assertThat(told.get()).isEqualTo(outcomes.size());
        });
    }

    @Test
    void aRequestIsAnsweredOnceWhenACancellationAndTheEndMeetIt() {
        Schedule.explore(schedule -> {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Connection near = Connection.builder(
                            pair.left(),
                            new Played(
                                    method -> {
                                        schedule.pause(3);
                                        return RawJson.number(7);
                                    },
                                    (method, params) -> {}))
                    .time(schedule)
                    .start();
            Peer peer = new Peer(pair.right());
            Thread reading = schedule.begin("peer", () -> {
                for (Message message; (message = pair.right().reader().read()) != null; ) {
                    peer.received.add(message.toString());
                }
            });

            peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}");
            Schedule.join(
                    schedule.begin(
                            "canceller",
                            () -> peer.send(
                                    "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}")),
                    schedule.begin("closer", () -> {
                        schedule.pause(3);
                        near.close();
                    }));
            reading.join();
            pair.right().close();

            assertThat(peer.received).singleElement().asString().contains("\"id\":1");
        });
    }
}
