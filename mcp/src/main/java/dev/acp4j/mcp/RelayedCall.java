package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server with a handshake, on a thread of its own, because it may outlive the request of the agent: a
 * question of the server ends that one, and the next one brings the answer.
 *
 * <p>The lock guards the question and its answer, which the two threads wait for.
 */
final class RelayedCall {
    private final FutureTask<RawJson> request;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** What is reported is for the request of the agent that came last; null between that and the next one. */
    @GuardedBy("lock")
    private Face.@Nullable Notices notices;

    /** What is reported to the next request of the agent. */
    @GuardedBy("lock")
    private final List<Report> kept = new ArrayList<>();

    private record Report(String method, RawJson params) {}

    @GuardedBy("lock")
    private @Nullable Members question;

    @GuardedBy("lock")
    private @Nullable RawJson answer;

    /** @param request asks the server; its thread is interrupted when the request is cancelled */
    RelayedCall(Callable<RawJson> request, Face.Notices notices) {
        this.notices = notices;
        this.request = new FutureTask<>(request) {
            @Override
            protected void done() {
                wake();
            }
        };
        this.thread = Thread.ofPlatform().daemon().name("acp4j-mcp-relay").unstarted(this.request);
    }

    void start() {
        thread.start();
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isDone() {
        return request.isDone();
    }

    /** Reports something to the request of the agent. Returns false if there is none, because the server asks. */
    boolean report(String method, RawJson params) throws InterruptedException {
        Face.Notices now;
        lock.lock();
        try {
            now = notices;
        } finally {
            lock.unlock();
        }
        if (now != null) {
            now.send(method, params);
        }
        return now != null;
    }

    /** Reports something to the request of the agent, if there is none to the next one. */
    void reportInAnyCase(String method, RawJson params) throws InterruptedException {
        lock.lock();
        try {
            if (notices == null) {
                kept.add(new Report(method, params));
                return;
            }
        } finally {
            lock.unlock();
        }
        boolean unused = report(method, params);
    }

    void cancel() {
        thread.interrupt();
    }

    // ---- for the thread of the agent's request

    /**
     * What the server has said: one of the two.
     *
     * @param question what it asks
     * @param result what it answers
     */
    record Said(@Nullable Members question, @Nullable RawJson result) {}

    /** Waits until the server has answered or asks something. Interrupting this thread cancels the request. */
    Said await() throws InterruptedException {
        lock.lock();
        try {
            while (!request.isDone() && question == null) {
                changed.await();
            }
            if (!request.isDone()) {
                return new Said(question, null);
            }
        } catch (InterruptedException e) {
            cancel();
            throw e;
        } finally {
            lock.unlock();
        }
        try {
            return new Said(null, request.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw new RpcError(RpcError.INTERNAL_ERROR, "the request was cancelled");
        }
    }

    /** Another request of the agent has brought the answer. */
    void reply(RawJson value, Face.Notices next) throws InterruptedException {
        List<Report> late;
        lock.lock();
        try {
            notices = next;
            late = List.copyOf(kept);
            kept.clear();
        } finally {
            lock.unlock();
        }
        for (Report one : late) {
            next.send(one.method(), one.params());
        }
        lock.lock();
        try {
            question = null;
            answer = value;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- for the thread of the server's question

    /** Asks, after what was asked before, and waits for the answer. */
    RawJson ask(Members asked) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while ((question != null || answer != null) && !request.isDone()) {
                changed.await();
            }
            question = asked;
            notices = null;
            changed.signalAll();
            while (answer == null && !request.isDone()) {
                changed.await();
            }
            RawJson got = answer == null ? Questions.CANCEL : answer;
            question = null;
            answer = null;
            changed.signalAll();
            return got;
        } finally {
            lock.unlock();
        }
    }
}
