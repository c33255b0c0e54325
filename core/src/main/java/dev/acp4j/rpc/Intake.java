package dev.acp4j.rpc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lane in which incoming messages pass the interceptors, one after another, before the {@link Dispatcher} looks at
 * them. Messages that an interceptor passes on later, or from another thread, join at its end.
 */
final class Intake extends Interceptors {
    private final Connection connection;
    private final Dispatcher dispatcher;

    Intake(Connection connection, Dispatcher dispatcher, List<Interceptor> chain) {
        super(connection, chain);
        this.connection = connection;
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

    private static LaneItem.Kind kindOf(Message message) {
        return switch (message.kind()) {
            case RESULT, ERROR, INVALID_RESPONSE -> LaneItem.Kind.STEP;
            case REQUEST -> LaneItem.Kind.REQUEST;
            case NOTIFICATION, INVALID, NOISE, OVERSIZED -> LaneItem.Kind.NOTIFICATION;
        };
    }

    private final class Item extends LaneItem {
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
