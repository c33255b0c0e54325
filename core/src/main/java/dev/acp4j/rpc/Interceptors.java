package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The interceptors of one direction, and what is behind them. */
abstract class Interceptors {
    final Connection connection;
    private final List<Interceptor> chain;

    Interceptors(Connection connection, List<Interceptor> chain) {
        this.connection = connection;
        this.chain = List.copyOf(chain);
    }

    /** Takes a message that has come through. */
    abstract void out(Message message) throws InterruptedException;

    /** Sends an answer back to where the request came from. */
    abstract void back(Message answer) throws InterruptedException;

    /** Hands a message to all interceptors. What one of them throws concerns this message only. */
    final void intercept(Message message) throws InterruptedException {
        intercept(message, 0);
    }

    private void intercept(Message message, int index) throws InterruptedException {
        if (index == chain.size()) {
            out(message);
            return;
        }
        Onward onward = new Onward(message, index);
        try {
            chain.get(index).intercept(message, onward);
        } catch (Exception e) {
            if (e instanceof InterruptedException interrupted && !connection.isOpen()) {
                throw interrupted;
            }
            connection.dispatcher.problem(
                    Problem.Kind.INTERCEPTOR_FAILED, message.method() + ": an interceptor failed: " + e, e);
            if (onward.state.compareAndSet(Onward.FRESH, Onward.FAILED)) {
                failed(message, index, e);
            }
        }
    }

    /** Answers a request, and lets an answer go on as an error: somebody waits for it. */
    private void failed(Message message, int index, Exception failure) throws InterruptedException {
        Message.Kind kind = message.kind();
        RequestId id = message.id();
        RpcError given = RpcError.answerOf(failure);
        RpcError error = given == null ? RpcError.internal() : given;
        if (kind == Message.Kind.REQUEST && id != null) {
            back(Message.error(id, error));
        } else if (kind.isResponse() && id != null) {
            intercept(Message.error(id, error), index + 1);
        } else if (kind == Message.Kind.INVALID_RESPONSE || kind == Message.Kind.OVERSIZED) {
            // An error is made of it anyway.
            intercept(message, index + 1);
        }
    }

    private final class Onward implements Interceptor.Next {
        static final int FRESH = 0;

        /** The message has gone on, so that it is answered by others. */
        static final int USED = 1;

        /** The interceptor has failed, and what it does later does not count. */
        static final int FAILED = 2;

        final AtomicInteger state = new AtomicInteger();
        private final Message intercepted;
        private final int index;

        Onward(Message intercepted, int index) {
            this.intercepted = intercepted;
            this.index = index;
        }

        @Override
        public void pass(Message message) throws InterruptedException {
            if (!use()) {
                return;
            }
            try {
                intercept(message, index + 1);
            } catch (RuntimeException e) {
                state.set(FRESH);
                throw e;
            }
        }

        @Override
        public void answer(RawJson result) throws InterruptedException {
            RequestId id = request();
            if (use()) {
                back(Message.result(id, result));
            }
        }

        @Override
        public void refuse(RpcError error) throws InterruptedException {
            RequestId id = request();
            if (use()) {
                back(Message.error(id, error));
            }
        }

        private boolean use() {
            return state.compareAndSet(FRESH, USED) || state.get() == USED;
        }

        private RequestId request() {
            RequestId id = intercepted.id();
            if (id == null || intercepted.kind() != Message.Kind.REQUEST) {
                throw new IllegalStateException("only a request can be answered, not a " + intercepted.kind());
            }
            return id;
        }
    }

    /**
     * The lane in which incoming messages pass the interceptors, one after another, before the {@link Dispatcher} looks
     * at them. Messages that an interceptor passes on later, or from another thread, join at its end.
     */
    static final class Incoming extends Interceptors {
        private final Dispatcher dispatcher;

        Incoming(Connection connection, Dispatcher dispatcher, List<Interceptor> chain) {
            super(connection, chain);
            this.dispatcher = dispatcher;
        }

        /** Takes a message that was read. */
        void receive(Message message) throws InterruptedException {
            dispatcher.enqueue(ConnectionState.INTAKE, new Item(message, false));
        }

        @Override
        void out(Message message) throws InterruptedException {
            if (Work.current() instanceof Item item && item.runsOnThisThread()) {
                dispatcher.receive(message);
            } else {
                dispatcher.enqueue(ConnectionState.INTAKE, new Item(message, true));
            }
        }

        @Override
        void back(Message answer) throws InterruptedException {
            connection.put("the answer of an interceptor", answer);
        }

        private static Work.InLane.Kind kindOf(Message message) {
            Message.Kind kind = message.kind();
            if (kind == Message.Kind.REQUEST) {
                return Work.InLane.Kind.REQUEST;
            }
            boolean isAnswer =
                    kind == Message.Kind.RESULT || kind == Message.Kind.ERROR || kind == Message.Kind.INVALID_RESPONSE;
            return isAnswer ? Work.InLane.Kind.STEP : Work.InLane.Kind.NOTIFICATION;
        }

        private final class Item extends Work.InLane {
            private final Message message;
            private final boolean intercepted;
            private final @Nullable Call call;
            private @Nullable Thread thread;

            Item(Message message, boolean intercepted) {
                super(connection.state, kindOf(message), message.length() + Limits.BYTES_BESIDE);
                this.message = message;
                this.intercepted = intercepted;
                this.call = kind == Kind.STEP ? connection.state.inFlight(message.id()) : null;
            }

            @Override
            @Nullable
            Step step() {
                return call;
            }

            boolean runsOnThisThread() {
                return Thread.currentThread().equals(thread);
            }

            @Override
            @Nullable
            Runnable run() {
                thread = Thread.currentThread();
                try {
                    if (intercepted) {
                        dispatcher.receive(message);
                    } else {
                        intercept(message);
                    }
                } catch (InterruptedException e) {
                    // The connection ends.
                    thread.interrupt();
                } catch (RuntimeException | Error e) {
                    connection.fail(e);
                }
                return null;
            }
        }
    }

    /**
     * Outgoing messages on their way through the interceptors: one {@link Outbox} hands them in, in order, and another
     * takes what comes out.
     */
    static final class Outgoing extends Interceptors implements Transport.Writer {
        private final Outbox wire;
        private volatile @Nullable Thread thread;

        Outgoing(Connection connection, List<Interceptor> chain, Outbox wire) {
            super(connection, chain);
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
}
