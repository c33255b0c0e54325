package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that writes messages. */
@Timeout(60)
class OutboxTest {
    /** Holds the message {@code "last"} until it is let go. */
    private static final class Holding implements Transport.Writer {
        private final LinkedBlockingQueue<String> flushed = new LinkedBlockingQueue<>();
        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch let = new CountDownLatch(1);
        private String written = "";

        @Override
        public void write(Message message) throws IOException {
            written += message;
            if (written.equals("\"last\"")) {
                held.countDown();
                try {
                    let.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
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
    private final Outbox outbox =
            new Outbox(writer, new RecentMessages(), 1000, new Machine(Time.SYSTEM), new Crowding(), failure -> {});

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
}
