package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is reported to a client with a handshake beside its requests: changes of lists, and updates of the resources
 * that it has subscribed to. Each is a subscription at the server, which a thread of its own waits for.
 *
 * <p>The lock guards which there are; nothing is waited for while it is held.
 */
final class Subscriptions {
    /** Asks a server for reports, and blocks for as long as there may be some. */
    @FunctionalInterface
    interface Source {
        RawJson subscribe(Members notifications, Face.Notices notices) throws InterruptedException;
    }

    /** Half of the requests that may run at once, which each of them is at a relayed server: the rest is for calls. */
    private static final int MOST = 32;

    private final Source source;
    private final Face.Notices client;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Subscription> open = new HashMap<>();

    @GuardedBy("lock")
    private boolean closed;

    /** @param client takes what is reported */
    Subscriptions(Source source, Face.Notices client) {
        this.source = source;
        this.client = client;
    }

    /**
     * Begins a subscription, unless it has been begun.
     *
     * @param name what it is for
     * @param notifications what a modern client would ask for
     * @throws RpcError when there are too many, or all have ended
     */
    Subscription begin(String name, Members notifications) {
        lock.lock();
        try {
            Subscription known = open.get(name);
            if (known != null) {
                return known;
            }
            if (closed) {
                throw new RpcError(RpcError.INTERNAL_ERROR, "the connection has ended");
            }
            if (open.size() >= MOST) {
                throw new RpcError(RunningCalls.LIMIT_REACHED, "more than " + MOST + " subscriptions at once");
            }
            Subscription begun = new Subscription(notifications);
            open.put(name, begun);
            begun.thread.start();
            return begun;
        } finally {
            lock.unlock();
        }
    }

    void end(String name) {
        lock.lock();
        try {
            Subscription ended = open.remove(name);
            if (ended != null) {
                ended.thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all; does not wait. */
    void close() {
        lock.lock();
        try {
            closed = true;
            List.copyOf(open.keySet()).forEach(this::end);
        } finally {
            lock.unlock();
        }
    }

    /** One subscription. */
    final class Subscription implements Face.Notices {
        private final Members notifications;
        private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
        private final Thread thread =
                Thread.ofPlatform().daemon().name("acp4j-mcp-subscription").unstarted(this::run);

        private Subscription(Members notifications) {
            this.notifications = notifications;
        }

        private void run() {
            try {
                RawJson unused = source.subscribe(notifications, this);
                begun.complete(false);
            } catch (InterruptedException e) {
                begun.completeExceptionally(new RpcError(RpcError.INTERNAL_ERROR, "the subscription has ended"));
            } catch (RuntimeException | Error e) {
                begun.completeExceptionally(e);
            } finally {
                lock.lock();
                try {
                    boolean unused = open.values().remove(this);
                } finally {
                    lock.unlock();
                }
            }
        }

        /**
         * Waits until the server has taken it.
         *
         * @throws RpcError when it refuses
         */
        void awaitBegun() throws InterruptedException {
            try {
                if (!begun.get()) {
                    throw new RpcError(RpcError.INTERNAL_ERROR, "the server does not report this");
                }
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RpcError refused
                        ? refused
                        : new RpcError(RpcError.INTERNAL_ERROR, String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void send(String method, RawJson params) throws InterruptedException {
            if (method.equals("notifications/subscriptions/acknowledged")) {
                begun.complete(true);
                return;
            }
            Members members = Members.of(params);
            Members meta = members.object("_meta").without(Face.SUBSCRIPTION);
            client.send(
                    method,
                    (meta.all().isEmpty() ? members.without("_meta") : members.with("_meta", meta.json())).json());
        }
    }
}
