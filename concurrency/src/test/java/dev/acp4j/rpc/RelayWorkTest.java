package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.acp4j.json.RawJson;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Allocation and waits of a relay. Not its time, which depends on the machine. */
@Timeout(60)
class RelayWorkTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final RawJson PARAMS = RawJson.parse("{\"sessionId\":\"s\"}");

    private static Message read(Transport from) throws Exception {
        return Objects.requireNonNull(from.reader().read());
    }

    @Test
    void aRequestMadeInThisJvmIsPassedOnWithoutBeingReadAgain() throws Exception {
        MemoryTransport.Pair asking = MemoryTransport.pair();
        MemoryTransport.Pair answering = MemoryTransport.pair();
        Link link = new Link(Link.Interception.NONE);
        List<Connection> connections = Link.start(
                Connection.builder(asking.right(), Link.handler(link.left())),
                Connection.builder(answering.left(), Link.handler(link.right())));
        int requests = 5_000;
        try {
            long before = THREADS.getTotalThreadAllocatedBytes();
            for (int i = 0; i < requests; i++) {
                asking.left().writer().write(Message.request(RequestId.of(i), "m", PARAMS));
                RequestId there = Objects.requireNonNull(read(answering.right()).id());
                answering.right().writer().write(Message.result(there, PARAMS));
                Message unused = read(asking.left());
            }
            long bytes = (THREADS.getTotalThreadAllocatedBytes() - before) / requests;

            // To read a message takes more than a kilobyte with the tables of a new parser.
            assertThat(bytes).isLessThan(2_500);
        } finally {
            asking.left().close();
            answering.right().close();
            connections.forEach(Connection::close);
        }
    }

    /** A writer that goes on with each message that is read does little but fall asleep and wake. */
    @Test
    void aWriterThatWaitsInMemoryGoesOnWhenHalfOfTheQueueIsFree() throws Exception {
        int held = 100;
        int messages = 40 * held;
        MemoryTransport.Pair pair = MemoryTransport.pair(held * PARAMS.length());
        FutureTask<Long> writing = new FutureTask<>(() -> {
            for (int i = 0; i < messages; i++) {
                pair.left().writer().write(Message.parse(PARAMS));
            }
            return THREADS.getThreadInfo(Thread.currentThread().threadId()).getWaitedCount();
        });
        Thread.ofPlatform().start(writing);
        RawJson work = RawJson.parse("[" + "1,".repeat(20_000) + "1]");

        for (int i = 0; i < messages; i++) {
            assertThat(read(pair.right()).length()).isEqualTo(PARAMS.length());
            // A reader that takes its time, so that the queue is full.
            assertThat(work.compact()).isSameAs(work);
        }

        // Twice as often as for want of room: it may wait for the lock, too.
        assertThat(writing.get()).isLessThan(2 * messages / (held / 2));
    }
}
