package dev.acp4j.rpc;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Outgoing messages on their way through the interceptors: one {@link Outbox} hands them in, in order, and another
 * takes what comes out.
 */
final class Outgoing extends Interceptors implements MessageWriter {
    private final Connection connection;
    private final Outbox wire;
    private volatile @Nullable Thread thread;

    Outgoing(Connection connection, List<Interceptor> chain, Outbox wire) {
        super(connection, chain);
        this.connection = connection;
        this.wire = wire;
    }

    /** Whether an interceptor sends: its message does not wait for the one that is being intercepted. */
    boolean isOnOwnThread() {
        return Thread.currentThread().equals(thread);
    }

    @Override
    public void write(Message message) {
        if (thread == null) {
            thread = Thread.currentThread();
        }
        try {
            intercept(message);
        } catch (InterruptedException e) {
            // Nothing interrupts this thread but an interceptor of the program itself; the message is dropped.
            connection.dispatcher.problem(
                    Problem.Kind.INTERCEPTOR_FAILED, message.method() + ": an interceptor was interrupted", e);
        }
    }

    /** The connection ends, and an interceptor blocks. */
    void interrupt() {
        Thread own = thread;
        if (own != null) {
            own.interrupt();
        }
    }

    @Override
    void out(Message message) {
        boolean unused = wire.putUninterruptibly(connection.checked(message));
    }

    @Override
    void back(Message answer) throws InterruptedException {
        Objects.requireNonNull(connection.dispatcher.intake).receive(answer);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        wire.close();
    }
}
