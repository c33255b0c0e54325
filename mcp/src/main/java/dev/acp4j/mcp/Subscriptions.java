package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is reported to the clients of one server that have a handshake, beside their requests: changes of lists, and
 * updates of the resources that they have subscribed to. Each is one subscription at the server, which a thread of its
 * own waits for, however many of the clients want the same.
 *
 * <p>The lock guards which there are and for whom; nothing is waited for or sent while it is held.
 */
final class Subscriptions {
    /** Asks a server for reports, and blocks for as long as there may be some. */
    @FunctionalInterface
    interface Source {
        RawJson subscribe(Members notifications, Face.Notices notices) throws InterruptedException;
    }

    private static final String RESOURCES = "resourceSubscriptions";

    /** The shortest pause before a subscription is begun again. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    /** Half of the requests that may run at once, which each of them is at a relayed server: the rest is for calls. */
    private static final int MOST_RESOURCES = 32;

    private final ReentrantLock lock = new ReentrantLock();

    /** By what they are for. */
    @GuardedBy("lock")
    private final Map<RawJson, SharedSubscription> open = new HashMap<>();

    /** Returns what a modern client asks for to get the updates of a resource. */
    static Members ofResource(String uri) {
        return Members.NONE.with(RESOURCES, Link.array(List.of(RawJson.string(uri))));
    }

    /**
     * Begins a subscription for a client, unless another one has the same already, which is then for both.
     *
     * @param notifications what a modern client would ask for
     * @param source where, if it is new
     * @param client takes what is reported
     * @throws RpcError when there are too many
     */
    SharedSubscription begin(Members notifications, Source source, Face.Notices client) {
        lock.lock();
        try {
            SharedSubscription known = open.get(notifications.json());
            if (known != null) {
                known.add(client);
                return known;
            }
            if (notifications.has(RESOURCES)
                    && open.values().stream()
                                    .filter(SharedSubscription::isOfResource)
                                    .count()
                            >= MOST_RESOURCES) {
                throw new RpcError(
                        RunningCalls.LIMIT_REACHED, "more than " + MOST_RESOURCES + " subscriptions at once");
            }
            SharedSubscription begun = new SharedSubscription(notifications, source, client);
            open.put(notifications.json(), begun);
            begun.thread.start();
            return begun;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a subscription of a client, and waits for that if it was the last one that had it. */
    void end(Members notifications, Face.Notices client) throws InterruptedException {
        SharedSubscription left;
        lock.lock();
        try {
            left = open.get(notifications.json());
            if (left == null || !left.isEndedBy(client)) {
                return;
            }
        } finally {
            lock.unlock();
        }
        left.thread.join();
    }

    /** Ends all subscriptions of a client; does not wait. */
    void leave(Face.Notices client) {
        lock.lock();
        try {
            List.copyOf(open.values()).forEach(one -> one.isEndedBy(client));
        } finally {
            lock.unlock();
        }
    }

    /**
     * One subscription. When it ends although the server had taken it, it is begun again after a pause, as long as
     * there are clients for it; what it is for may have changed meanwhile, and counts as changed.
     */
    final class SharedSubscription implements Face.Notices {
        private final Members notifications;
        private final Source source;

        @GuardedBy("lock")
        private final Set<Face.Notices> clients = new LinkedHashSet<>();

        private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
        private final Condition left = lock.newCondition();
        private final Backoff backoff = new Backoff();

        /** Whether changes may have been missed before it is acknowledged. */
        @GuardedBy("lock")
        private boolean isLate;

        private final Thread thread =
                Thread.ofPlatform().daemon().name("acp4j-mcp-subscription").unstarted(this::run);

        private SharedSubscription(Members notifications, Source source, Face.Notices client) {
            this.notifications = notifications;
            this.source = source;
            this.clients.add(client);
        }

        private boolean isOfResource() {
            return notifications.has(RESOURCES);
        }

        private void add(Face.Notices client) {
            lock.lock();
            try {
                clients.add(client);
            } finally {
                lock.unlock();
            }
        }

        /** A client leaves. Returns whether that was the last one, with which it ends. */
        private boolean isEndedBy(Face.Notices client) {
            lock.lock();
            try {
                boolean isEnded = clients.remove(client) && clients.isEmpty();
                if (isEnded) {
                    open.remove(notifications.json(), this);
                    thread.interrupt();
                }
                return isEnded;
            } finally {
                lock.unlock();
            }
        }

        private void run() {
            try {
                long begunAt;
                do {
                    begunAt = System.nanoTime();
                    ask();
                } while (begun.getNow(false) && isWantedAfter(backoff.next(AGAIN, System.nanoTime() - begunAt)));
            } catch (InterruptedException | CompletionException e) {
                begun.completeExceptionally(new RpcError(RpcError.INTERNAL_ERROR, "the subscription has ended"));
            } finally {
                lock.lock();
                try {
                    open.remove(notifications.json(), this);
                } finally {
                    lock.unlock();
                }
            }
        }

        /** Asks the server, until it reports no more. */
        private void ask() throws InterruptedException {
            try {
                RawJson unused = source.subscribe(notifications, this);
                begun.complete(false);
            } catch (RuntimeException | Error e) {
                begun.completeExceptionally(e);
            }
        }

        private boolean isWantedAfter(long nanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                isLate = true;
                for (long pause = nanos; pause > 0; ) {
                    pause = left.awaitNanos(pause);
                }
                return !clients.isEmpty();
            } finally {
                lock.unlock();
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

        /** Waits until the server has taken or refused it, or some time is over. Returns whether it was taken. */
        boolean isBegunWithin(Duration time) throws InterruptedException {
            try {
                return begun.get(time.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                return false;
            } catch (TimeoutException e) {
                lock.lock();
                try {
                    isLate = !begun.isDone();
                } finally {
                    lock.unlock();
                }
                return false;
            }
        }

        @Override
        public void send(String method, RawJson params) throws InterruptedException {
            if (method.equals("notifications/subscriptions/acknowledged")) {
                acknowledged();
                return;
            }
            Members members = Members.of(params);
            Members meta = members.object("_meta").without(Face.SUBSCRIPTION);
            RawJson sent =
                    (meta.all().isEmpty() ? members.without("_meta") : members.with("_meta", meta.json())).json();
            sendAll(method, sent);
        }

        private void acknowledged() throws InterruptedException {
            boolean hasMissed;
            lock.lock();
            try {
                hasMissed = isLate;
                isLate = false;
                begun.complete(true);
            } finally {
                lock.unlock();
            }
            if (hasMissed) {
                for (String list : Link.LISTS) {
                    if (notifications.isTrue(list + "ListChanged")) {
                        sendAll("notifications/" + list + "/list_changed", RawJson.EMPTY_OBJECT);
                    }
                }
                for (RawJson uri : notifications.list(RESOURCES)) {
                    sendAll(
                            "notifications/resources/updated",
                            Members.NONE.with("uri", uri).json());
                }
            }
        }

        private void sendAll(String method, RawJson params) throws InterruptedException {
            for (Face.Notices client : clients()) {
                client.send(method, params);
            }
        }

        private List<Face.Notices> clients() {
            lock.lock();
            try {
                return List.copyOf(clients);
            } finally {
                lock.unlock();
            }
        }
    }
}
