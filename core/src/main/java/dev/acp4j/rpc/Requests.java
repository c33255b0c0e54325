package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The peer's requests, from their admission until their answers are queued. A part of {@link ConnectionState}, whose
 * lock guards it and the fields of {@link IncomingRequest}.
 */
final class Requests {
    private final ConnectionState state;
    private final ReentrantLock lock;
    private final Limits limits;

    /** Those whose handlers have not returned. */
    @GuardedBy("lock")
    private final Map<RequestId, IncomingRequest> inFlight = new HashMap<>();

    /** The bytes of those. */
    @GuardedBy("lock")
    private long bytes;

    /** Answers that wait for room in the outbox, each on a thread of its own. */
    @GuardedBy("lock")
    private int stuck;

    @GuardedBy("lock")
    private long stuckBytes;

    /** How many were admitted whose answers are not queued. */
    @GuardedBy("lock")
    private int unanswered;

    Requests(ConnectionState state, Limits limits) {
        this.state = state;
        this.lock = state.lock;
        this.limits = limits;
    }

    /** Admits a request. Returns null when it may be handled, else why not. */
    @Nullable
    RpcError admit(IncomingRequest request) {
        lock.lock();
        try {
            if (!state.isOpen()) {
                return new RpcError(RpcError.INTERNAL_ERROR, "The connection is closing");
            }
            if (inFlight.containsKey(request.id())) {
                return RpcError.invalidRequest("a request with this id is still in flight");
            }
            int count = inFlight.size() + stuck;
            long held = bytes + stuckBytes;
            if (count >= limits.incomingRequests()) {
                return new RpcError(RpcError.INTERNAL_ERROR, "Too many requests in flight: " + count);
            }
            if (held > 0 && held + request.bytes() > limits.incomingBytes()) {
                return new RpcError(
                        RpcError.INTERNAL_ERROR,
                        "Too many bytes in flight: " + held + " of " + count + " requests and " + request.bytes()
                                + " of this one, allowed are " + limits.incomingBytes());
            }
            inFlight.put(request.id(), request);
            bytes += request.bytes();
            unanswered++;
            return null;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    void handledBy(IncomingRequest request, Thread thread) {
        lock.lock();
        try {
            request.runsOn(thread);
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** The handler has returned: later cancellations concern nobody, and the id is free once the answer is written. */
    void handled(IncomingRequest request) {
        lock.lock();
        try {
            finish(request);
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void finish(IncomingRequest request) {
        request.finished();
        if (inFlight.remove(request.id(), request)) {
            bytes -= request.bytes();
        }
    }

    /** The request will not be answered, as the connection cannot go on. */
    void discarded(IncomingRequest request) {
        lock.lock();
        try {
            finish(request);
            unanswered--;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** An answer begins or ends to wait for room in the outbox: so long its request counts as in flight. */
    void addStuck(int answers, long answerBytes) {
        lock.lock();
        try {
            stuck += answers;
            stuckBytes += answerBytes;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** The answer is queued. */
    void answerQueued() {
        lock.lock();
        try {
            unanswered--;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    void cancel(RequestId id) {
        lock.lock();
        try {
            IncomingRequest request = inFlight.get(id);
            if (request != null) {
                request.cancel();
            }
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Cancels all requests of the peer, those included that wait in their lanes. */
    void cancelAll() {
        lock.lock();
        try {
            inFlight.values().forEach(IncomingRequest::cancel);
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Whether the answers of all are queued. Called with the lock held. */
    @GuardedBy("lock")
    boolean areAtRest() {
        return unanswered == 0;
    }
}
