package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A session whose handlers are slow is paused where the transport can do that, and holds up no other one. */
@Timeout(60)
@Tag("DUR-30")
class PausedSessionTest {
    /** More than a lane may hold while a thread waits. */
    private static final int MANY = 100;

    /** A transport whose peer is played by hand, and that hands out nothing of sessions that are paused. */
    private static final class Streams implements Transport, Transport.Reader {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ArrayDeque<Message> arrived = new ArrayDeque<>();
        private final Set<String> paused = new HashSet<>();
        private final List<String> written = new ArrayList<>();
        private boolean isOver;

        void says(String json) {
            lock.lock();
            try {
                arrived.add(Message.parse(json));
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void notifies(String session, int number) {
            says("{\"jsonrpc\":\"2.0\",\"method\":\"n" + number + "\",\"params\":{\"sessionId\":\"" + session + "\"}}");
        }

        void notifiesOften(String session) {
            for (int i = 0; i < MANY; i++) {
                notifies(session, i);
            }
        }

        /** Waits until what was written says something. */
        void awaitWritten(String part) throws InterruptedException {
            lock.lock();
            try {
                while (written.stream().noneMatch(text -> text.contains(part))) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }

        void awaitPaused(String session, boolean isPaused) throws InterruptedException {
            lock.lock();
            try {
                while (paused.contains(session) != isPaused) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Returns how much of a session was not handed out. */
        long unread(String session) {
            lock.lock();
            try {
                return arrived.stream()
                        .filter(message -> message.session().equals(session))
                        .count();
            } finally {
                lock.unlock();
            }
        }

        void end() {
            lock.lock();
            try {
                isOver = true;
                paused.clear();
                changed.signalAll();
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
            lock.lock();
            try {
                boolean pauses = isPaused && !isOver;
                boolean unused = pauses ? paused.add(session) : paused.remove(session);
                changed.signalAll();
                return pauses;
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
                public void write(Message message) {
                    lock.lock();
                    try {
                        written.add(message.raw().toString());
                        changed.signalAll();
                    } finally {
                        lock.unlock();
                    }
                }

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
                arrived.clear();
                isOver = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @RegisterExtension
    final Wired wired = new Wired();

    private final Streams streams = new Streams();
    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    private Connection start(Duration patience) {
        return wired.start(
                streams,
                Limits.STANDARD
                        .withQueueBytes(2000, 1_000_000)
                        .withBarrierPatience(patience)
                        .withRequestTimeout(Duration.ZERO));
    }

    private static String session(@Nullable RawJson params) {
        return String.valueOf(params).contains("\"slow\"") ? "slow" : "other";
    }

    private static RawJson params(String session) {
        return RawJson.parse("{\"sessionId\":\"" + session + "\"}");
    }

    private static List<String> all(String session) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(session + " n" + i);
        }
        return all;
    }

    private List<String> heard(String session) {
        return List.copyOf(heard).stream()
                .filter(text -> text.startsWith(session))
                .toList();
    }

    /** The first message of the slow session is handled for as long as the test wants. */
    private void hearSlowly() {
        wired.hearing = (method, params) -> {
            String session = session(params);
            if (session.equals("slow")) {
                mayGoOn.await();
            }
            heard.add(session + " " + method);
        };
    }

    @Test
    void othersGoOnAndThenTheSlowOneDoesInOrder() throws Exception {
        hearSlowly();
        Connection connection = start(Duration.ofHours(1));
        streams.notifiesOften("slow");
        streams.notifiesOften("other");
        Call call = connection.start("m", params("other"), RawJson.CODEC, null);
        streams.awaitWritten("\"m\"");
        streams.says(Wired.result(0, "{\"sessionId\":\"other\"}"));
        call.await();
        List<String> others = heard("other");
        long unread = streams.unread("slow");
        mayGoOn.countDown();
        Call last = connection.start("m", params("slow"), RawJson.CODEC, null);
        streams.says(Wired.result(1, "{\"sessionId\":\"slow\"}"));
        last.await();
        streams.awaitPaused("slow", false);

        assertThat(others).isEqualTo(all("other"));
        assertThat(unread).isGreaterThan(MANY - 10);
        assertThat(heard("slow")).isEqualTo(all("slow"));
    }

    /** It could only be read that there is no room for the answer. */
    @Test
    void aHandlerThatWaitsHasItsSessionReadAndItsWaitFails() throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        CompletableFuture<Connection> connection = new CompletableFuture<>();
        wired.hearing = (method, params) -> {
            if (method.equals("n0")) {
                mayGoOn.await();
                try {
                    outcome.complete("ended with " + connection.get().call("m", params("slow")));
                } catch (WouldDeadlockException e) {
                    outcome.complete("would never end");
                }
            }
            heard.add(session(params) + " " + method);
        };
        connection.complete(start(Duration.ofHours(1)));
        streams.notifiesOften("slow");
        streams.awaitPaused("slow", true);
        mayGoOn.countDown();

        assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("would never end");
        Call other = connection.get().start("m", params("other"), RawJson.CODEC, null);
        streams.says(Wired.result(1, "{}"));
        assertThat(outcome(other)).isEqualTo("ended");
    }

    /** A step that nothing ends. */
    private static final class Never extends Step {
        Never(Connection connection, String session) {
            super(connection, session);
        }

        @Override
        protected String name() {
            return "nothing";
        }
    }

    private static String outcome(Step step) throws InterruptedException {
        try {
            step.join();
            return "ended";
        } catch (WouldDeadlockException e) {
            return "would never end";
        }
    }

    @Test
    void aWaitForThePausedSessionEndsAfterTheBarriersPatienceAndOneForAnotherGoesOn() throws Exception {
        hearSlowly();
        Connection connection = start(Duration.ofMillis(50));
        streams.notifiesOften("slow");
        streams.awaitPaused("slow", true);
        Call other = connection.start("m", params("other"), RawJson.CODEC, null);
        FutureTask<String> ofOther = new FutureTask<>(() -> outcome(other));
        Thread.ofPlatform().daemon().start(ofOther);

        String ofSlow = outcome(new Never(connection, "slow"));
        streams.says(Wired.result(0, "{}"));

        assertThat(ofSlow).isEqualTo("would never end");
        assertThat(ofOther.get(20, TimeUnit.SECONDS)).isEqualTo("ended");
        mayGoOn.countDown();
    }

    /** What a thread outside of the lanes has not taken counts, too, unless it waits for something else itself. */
    @Test
    void aSessionIsPausedForTheReaderOfATurnAndReadWhileThatWaits() throws Exception {
        CompletableFuture<Connection.Backlog> backlog = new CompletableFuture<>();
        CompletableFuture<Connection> connection = new CompletableFuture<>();
        Handler kept = new Handler() {
            @Override
            public @Nullable Acceptance request(IncomingRequest request) {
                return () -> () -> RawJson.NULL;
            }

            @Override
            public @Nullable Delivery notification(Message message) throws InterruptedException {
                if (!backlog.join().add(200)) {
                    backlog.join().awaitRoom();
                }
                return null;
            }
        };
        Connection made = Connection.builder(streams, kept)
                .limits(Limits.STANDARD.withQueueBytes(2000, 1_000_000).withBarrierPatience(Duration.ofHours(1)))
                .create();
        connection.complete(made);
        backlog.complete(made.newBacklog("slow"));
        backlog.join().consumedBy(Thread.currentThread());
        made.start();
        streams.notifiesOften("slow");
        streams.awaitPaused("slow", true);
        long unread = streams.unread("slow");
        String outcome = outcome(made.start("m", params("other"), RawJson.CODEC, null));
        backlog.join().consumedBy(null);
        streams.awaitPaused("slow", false);
        made.close();

        assertThat(unread).isGreaterThan(MANY - 10);
        assertThat(outcome).isEqualTo("would never end");
    }

    @Test
    void aConnectionEndsWithAPausedSession() throws Exception {
        hearSlowly();
        Connection connection = wired.start(
                streams, Limits.STANDARD.withQueueBytes(2000, 1_000_000).withDrainTime(Duration.ofMillis(50)));
        streams.notifiesOften("slow");
        streams.awaitPaused("slow", true);

        connection.close();

        assertThat(heard("other")).isEmpty();
        assertThat(connection.failure()).isEmpty();
    }

    @Test
    void whatWasPausedArrivesBeforeTheEnd() throws Exception {
        hearSlowly();
        Connection connection = start(Duration.ofHours(1));
        streams.notifiesOften("slow");
        streams.awaitPaused("slow", true);

        streams.end();
        mayGoOn.countDown();
        connection.awaitClosed();

        assertThat(heard("slow")).isEqualTo(all("slow"));
    }
}
