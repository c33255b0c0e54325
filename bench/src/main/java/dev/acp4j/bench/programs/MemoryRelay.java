package dev.acp4j.bench.programs;

import com.sun.management.ThreadMXBean;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageParser;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Forwards within one process, from memory to memory: prints the messages a second of each round, first of
 * notifications, then of requests and their answers, then how many objects and bytes are allocated for each message of
 * both, those of the senders included. Objects are counted by a histogram of a heap that is too large to be collected.
 */
final class MemoryRelay {
    private static final int ROUNDS = 8;
    /** How many requests wait for their answers at once. */
    private static final int WINDOW = 256;

    private static final RawJson PARAMS = RawJson.parse("{\"sessionId\":\"one\",\"modeId\":\"ask\"}");
    private static final RawJson RESULT = RawJson.parse("{}");
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+(\\d+)");
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final RawJson UPDATE = RawJson.wrap(FloorAgent.UPDATE, 0, FloorAgent.UPDATE.length - 1);

    private MemoryRelay() {}

    /** Takes the messages of a round. */
    public static void main(String[] args) throws Exception {
        int messages = Integer.parseInt(args[0]);
        var in = MemoryTransport.pair();
        var out = MemoryTransport.pair();
        Relay.join(/* left= */ in.right(), /* right= */ out.left());
        for (int round = 0; round < ROUNDS; round++) {
            System.out.println((long) (messages / (forward(in.left(), out.right(), messages) / 1e9)));
        }
        for (int round = 0; round < ROUNDS; round++) {
            System.out.println((long) (messages / (answer(in.left(), out.right(), messages / 2) / 1e9)));
        }
        count(messages, () -> forward(in.left(), out.right(), messages));
        count(messages, () -> answer(in.left(), out.right(), messages / 2));
        System.exit(0);
    }

    private static void count(int messages, Callable<Long> round) throws Exception {
        System.gc();
        long objects = objects();
        long bytes = THREADS.getTotalThreadAllocatedBytes();
        round.call();
        bytes = THREADS.getTotalThreadAllocatedBytes() - bytes;
        System.out.println((double) (objects() - objects) / messages);
        System.out.println((double) bytes / messages);
    }

    private static long forward(Transport source, Transport sink, int messages)
            throws IOException, InterruptedException {
        Thread feeder = Thread.ofPlatform().unstarted(() -> feed(source.writer(), messages));
        long start = System.nanoTime();
        feeder.start();
        for (int left = messages; left > 0; left--) {
            sink.reader().read();
        }
        long nanos = System.nanoTime() - start;
        feeder.join();
        return nanos;
    }

    /** Sends requests, which the other side answers; each request and each answer is a message. */
    private static long answer(Transport source, Transport sink, int requests)
            throws IOException, InterruptedException {
        Semaphore window = new Semaphore(WINDOW);
        Thread asking = Thread.ofPlatform().unstarted(() -> ask(source.writer(), requests, window));
        Thread answering = Thread.ofPlatform().unstarted(() -> answer(sink, requests));
        long start = System.nanoTime();
        asking.start();
        answering.start();
        for (int left = requests; left > 0; left--) {
            if (source.reader().read() == null) {
                throw new IOException("the relay has ended");
            }
            window.release();
        }
        long nanos = System.nanoTime() - start;
        asking.join();
        answering.join();
        return nanos;
    }

    private static void ask(Transport.Writer writer, int requests, Semaphore window) {
        try {
            for (int id = 1; id <= requests; id++) {
                window.acquireUninterruptibly();
                writer.write(Message.request(RequestId.of(id), "session/set_mode", PARAMS));
            }
            writer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answer(Transport sink, int requests) {
        try {
            for (int left = requests; left > 0; left--) {
                Message request = Objects.requireNonNull(sink.reader().read());
                sink.writer().write(Message.result(Objects.requireNonNull(request.id()), RESULT));
                sink.writer().flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void feed(Transport.Writer writer, int messages) {
        try {
            MessageParser parser = new MessageParser();
            for (int left = messages; left > 0; left--) {
                writer.write(parser.parse(UPDATE));
            }
            writer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of objects in the heap, reachable or not. */
    private static long objects() throws JMException {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[] {"-all"}},
                        new String[] {String[].class.getName()});
        Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new IllegalStateException("no total in: " + histogram);
        }
        return Long.parseLong(total.group(1));
    }
}
