package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.Method;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls one observer on a thread of its own, out of a bounded queue: a message that has no room is counted, and the
 * observer gets the count with the next one.
 *
 * <p>The lock guards the queue and what is counted. The observer is called, and problems are reported, without it.
 */
final class Watcher {
    /** How many messages wait at most. */
    static final int MESSAGES = 1024;

    /** How many bytes they have together at most; a single message may have more. */
    static final int BYTES = 8 * 1024 * 1024;

    private final String proxy;
    private final Proxy.Observer observer;
    private final Consumer<Problem> onProblem;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Queue<Observation> queue = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private long dropped;

    @GuardedBy("lock")
    private boolean hasThread;

    @GuardedBy("lock")
    private boolean isOver;

    Watcher(Entry entry, Proxy.Observer observer, Consumer<Problem> onProblem) {
        this.proxy = entry.proxy();
        this.observer = observer;
        this.onProblem = onProblem;
    }

    /** Queues a message, or counts it. Never waits. */
    void see(Method.Side to, String method, @Nullable RequestId request, Message message) {
        boolean isFirstLost = false;
        lock.lock();
        try {
            boolean fits = queue.isEmpty() || (queue.size() < MESSAGES && bytes + message.length() <= BYTES);
            if (!fits || isOver) {
                isFirstLost = !isOver && dropped == 0;
                dropped++;
            } else {
                queue.add(new Observation(to, method, request, message, dropped));
                dropped = 0;
                bytes += message.length();
                changed.signal();
                if (!hasThread) {
                    hasThread = true;
                    Thread.ofPlatform().daemon().name("acp4j-observer-" + proxy).start(this::run);
                }
            }
        } finally {
            lock.unlock();
        }
        if (isFirstLost) {
            report("from " + method + " on it misses messages, and gets their number with the next one");
        }
    }

    private void report(String what) {
        onProblem.accept(new Problem(
                Problem.Kind.OBSERVER_TOO_SLOW, "the observer of " + proxy + " is too slow: " + what, null));
    }

    /** The connection has ended: the observer gets what waits, and then its thread ends. */
    void end() {
        lock.lock();
        try {
            isOver = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            for (Observation next = take(); next != null; next = take()) {
                call(next);
            }
        } catch (InterruptedException e) {
            // Nobody has a handle on this thread but the observer itself: it wants no more.
            end();
        }
        long lost = lost();
        if (lost > 0) {
            report("it has missed the last " + lost + " messages");
        }
    }

    private long lost() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    private void call(Observation next) throws InterruptedException {
        try {
            observer.observe(next);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            onProblem.accept(new Problem(
                    Problem.Kind.INTERCEPTOR_FAILED,
                    next.method() + ": the observer of " + proxy + " failed: " + e,
                    e));
        }
    }

    private @Nullable Observation take() throws InterruptedException {
        lock.lock();
        try {
            while (queue.isEmpty() && !isOver) {
                changed.await();
            }
            Observation next = queue.poll();
            bytes -= next == null ? 0 : next.message().length();
            return next;
        } finally {
            lock.unlock();
        }
    }
}
