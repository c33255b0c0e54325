package dev.acp4j.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A peer that does not read what it is sent, or not yet. */
@Timeout(60)
class StuckWriterTest {
    private static final int MESSAGES = 300;

    @RegisterExtension
    final Wired wired = new Wired();

    /** Takes nothing until it is let, and keeps only what was flushed. */
    private static final class Stuck extends OutputStream {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch let = new CountDownLatch(1);
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private volatile String flushed = "";

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            entered.countDown();
            try {
                let.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            taken.write(bytes, from, length);
        }

        @Override
        public void flush() {
            flushed = taken.toString(UTF_8);
        }
    }

    private static String notification(int number) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"m" + number + "\"}";
    }

    private static List<String> notifications(int count) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(notification(i));
        }
        return lines;
    }

    private static void send(Connection connection, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            connection.send("m" + i, null);
        }
    }

    @Test
    @Tag("FRM-23")
    void messagesAreReadWhileOurWriterIsStuckAndWhileItCatchesUp() throws Exception {
        LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
        wired.hearing = (method, params) -> heard.add(method);
        PipedInputStream in = new PipedInputStream();
        PipedOutputStream peer = new PipedOutputStream(in);
        Stuck out = new Stuck();
        Connection connection = wired.start(StreamTransport.of(in, out), Limits.STANDARD);
        send(connection, MESSAGES);
        assertThat(out.entered.await(20, TimeUnit.SECONDS)).isTrue();

        for (int i = 0; i < MESSAGES; i++) {
            peer.write((notification(i) + "\n").getBytes(UTF_8));
            peer.flush();
            assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo("m" + i);
            if (i == MESSAGES / 2) {
                out.let.countDown();
            }
        }

        connection.close();
        assertThat(out.flushed.lines()).containsExactlyElementsOf(notifications(MESSAGES));
    }

    /** Goes on sending until the connection takes no more, as it is closed; a full queue is waited for. */
    private static int sendUntilClosed(Connection connection, int before) throws InterruptedException {
        int sent = before;
        try {
            while (true) {
                connection.send("m" + sent, null);
                sent++;
            }
        } catch (ConnectionClosedException e) {
            return sent;
        }
    }

    /** A clock that stands: nobody loses patience. */
    private static final Time STANDING = new Time() {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
        public void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException {
            condition.await();
        }
    };

    private static FutureTask<@Nullable Void> closing(Connection connection) {
        FutureTask<@Nullable Void> closing = new FutureTask<>(() -> {
            connection.close();
            return null;
        });
        Thread.ofVirtual().start(closing);
        return closing;
    }

    @Test
    @Tag("CLS-09")
    void whatWasTakenBeforeTheCloseIsReadByAPeerThatComesLate() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair(1);
        wired.peer = new RawPeer(pair.right());
        Connection connection = Connection.builder(pair.left(), wired)
                .time(STANDING)
                .limits(Limits.STANDARD.withQueueBytes(10_000, 10_000))
                .start();

        send(connection, 100);
        FutureTask<@Nullable Void> closing = closing(connection);
        int sent = sendUntilClosed(connection, 100);
        List<String> received = Collections.synchronizedList(new ArrayList<>());
        for (String line = wired.peer.receive(); !line.equals("(end)"); line = wired.peer.receive()) {
            received.add(line);
        }

        closing.get(20, TimeUnit.SECONDS);
        assertThat(received).containsExactlyElementsOf(notifications(sent));
    }

    @Test
    @Tag("CLS-09")
    void whatWasTakenBeforeTheCloseIsWrittenAndFlushedToStreams() throws Exception {
        Stuck out = new Stuck();
        Connection connection = Connection.builder(
                        StreamTransport.of(new PipedInputStream(new PipedOutputStream()), out), wired)
                .time(STANDING)
                .limits(Limits.STANDARD.withQueueBytes(10_000, 10_000))
                .start();
        send(connection, 100);
        FutureTask<@Nullable Void> closing = closing(connection);
        int sent = sendUntilClosed(connection, 100);
        out.let.countDown();

        closing.get(20, TimeUnit.SECONDS);
        assertThat(out.flushed.lines()).containsExactlyElementsOf(notifications(sent));
    }
}
