package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.List;

/** The interceptors of one direction, and what is behind them. */
abstract class Interceptors {
    private final Connection connection;
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
            if (message.kind() == Message.Kind.REQUEST && !onward.isUsed) {
                onward.refuse(e instanceof RpcError own ? own : RpcError.internal());
            }
        }
    }

    private final class Onward implements Interceptor.Next {
        private final Message intercepted;
        private final int index;

        /** Whether the message has gone on, so that it is answered by others. */
        private volatile boolean isUsed;

        Onward(Message intercepted, int index) {
            this.intercepted = intercepted;
            this.index = index;
        }

        @Override
        public void pass(Message message) throws InterruptedException {
            isUsed = true;
            intercept(message, index + 1);
        }

        @Override
        public void answer(RawJson result) throws InterruptedException {
            RequestId id = request();
            isUsed = true;
            back(Message.result(id, result));
        }

        @Override
        public void refuse(RpcError error) throws InterruptedException {
            RequestId id = request();
            isUsed = true;
            back(Message.error(id, error));
        }

        private RequestId request() {
            RequestId id = intercepted.id();
            if (id == null || intercepted.kind() != Message.Kind.REQUEST) {
                throw new IllegalStateException("only a request can be answered, not a " + intercepted.kind());
            }
            return id;
        }
    }
}
