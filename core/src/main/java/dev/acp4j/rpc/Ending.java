package dev.acp4j.rpc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a connection ends, whoever ends it: takes no more work, lets handlers finish for a while, interrupts what is
 * left, tells those who wait for answers that will not come, writes out what is queued and closes the transport.
 */
final class Ending implements Consumer<Throwable> {
    private static final Duration WRITE_OUT_TIME = Duration.ofSeconds(2);
    private static final Duration INTERRUPTED_TIME = Duration.ofSeconds(1);

    private final Connection connection;
    private final ConnectionState state;
    private final Transport transport;
    private final boolean answersAfterInput;
    private final @Nullable Runnable onEnded;
    private final CountDownLatch ended = new CountDownLatch(1);

    Ending(Connection connection, Connection.Builder builder) {
        this.connection = connection;
        this.state = connection.state();
        this.transport = builder.transport;
        this.answersAfterInput = builder.answersAfterInput;
        this.onEnded = builder.onEnded;
    }

    void await() throws InterruptedException {
        ended.await();
    }

    boolean await(Duration time) throws InterruptedException {
        return ended.await(Limits.nanos(time), TimeUnit.NANOSECONDS);
    }

    void awaitQuietly() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writing has failed, and its thread cannot wait for its own end. */
    @Override
    public void accept(Throwable failure) {
        endLater(failure);
    }

    /** Ends the connection on a thread of its own. */
    void endLater(@Nullable Throwable failure) {
        connection.machine().startVirtual(connection.name() + "-closing", () -> end(failure, false));
    }

    /** Ends the connection; whoever comes first does all of it. */
    void end(@Nullable Throwable failure, boolean inputEnded) {
        boolean first = state.drain(failure);
        if (inputEnded) {
            failCalls();
        }
        if (failure != null || (inputEnded && !answersAfterInput)) {
            // Nobody is there to read the answers. What was read is still handled: its handlers are left alone.
            state.requests.cancelAll();
        }
        if (!first) {
            return;
        }
        try {
            drain();
        } finally {
            try {
                transport.close();
            } finally {
                state.close().forEach(connection.dispatcher().answers()::complete);
                try {
                    connection.measurements().ended();
                    if (onEnded != null) {
                        onEnded.run();
                    }
                } finally {
                    ended.countDown();
                }
            }
        }
    }

    private void drain() {
        if (!state.awaitRest(Limits.nanos(connection.limits().drainTime()))) {
            state.interruptHandlers();
        }
        failCalls();
        // Also for those who are told that their calls failed: they come before whoever waits for our end.
        boolean unused = state.awaitRest(INTERRUPTED_TIME.toNanos());
        connection.outbox().close();
        unused = connection.outbox().awaitEnd(WRITE_OUT_TIME);
    }

    /** Ends the calls whose answer will not come; answers that were read already are on their way in their lanes. */
    private void failCalls() {
        List<Call> calls = state.calls.abandoned();
        for (Call call : calls) {
            call.fail(connection.closed(call.method()));
            connection.dispatcher().answers().handOver(call, call.lane());
        }
        state.calls.handedOver(calls);
    }
}
