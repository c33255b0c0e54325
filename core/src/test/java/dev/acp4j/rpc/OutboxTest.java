package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The thread that writes messages. */
@Timeout(60)
class OutboxTest {
    /** Holds the message {@code "last"} until it is let go, and fails then if it is to. */
    private static final class Holding implements Transport.Writer {
        private final LinkedBlockingQueue<String> flushed = new LinkedBlockingQueue<>();
        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch let = new CountDownLatch(1);
        private final List<String> writtenInAll = Collections.synchronizedList(new ArrayList<>());
        private volatile @Nullable IOException failure;
        private String written = "";

        @Override
        public void write(Message message) throws IOException {
            writtenInAll.add(message.toString());
            written += message;
            if (written.equals("\"last\"")) {
                held.countDown();
                try {
                    let.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                if (failure != null) {
                    throw failure;
                }
            }
        }

        @Override
        public boolean takes(int bytes, long unread) {
            return true;
        }

        @Override
        public void flush() {
            flushed.add(written);
            written = "";
        }

        @Override
        public void close() {}
    }

    private final Holding writer = new Holding();
    private final LinkedBlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    private final CountDownLatch failing = new CountDownLatch(1);
    private final CountDownLatch explained = new CountDownLatch(1);
    private volatile @Nullable Thread handler;
    private final Outbox outbox =
            new Outbox(writer, new RecentMessages(), 1000, new Machine(Time.SYSTEM), new Crowding(), this::fail);

    @Test
    void loneMessagesAreFlushedAtOnceAndTheWriterEnds() throws Exception {
        Thread.ofPlatform().daemon().start(outbox);
        for (int i = 0; i < 100; i++) {
            assertThat(outbox.put(Message.parse(RawJson.number(i)), 1_000_000_000, -1))
                    .isEqualTo(Outbox.Put.QUEUED);
            assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo(String.valueOf(i));
        }

        outbox.close();

        assertThat(outbox.awaitEnd(Duration.ofSeconds(20))).isTrue();
    }

    @Test
    void aWriterThatIsClosedWhileItWritesWritesTheRestAndEnds() throws Exception {
        Thread.ofPlatform().daemon().start(outbox);
        assertThat(outbox.put(Message.parse("1"), 1_000_000_000, -1)).isEqualTo(Outbox.Put.QUEUED);
        assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo("1");
        assertThat(outbox.put(Message.parse("\"last\""), 1_000_000_000, -1)).isEqualTo(Outbox.Put.QUEUED);
        assertThat(writer.held.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(outbox.put(Message.parse("2"), 1_000_000_000, -1)).isEqualTo(Outbox.Put.QUEUED);

        outbox.close();
        writer.let.countDown();

        assertThat(outbox.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo("\"last\"2");
    }

    // ---- a thread that reads writes by itself

    @Test
    void aMessageThatIsQueuedWhileAnotherThreadWritesWakesTheWriter() throws Exception {
        Thread writing = startWriter();
        FutureTask<Outbox.Put> pass = passAndHold();
        assertThat(outbox.offered(Message.parse("2"))).isEqualTo(Outbox.Put.QUEUED);
        awaitWaiting(writing);

        writer.let.countDown();

        assertThat(pass.get(20, TimeUnit.SECONDS)).isEqualTo(Outbox.Put.QUEUED);
        assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo("\"last\"");
        assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo("2");
        outbox.close();
        assertThat(outbox.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(writer.writtenInAll).containsExactly("1", "\"last\"", "2");
        assertThat(failures).isEmpty();
    }

    @Test
    void aWriterThatIsClosedWhileAnotherThreadWritesEndsAfterIt() throws Exception {
        Thread writing = startWriter();
        FutureTask<Outbox.Put> pass = passAndHold();

        outbox.close();
        awaitWaiting(writing);
        assertThat(outbox.offered(Message.parse("2"))).isEqualTo(Outbox.Put.CLOSED);
        writer.let.countDown();

        assertThat(pass.get(20, TimeUnit.SECONDS)).isEqualTo(Outbox.Put.QUEUED);
        assertThat(outbox.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(writer.writtenInAll).containsExactly("1", "\"last\"");
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailureOfAnotherThreadIsHandledOnceByTheWriterWhichWritesNothingMore(boolean isClosed) throws Exception {
        Thread writing = startWriter();
        writer.failure = new IOException("Broken pipe");
        FutureTask<Outbox.Put> pass = passAndHold();
        assertThat(outbox.offered(Message.parse("2"))).isEqualTo(Outbox.Put.QUEUED);
        if (isClosed) {
            outbox.close();
        }
        writer.let.countDown();

        // The thread that reads goes on while the writer finds out why.
        assertThat(pass.get(20, TimeUnit.SECONDS)).isEqualTo(Outbox.Put.QUEUED);
        assertThat(failing.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(handler).isSameAs(writing);
        assertThat(outbox.pass(Message.parse("3"))).isEqualTo(isClosed ? Outbox.Put.CLOSED : Outbox.Put.QUEUED);
        explained.countDown();

        assertThat(outbox.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(failures).containsExactly(Objects.requireNonNull(writer.failure));
        assertThat(writer.writtenInAll).containsExactly("1", "\"last\"");
        assertThat(outbox.pass(Message.parse("4"))).isEqualTo(Outbox.Put.CLOSED);
        assertThat(outbox.bytes()).isZero();
    }

    /** Starts the writing thread and waits until it waits for messages: before that it would write all itself. */
    private Thread startWriter() throws InterruptedException {
        Thread writing = Thread.ofPlatform().daemon().start(outbox);
        assertThat(outbox.put(Message.parse("1"), 1_000_000_000, -1)).isEqualTo(Outbox.Put.QUEUED);
        assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo("1");
        awaitWaiting(writing);
        return writing;
    }

    /** Finds out why writing failed, which lasts. */
    private void fail(Throwable failure) {
        handler = Thread.currentThread();
        failures.add(failure);
        failing.countDown();
        try {
            explained.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Passes a message on a thread of its own, which is held while it writes. */
    private FutureTask<Outbox.Put> passAndHold() throws InterruptedException {
        FutureTask<Outbox.Put> pass = new FutureTask<>(() -> outbox.pass(Message.parse("\"last\"")));
        Thread.ofPlatform().daemon().start(pass);
        assertThat(writer.held.await(20, TimeUnit.SECONDS)).isTrue();
        return pass;
    }

    private static void awaitWaiting(Thread thread) throws InterruptedException {
        assertThat(Poll.until(() -> thread.getState() == Thread.State.WAITING)).isTrue();
    }
}
