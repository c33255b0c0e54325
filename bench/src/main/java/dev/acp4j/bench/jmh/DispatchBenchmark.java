package dev.acp4j.bench.jmh;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What a connection costs between its transport and a handler. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DispatchBenchmark {
    private static final int BURST = 10_000;
    private static final RawJson UPDATE = RawJson.parse("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":"
            + "{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","
            + "\"text\":\"The quick brown fox jumps over the lazy dog again.\"}}}}");

    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private final Counter counter = new Counter();
    private final Connection here = Connection.builder(pair.left(), counter).start();
    private final Connection there = Connection.builder(pair.right(), counter).start();

    /** Notifications that are read, sorted, queued and handed to the handler; the writer of the other end beside it. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void notificationsInABurst() throws IOException, InterruptedException {
        counter.left = new CountDownLatch(BURST);
        for (int i = 0; i < BURST; i++) {
            there.send("session/update", UPDATE);
        }
        counter.left.await();
    }

    /** A call and its answer, from thread to thread and back. */
    @Benchmark
    public RawJson call() throws InterruptedException {
        return here.call("ping", null);
    }

    /** Ends the threads. */
    @TearDown
    public void close() {
        here.close();
        there.close();
    }

    private static final class Counter implements Handler {
        private volatile CountDownLatch left = new CountDownLatch(0);

        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept();
        }

        private Task accept() {
            return () -> RawJson.EMPTY_OBJECT;
        }

        @Override
        public Delivery notification(Message message) {
            return () -> handle();
        }

        private void handle() {
            left.countDown();
        }
    }
}
