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
        try {
            chain.get(index).intercept(message, new Onward(message, index));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            connection.dispatcher.problem(
                    Problem.Kind.INTERCEPTOR_FAILED, message.method() + ": an interceptor failed: " + e, e);
            if (message.kind() == Message.Kind.REQUEST) {
                RpcError error = e instanceof RpcError own ? own : RpcError.internal();
                new Onward(message, index).refuse(error);
            }
        }
    }

    private final class Onward implements Interceptor.Next {
        private final Message intercepted;
        private final int index;

        Onward(Message intercepted, int index) {
            this.intercepted = intercepted;
            this.index = index;
        }

        @Override
        public void pass(Message message) throws InterruptedException {
            intercept(message, index + 1);
        }

        @Override
        public void answer(RawJson result) throws InterruptedException {
            back(Message.result(request(), result));
        }

        @Override
        public void refuse(RpcError error) throws InterruptedException {
            back(Message.error(request(), error));
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
