package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing that was sent is lost, order is kept, nobody waits for ever. */
@Timeout(3600)
class LaneSchedulesTest {
    private static final RawJson LANE = RawJson.parse("{\"sessionId\":\"s\"}");

    private static Connection connect(Schedule schedule, Transport transport, Limits limits, Handler handler) {
        return Connection.builder(transport, handler)
                .limits(limits)
                .time(schedule)
                .start();
    }

    @Test
    void whatManySendIntoAFullOutboxArrivesInOrder() {
        Schedule.explore(schedule -> assertThat(heard(schedule, false)).hasSize(9));
    }

    @Test
    void whatManySendIntoAFullOutboxArrivesInOrderOrFailsWhenTheConnectionCloses() {
        Schedule.explore(schedule -> assertThat(heard(schedule, true)).hasSizeLessThan(10));
    }

    /** Lets three threads send three notifications each, and checks that what they sent is what is heard. */
    private static List<String> heard(Schedule schedule, boolean closedMeanwhile) throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        List<String> sent = Collections.synchronizedList(new ArrayList<>());
        MemoryTransport.Pair pair = MemoryTransport.pair(1);
        Handler hearing = new Played(method -> RawJson.NULL, (method, params) -> heard.add(method));
        Connection far = connect(schedule, pair.right(), Limits.STANDARD, hearing);
        Connection near = connect(schedule, pair.left(), Limits.STANDARD.withQueueBytes(1000, 1), Played.silent());

        Thread[] senders = new Thread[3];
        for (int i = 0; i < senders.length; i++) {
            String name = "s" + i;
            senders[i] = schedule.begin(name, () -> send(near, name, sent));
        }
        Thread closer = schedule.begin("closer", () -> {
            if (!closedMeanwhile) {
                Schedule.join(senders);
            }
            near.close();
        });
        Schedule.join(senders);
        closer.join();
        far.awaitClosed();

