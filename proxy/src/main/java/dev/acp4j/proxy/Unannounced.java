package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Message;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that the agent has opened while the answer that says so is still with an interceptor: the client does not
 * know them. What a proxy sends it of such a session goes out behind that answer, and before whatever the agent says.
 *
 * <p>The lock guards what waits. Nothing is sent while it is held.
 */
final class Unannounced {
    /** Sends one notification. */
    @FunctionalInterface
    interface Sending {
        void send() throws InterruptedException;
    }

    /** What waits for one session. */
    private record Waiting(Exchange exchange, Queue<Sending> sendings) {}

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Waiting> sessions = new LinkedHashMap<>();

    /** None is known most of the time, and then nobody looks for one. */
    private volatile boolean isAny;

    boolean isAny() {
        return isAny;
    }

    /** The answer has come that opens a session. */
    void begin(String session, Exchange exchange) {
        lock.lock();
        try {
            sessions.remove(session);
            sessions.put(session, new Waiting(exchange, new ArrayDeque<>()));
            isAny = true;
        } finally {
            lock.unlock();
        }
        exchange.afterAnswer(answer -> answered(exchange, answer));
    }

    boolean contains(String session) {
        lock.lock();
        try {
            return sessions.containsKey(session);
        } finally {
            lock.unlock();
        }
    }

    /** Lets a notification wait for the answer; false when the client knows the session. */
    boolean defer(String session, Sending sending) {
        lock.lock();
        try {
            Waiting waiting = sessions.get(session);
            return waiting != null && waiting.sendings.add(sending);
        } finally {
            lock.unlock();
        }
    }

    /** The answer is queued. If it opens no session after all, there is nothing to say of one. */
    private void answered(Exchange exchange, Message answer) {
        String opened = answer.isError() || answer.session().isEmpty() ? "" : opened(exchange, answer.session());
        try {
            for (Sending next = next(exchange, opened); next != null; next = next(exchange, opened)) {
                next.send();
            }
        } catch (ConnectionClosedException e) {
            // Nobody is there to hear it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            forget(exchange);
        }
    }

    /**
     * Returns the session that the client gets to know: that of the answer, or the last one that was opened for it, if
     * the client knows that by another name.
     */
    private String opened(Exchange exchange, String named) {
        lock.lock();
        try {
            String last = "";
            for (Map.Entry<String, Waiting> one : sessions.entrySet()) {
                boolean isOfThis = one.getValue().exchange.equals(exchange);
                if (isOfThis && one.getKey().equals(named)) {
                    return named;
                }
                last = isOfThis ? one.getKey() : last;
            }
            return last;
        } finally {
            lock.unlock();
        }
    }

    /** Returns what goes out next; null when there is no more, and from then on nothing waits. */
    private @Nullable Sending next(Exchange exchange, String session) {
        lock.lock();
        try {
            Waiting waiting = sessions.get(session);
            Sending next = waiting == null || !waiting.exchange.equals(exchange) ? null : waiting.sendings.poll();
            if (next == null) {
                forget(exchange);
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void forget(Exchange exchange) {
        lock.lock();
        try {
            sessions.values().removeIf(waiting -> waiting.exchange.equals(exchange));
            isAny = !sessions.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
