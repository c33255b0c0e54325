package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Principal;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A question of an agent that may be answered by its client, at a page, or by nobody. The first answer counts. The lock
 * guards which one that is; it is not held while waiting.
 */
final class OpenQuestion {
    /** What became of an answer. */
    enum Outcome {
        ACCEPTED,
        /** Another answer was first. */
        CLOSED,
        /** The question has only just been asked, and cannot be answered yet. */
        TOO_EARLY
    }

    private final String id;
    private final Principal principal;
    private final String method;
    private final String session;
    private final RawJson params;
    private final @Nullable InputForm input;
    private final long askedAt;
    private final Exchange exchange;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition decided = lock.newCondition();

    /** The answer that was given here. */
    @GuardedBy("lock")
    private @Nullable RawJson given;

    @GuardedBy("lock")
    private String by = "";

    /** Whether it was decided which answer counts. */
    @GuardedBy("lock")
    private boolean closed;

    OpenQuestion(String id, Principal principal, RawJson params, long askedAt, Exchange exchange) {
        this.id = id;
        this.principal = principal;
        this.method = exchange.request().method();
        this.session = exchange.request().session();
        this.params = params;
        this.input = method.equals(InputForm.METHOD) ? InputForm.of(params) : null;
        this.askedAt = askedAt;
        this.exchange = exchange;
    }

    String id() {
        return id;
    }

    /** Returns a name for logs, by which nothing can be answered. */
    String name() {
        return ServerEvent.hash(id);
    }

    Principal principal() {
        return principal;
    }

    String method() {
        return method;
    }

    /** Returns whether pages and links can show it. */
    boolean isShown() {
        return method.equals(Approvals.PERMISSION) || input != null;
    }

    /** Returns the input that it asks for; null if it asks for a permission, or for what no page can show. */
    @Nullable
    InputForm input() {
        return input;
    }

    /** Returns the question as text. */
    QuestionText text() {
        return input == null ? QuestionText.of(params) : input.text();
    }

    String session() {
        return session;
    }

    RawJson params() {
        return params;
    }

    long askedAt() {
        return askedAt;
    }

    /** Returns what the answer came from; empty while there is none. */
    String by() {
        lock.lock();
        try {
            return by;
        } finally {
            lock.unlock();
        }
    }

    /** Asks the client, and waits for its answer or another one. On the thread of the interceptor. */
    Message ask() throws InterruptedException {
        Message answer = null;
        RpcError failure = null;
        try {
            answer = exchange.forward(params);
        } catch (RpcError e) {
            failure = e;
        }
        RawJson counts;
        lock.lock();
        try {
            closed = true;
            decided.signalAll();
            counts = given;
            if (counts == null) {
                by = answer == null ? "withdrawn" : "client";
            }
        } finally {
            lock.unlock();
        }
        if (counts != null) {
            return Message.result(RequestId.NULL, counts);
        }
        if (answer == null) {
            throw failure == null ? RpcError.cancelled() : failure;
        }
        return answer;
    }

    /**
     * Waits until it was decided which answer counts.
     *
     * @return false when the time is over
     */
    boolean awaitClosed(Time time, Duration most) throws InterruptedException {
        long deadline = time.nanoTime() + most.toNanos();
        lock.lockInterruptibly();
        try {
            for (long left = most.toNanos(); !closed && left > 0; left = deadline - time.nanoTime()) {
                time.await(lock, decided, left);
            }
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Answers in the place of the client, whose question is withdrawn.
     *
     * @param result the result of the request
     * @param from where the answer comes from
     */
    Outcome answer(RawJson result, String from) {
        lock.lock();
        try {
            if (closed || given != null) {
                return Outcome.CLOSED;
            }
            given = result;
            by = from;
        } finally {
            lock.unlock();
        }
        if (exchange.giveUp(RpcError.cancelled())) {
            return Outcome.ACCEPTED;
        }
        lock.lock();
        try {
            if (closed) {
                // The client's answer came in the same moment, and was not looked at yet.
                return Outcome.ACCEPTED;
            }
            given = null;
            by = "";
            return Outcome.TOO_EARLY;
        } finally {
            lock.unlock();
        }
    }
}
