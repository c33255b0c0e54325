package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A tool that runs on a thread of its own, because it may outlive the request that has called it: a question to the
 * user ends that request, and the next one brings the answer.
 *
 * <p>The lock guards what one thread has for the other; both wait for that only.
 */
final class RunningTool {
    /** What the agent can do for the tool, which each of its requests says anew. */
    private record Asker(Face.Notices notices, @Nullable RawJson token) {}

    /** How long a tool that was interrupted is waited for. */
    private static final long ENDING_NANOS = 500_000_000;

    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private @Nullable Asker asker;

    @GuardedBy("lock")
    private @Nullable RawJson question;

    @GuardedBy("lock")
    private @Nullable RawJson reply;

    @GuardedBy("lock")
    private @Nullable ToolResult result;

    @GuardedBy("lock")
    private boolean ended;

    /** @param tool what runs; it throws nothing but when it is interrupted */
    RunningTool(String name, Callable<ToolResult> tool, Face.Notices notices, @Nullable RawJson token) {
        asker = new Asker(notices, token);
        thread = Thread.ofPlatform().daemon().name("acp4j-tool-" + name).unstarted(() -> run(tool));
    }

    void start() {
        thread.start();
    }

    private void run(Callable<ToolResult> tool) {
        ToolResult returned = null;
        try {
            returned = tool.call();
        } catch (Exception e) {
            // Interrupted: nobody waits for a result.
        } finally {
            lock.lock();
            try {
                result = returned;
                ended = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Interrupts the tool, which does not go on for anybody. */
    void cancel() {
        thread.interrupt();
    }

    // ---- for the thread of a request

    /**
     * The answer to what the tool has asked has come, with another request.
     *
     * @param notices takes what the tool reports from now on
     */
    void reply(RawJson answer, Face.Notices notices, @Nullable RawJson token) {
        lock.lock();
        try {
            asker = new Asker(notices, token);
            question = null;
            reply = answer;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the tool has ended or asks something. Interrupting this thread cancels the tool.
     *
     * @return the result, or null if it asks
     */
    @Nullable
    ToolResult await() throws InterruptedException {
        lock.lock();
        try {
            try {
                while (!ended && question == null) {
                    changed.await();
                }
            } catch (InterruptedException e) {
                cancel();
                awaitEnd();
                throw e;
            }
            asker = null;
            if (ended && result == null) {
                throw new RpcError(RpcError.INTERNAL_ERROR, "the tool was interrupted");
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    /** Waits a short while for a tool that was interrupted: whoever cancelled it may clear away what it uses. */
    @GuardedBy("lock")
    private void awaitEnd() {
        asker = null;
        try {
            long left = ENDING_NANOS;
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Nobody waits any longer.
        }
    }

    /** Returns what the tool asks, as a request of the agent's client. */
    @Nullable
    RawJson question() {
        lock.lock();
        try {
            return question;
        } finally {
            lock.unlock();
        }
    }

    // ---- for the thread of the tool

    /** Asks the user and waits for the answer. */
    RawJson ask(RawJson asked) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            question = asked;
            changed.signalAll();
            while (reply == null) {
                changed.await();
            }
            RawJson got = reply;
            reply = null;
            return got;
        } finally {
            lock.unlock();
        }
    }

    /** Reports progress to the agent, if it asked for that. */
    void progress(double done, double total, String message) throws InterruptedException {
        Asker to;
        lock.lockInterruptibly();
        try {
            to = asker;
        } finally {
            lock.unlock();
        }
        if (to == null || to.token() == null) {
            return;
        }
        RawJson token = to.token();
        to.notices().send("notifications/progress", Link.object(out -> {
            out.name("progressToken");
            out.raw(token);
            out.name("progress");
            out.number(done);
            out.name("total");
            out.number(total);
            out.name("message");
            out.string(message);
        }));
    }
}
