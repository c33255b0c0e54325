package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The requests that are being answered for one session, each by the thread that waits for its answer, so that one or
 * all can be cancelled.
 *
 * <p>The lock guards which there are; a thread is interrupted only while it is held, so never after its request.
 */
final class RunningCalls {
    static final int LIMIT_REACHED = -33000;
    static final int NO_SUCH_SERVER = -33001;
    static final int SERVER_FAILED = -33002;
    private static final int MOST = 64;

    /** How long closing waits for requests that were interrupted. */
    private static final long CLOSING_NANOS = 5_000_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition fewer = lock.newCondition();

    @GuardedBy("lock")
    private final Map<Object, Thread> running = new HashMap<>();

    @GuardedBy("lock")
    private boolean closed;

    /** Returns a provider whose requests are among these. */
    Face.Provider around(Face.Provider provider) {
        return new Face.Provider() {
            @Override
            public RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
                Object key = new Object();
                begin(key);
                try {
                    return provider.answer(method, params, notices);
                } finally {
                    end(key);
                }
            }

            @Override
            public void asked(String method, String revision) {
                provider.asked(method, revision);
            }

            @Override
            public void abandon(String state) {
                provider.abandon(state);
            }

            @Override
            public void close() {
                RunningCalls.this.close();
                provider.close();
            }
        };
    }

    /**
     * This thread begins to answer a request.
     *
     * @throws RpcError when the session has ended, the request is answered already, or there are too many
     */
    void begin(Object key) {
        lock.lock();
        try {
            if (closed) {
                throw new RpcError(NO_SUCH_SERVER, "the session of this server has ended");
            }
            if (running.size() >= MOST) {
                throw new RpcError(LIMIT_REACHED, "more than " + MOST + " requests at once");
            }
            if (running.putIfAbsent(key, Thread.currentThread()) != null) {
                throw RpcError.invalidParams("a request with this id is being answered");
            }
        } finally {
            lock.unlock();
        }
    }

    /** This thread has answered a request. It is not interrupted any more. */
    void end(Object key) {
        lock.lock();
        try {
            running.remove(key);
            fewer.signalAll();
            boolean unused = Thread.interrupted();
        } finally {
            lock.unlock();
        }
    }

    void cancel(Object key) {
        lock.lock();
        try {
            Thread thread = running.get(key);
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether there are requests whose keys these are. */
    boolean isAny(Predicate<Object> keys) {
        lock.lock();
        try {
            return running.keySet().stream().anyMatch(keys);
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the requests whose keys these are. */
    void cancelAll(Predicate<Object> keys) {
        lock.lock();
        try {
            running.forEach((key, thread) -> {
                if (keys.test(key)) {
                    thread.interrupt();
                }
            });
        } finally {
            lock.unlock();
        }
    }

    /** Cancels all, takes no more, and waits a short while for those that run on other threads than this one. */
    void close() {
        lock.lock();
        try {
            closed = true;
            Thread own = Thread.currentThread();
            others(own).forEach(Thread::interrupt);
            long left = CLOSING_NANOS;
            while (left > 0 && !others(own).isEmpty()) {
                left = fewer.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private List<Thread> others(Thread own) {
        return running.values().stream().filter(thread -> !thread.equals(own)).toList();
    }
}
