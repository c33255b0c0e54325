package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However the threads that pause a session and let it go on run, none stays paused, and all of it arrives. */
@Timeout(3600)
@Tag("DUR-30")
class PauseSchedulesTest {
    private static final int MESSAGES = 8;

    /** A transport whose sessions can be paused. */
    private static final class Streams implements Transport, Transport.Reader {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ArrayDeque<Message> arrived = new ArrayDeque<>();
        private final Set<String> paused = new HashSet<>();
        int pauses;
        private boolean isOver;

        void notifies(String session, int number) {
            lock.lock();
            try {
                arrived.add(Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"n" + number
                        + "\",\"params\":{\"sessionId\":\"" + session + "\"}}"));
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void awaitNonePaused() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!paused.isEmpty()) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public @Nullable Message read() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (true) {
                    for (Message message : arrived) {
                        if (!paused.contains(message.session())) {
                            arrived.remove(message);
                            return message;
                        }
                    }
                    if (isOver) {
                        return null;
                    }
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean pause(String session, boolean isPaused) {
            Schedule.letOthersRun();
            lock.lock();
            try {
                pauses += isPaused ? 1 : 0;
                boolean unused = isPaused ? paused.add(session) : paused.remove(session);
                changed.signalAll();
                return true;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public Reader reader() {
            return this;
        }

        @Override
        public Writer writer() {
            return new Writer() {
                @Override
                public void write(Message message) {}

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {
            lock.lock();
            try {
                isOver = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Ends when the last message has been handled. */
    private static final class Last extends Step {
        Last(Connection connection) {
            super(connection, "s");
        }

        @Override
        protected String name() {
            return "the last message";
        }
    }

    @Test
    void allOfAPausedSessionArrivesInOrderAndWithoutDelay() {
        int[] pauses = new int[1];
        Schedule.explore(schedule -> {
            Streams streams = new Streams();
            List<String> heard = new ArrayList<>();
            CompletableFuture<Last> last = new CompletableFuture<>();
            Handler hearing = new Played(method -> RawJson.NULL, (method, params) -> {
                Schedule.letOthersRun();
                heard.add(method);
                if (heard.size() == MESSAGES) {
                    last.join().connection.end(last.join());
                }
            });
            Connection connection = Connection.builder(streams, hearing)
                    .limits(Limits.STANDARD.withQueueBytes(1000, 1000))
                    .time(schedule)
                    .start();
            last.complete(new Last(connection));
            for (int i = 0; i < MESSAGES; i++) {
                streams.notifies("s", i);
            }

            last.join().join();
            List<String> all = List.copyOf(heard);
            // A session that stays paused is found as a thread that nothing wakes.
            streams.awaitNonePaused();
            connection.close();

            assertThat(all)
                    .isEqualTo(IntStream.range(0, MESSAGES)
                            .mapToObj(number -> "n" + number)
                            .toList());
            assertThat(schedule.millis()).isZero();
            pauses[0] += streams.pauses;
        });

        assertThat(pauses[0]).isPositive();
    }
}