        assertThat(heard).containsExactlyInAnyOrderElementsOf(sent);
        for (Thread sender : senders) {
            assertThat(heard)
                    .filteredOn(text -> text.startsWith(sender.getName()))
                    .isSorted();
        }
        return heard;
    }

    private static void send(Connection connection, String name, List<String> sent) throws InterruptedException {
        try {
            for (int n = 0; n < 3; n++) {
                connection.send(name + n, null);
                sent.add(name + n);
            }
        } catch (ConnectionClosedException e) {
            // the rest was not sent
        }
    }

    @Test
    void whoSendsToAPeerThatDoesNotReadIsReleasedAtOnceWhenTheConnectionCloses() {
        Schedule.explore(schedule -> {
            MemoryTransport.Pair pair = MemoryTransport.pair(1);
            Connection near = connect(schedule, pair.left(), Limits.STANDARD.withQueueBytes(1000, 1), Played.silent());
            List<Long> released = Collections.synchronizedList(new ArrayList<>());
            Schedule.Body sending = () -> {
                try {
                    for (int n = 0; n < 10; n++) {
                        near.send("n", null);
                    }
                } catch (ConnectionClosedException e) {
                    released.add(schedule.millis());
                }
            };

            Schedule.join(
                    schedule.begin("one", sending),
                    schedule.begin("two", sending),
                    schedule.begin("closer", near::close));
            pair.right().close();

            assertThat(released).containsExactly(0L, 0L);
        });
    }

    @Test
    void anAnswerComesAfterEverythingBeforeItAndWithoutDelay() {
        Schedule.explore(schedule -> {
            List<String> heard = Collections.synchronizedList(new ArrayList<>());
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Connection[] far = new Connection[1];
            far[0] = connect(
                    schedule,
                    pair.right(),
                    Limits.STANDARD,
                    new Played(
                            method -> {
                                far[0].send("one", LANE);
                                far[0].send("of all", null);
                                far[0].send("two", LANE);
                                return RawJson.NULL;
                            },
                            (method, params) -> {}));
            Connection near = connect(
                    schedule, pair.left(), Limits.STANDARD, new Played(method -> RawJson.NULL, (method, params) -> {
                        Schedule.letOthersRun();
                        heard.add(method);
                    }));

            near.call("m", LANE);
            List<String> before = List.copyOf(heard);
            near.close();
            far[0].close();

            assertThat(before).containsExactlyInAnyOrder("one", "of all", "two").containsSubsequence("one", "two");
            assertThat(schedule.millis()).isZero();
        });
    }

    @Test
    void aFullLaneStopsTheReaderAndCloseEndsBoth() {
        Schedule.explore(schedule -> {
            AtomicInteger heard = new AtomicInteger();
            CountDownLatch never = new CountDownLatch(1);
            MemoryTransport.Pair pair = MemoryTransport.pair(1);
            Limits narrow = Limits.STANDARD.withQueueBytes(100, 100).withDrainTime(Duration.ofMillis(50));
            Connection far =
                    connect(schedule, pair.right(), narrow, new Played(method -> RawJson.NULL, (method, params) -> {
                        heard.incrementAndGet();
                        never.await();
                    }));
            Connection near = connect(schedule, pair.left(), narrow, Played.silent());

            Thread sender = schedule.begin("sender", () -> {
                try {
                    for (int n = 0; n < 10; n++) {
                        near.send("a-notification-of-some-length", LANE);
                    }
                } catch (ConnectionClosedException e) {
                    assertThat(far.isOpen()).isFalse();
                }
            });
            Thread closer = schedule.begin("closer", far::close);
            Schedule.join(closer, sender);
            near.close();

            assertThat(heard.get()).isLessThan(11);
        });
    }

    @Test
    void handlersThatWaitForEachOtherGoOn() {
        Schedule.explore(schedule -> {
            List<String> done = Collections.synchronizedList(new ArrayList<>());
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Connection[] ends = new Connection[2];
            for (int i = 0; i < 2; i++) {
                int me = i;
                Transport transport = i == 0 ? pair.left() : pair.right();
                Handler handler = new Played(
                        method -> switch (method) {
                            case "ask" -> ends[me].call("deep", LANE);
                            case "deep" -> ends[me].call("deeper", LANE);
                            default -> RawJson.NULL;
                        },
                        (method, params) -> {
                            ends[me].call("ask", LANE);
                            done.add(method + me);
                        });
                ends[i] = connect(schedule, transport, Limits.STANDARD, handler);
            }

            Schedule.join(
                    schedule.begin("left", () -> ends[0].send("go", LANE)),
                    schedule.begin("right", () -> ends[1].send("go", LANE)),
                    schedule.begin("caller", () -> ends[0].call("ask", LANE)));
            schedule.pause(2000);

            assertThat(done).containsExactlyInAnyOrder("go0", "go1");
            ends[0].close();
            ends[1].close();
        });
    }

    @Test
    void bothEndsCloseWhileTheyCallEachOther() {
        Schedule.explore(schedule -> {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Connection[] ends = new Connection[2];
            for (int i = 0; i < 2; i++) {
                int other = 1 - i;
                ends[i] = connect(
                        schedule,
                        i == 0 ? pair.left() : pair.right(),
                        Limits.STANDARD.withDrainTime(Duration.ofMillis(50)),
                        new Played(
                                method -> method.equals("deep") ? RawJson.NULL : ends[1 - other].call("deep", LANE),
                                (method, params) -> {}));
            }
            AtomicInteger released = new AtomicInteger();
            Thread[] callers = new Thread[2];
            for (int i = 0; i < 2; i++) {
                Connection mine = ends[i];
                callers[i] = schedule.begin("caller", () -> {
                    try {
                        mine.call("ask", LANE);
                    } catch (RpcException e) {
                        // however it ended
                    }
                    released.incrementAndGet();
                });
            }
            Schedule.join(schedule.begin("left", ends[0]::close), schedule.begin("right", ends[1]::close));
            Schedule.join(callers);

            assertThat(released).hasValue(2);
        });
    }
}
