package dev.acp4j.rpc;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a connection ends: takes no more work, lets handlers finish for a while, interrupts what is left, fails the calls
 * whose answers will not come, writes out what is queued and closes the transport.
 */
final class Ending implements Consumer<Throwable> {
    static final Duration WRITE_OUT_TIME = Duration.ofSeconds(2);
    private static final Duration INTERRUPTED_TIME = Duration.ofSeconds(1);

    /** How long a peer that reads no more is read from, so that what it said last is not overtaken by its end. */
    private static final Duration LAST_WORDS_TIME = Duration.ofSeconds(1);

    private static final int RESERVE_BYTES = 512 * 1024;

    @SuppressWarnings("StaticAssignmentOfThrowable") // It is made while there is memory.
    private static final ConnectionClosedException EXHAUSTED =
            new ConnectionClosedException("this program ran out of memory", null, null);

    /** Memory to end connections with when there is none left. One reserve for the JVM, as the heap is one. */
    @SuppressWarnings("UnusedVariable") // It is there to be released.
    private static volatile byte @Nullable [] reserve = new byte[RESERVE_BYTES];

    private final Connection connection;
    private final ConnectionState state;
    final Transport transport;
    private final boolean answersAfterInput;
    private final @Nullable Runnable onEnded;
    private final @Nullable Runnable lastHandlers;
    private final CountDownLatch ended = new CountDownLatch(1);

    Ending(Connection connection, Connection.Builder builder) {
        this.connection = connection;
        this.state = connection.state;
        this.transport = builder.transport;
        this.answersAfterInput = builder.answersAfterInput;
        this.onEnded = builder.onEnded;
        this.lastHandlers = builder.lastHandlers;
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
    public void accept(Throwable thrown) {
        Throwable failure = thrown instanceof IOException broken ? transport.explain(broken) : thrown;
        if (answersAfterInput && !isReaderGone(failure)) {
            // A peer that has ended its side still waits for the answers, which are lost now.
            state.failed(failure);
        }
        fail(failure);
    }

    /** A peer that has closed both sides waits for no answers. */
    private static boolean isReaderGone(Throwable failure) {
        String why = String.valueOf(failure.getMessage());
        return failure instanceof ClosedChannelException
                || why.equals(MemoryTransport.READER_IS_GONE)
                || why.contains("Broken pipe")
                || why.contains("Connection reset");
    }

    /** Ends the connection because it cannot go on; does not wait, unless there is no memory for another thread. */
    void fail(Throwable failure) {
        if (failure instanceof OutOfMemoryError) {
            reserve = null;
        }
        try {
            endLater(failure);
        } catch (OutOfMemoryError e) {
            end(e, false);
        }
    }

    /** Ends the connection on a thread of its own. */
    void endLater(@Nullable Throwable failure) {
        connection.machine.startThread(connection.name() + "-closing", () -> end(failure, false));
    }

    /** Ends the connection; the first caller does all of it. */
    void end(@Nullable Throwable failure, boolean inputEnded) {
        boolean exhausted = failure instanceof OutOfMemoryError;
        boolean readerIsGone = failure != null || (inputEnded && !answersAfterInput);
        if (readerIsGone && !exhausted) {
            // Before the connection refuses what is sent: who can wait for another one does.
            connection.dispatcher.ending();
        }
        boolean first = state.drain(failure);
        if (inputEnded) {
            state.inputEnded();
        }
        try {
            if (exhausted) {
                freeMemory();
            }
            if (inputEnded || exhausted) {
                failCalls();
            }
            if (readerIsGone) {
                // Nobody is there to read the answers. What was read is still handled: its handlers are left alone.
                connection.dispatcher.ending();
                state.cancelRequests();
            }
            if (first) {
                if (failure != null && isReaderGone(failure)) {
                    // What the peer said before its end comes before the failure of its calls.
                    state.awaitInputEnd(LAST_WORDS_TIME.toNanos());
                }
                drain(exhausted ? Duration.ZERO : connection.limits().drainTime());
            }
        } finally {
            if (first) {
                finish();
            }
        }
    }

    /** What follows needs memory, and nothing that waits will be handled any more. */
    private void freeMemory() {
        reserve = null;
        state.discardMessages();
    }

    private void drain(Duration time) {
        if (!state.awaitRest(Limits.nanos(time))) {
            connection.dispatcher.ending();
            state.interruptHandlers();
        }
        failCalls();
        // Listeners of failed calls, too, return before awaitClosed() does.
        boolean unused = state.awaitRest(INTERRUPTED_TIME.toNanos());
        connection.writeOut(WRITE_OUT_TIME);
    }

    private void finish() {
        try {
            transport.close();
        } finally {
            try {
                failCalls();
                connection.dispatcher.deliverAll(state.close());
            } finally {
                try {
                    connection.measurements.ended();
                    runLastHandlers();
                    if (onEnded != null) {
                        onEnded.run();
                    }
                } finally {
                    connection.machine.close();
                    ended.countDown();
                    restoreReserve();
                }
            }
        }
    }

    private static void restoreReserve() {
        if (reserve == null) {
            try {
                reserve = new byte[RESERVE_BYTES];
            } catch (OutOfMemoryError e) {
                // The next connection that ends tries again.
            }
        }
    }

    private void runLastHandlers() {
        Runnable handlers = lastHandlers;
        if (handlers == null) {
            return;
        }
        CountDownLatch done = new CountDownLatch(1);
        connection.machine.startThread(connection.name() + "-freeing", () -> {
            try {
                handlers.run();
            } finally {
                done.countDown();
            }
        });
        Duration drainTime = connection.limits().drainTime();
        try {
            Duration time = drainTime.compareTo(INTERRUPTED_TIME) < 0 ? INTERRUPTED_TIME : drainTime;
            boolean unused = done.await(Limits.nanos(time), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the steps whose answer will not come; answers that were read already are on their way in their lanes. */
    private void failCalls() {
        Step step;
        while ((step = state.takeOpen()) != null) {
            connection.dispatcher.abandon(step, why(step));
            state.placed();
        }
    }

    private RpcException why(Step step) {
        try {
            return connection.closed(step.name());
        } catch (OutOfMemoryError e) {
            return EXHAUSTED;
        }
    }
}
