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

/** The writing thread on a machine on which it never gives up and sleeps, so that it must see all that happens. */
@Timeout(60)
class OutboxTest {
    private static final Machine SLEEPLESS = new Machine(Time.SYSTEM) {
        @Override
        long spinNanos() {
            return Long.MAX_VALUE / 2;
        }
    };

    /** Holds the message {@code "last"} until it is let go. */
    private static final class Holding implements MessageWriter {
        private final LinkedBlockingQueue<String> flushed = new LinkedBlockingQueue<>();
        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch let = new CountDownLatch(1);
        private String written = "";

        @Override
        public void write(RawJson message) throws IOException {
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
    private final Outbox outbox = new Outbox(writer, new RecentFrames(), 1000, SLEEPLESS, failure -> {});

    @Test
    void whatComesWhileTheWriterStaysAwakeIsWrittenAndItEnds() throws Exception {
        Thread.ofPlatform().daemon().start(outbox);
        for (int i = 0; i < 100; i++) {
            assertThat(outbox.put(RawJson.number(i))).isTrue();
            assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo(String.valueOf(i));
        }

        outbox.close();

        assertThat(outbox.awaitEnd(Duration.ofSeconds(20))).isTrue();
    }

    @Test
    void aWriterThatIsClosedWhileItWritesWritesTheRestAndEnds() throws Exception {
        Thread.ofPlatform().daemon().start(outbox);
        assertThat(outbox.put(RawJson.number(1))).isTrue();
        assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo("1");
        assertThat(outbox.put(RawJson.string("last"))).isTrue();
        assertThat(writer.held.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(outbox.put(RawJson.number(2))).isTrue();

        outbox.close();
        writer.let.countDown();

        assertThat(outbox.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(writer.flushed.poll(20, TimeUnit.SECONDS)).isEqualTo("\"last\"2");
    }
}
