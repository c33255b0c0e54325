package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a tool, prompt or resource, which runs on a thread of its own, because it may outlive the request that
 * has called it: a question to the user ends that request, and the next one brings the answer.
 *
 * <p>The lock guards what one thread has for the other; both wait for that only.
 */
final class RunningHandler {
    /** The member of the {@code _meta} of a request with the least level that the client wants to read. */
    static final String LOG_LEVEL = Link.PREFIX + "logLevel";

    /** The levels of MCP, the least first. */
    static final List<String> LEVELS =
            List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

    /** What the agent can do for the handler, which each of its requests says anew. */
    private record Asker(Face.Notices notices, Members meta) {}

    /** How long a handler that was interrupted is waited for. */
    private static final long ENDING_NANOS = 500_000_000;

    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private @Nullable Asker asker;

    /** What is asked and not answered yet, by the names of the questions. */
    @GuardedBy("lock")
    private final Map<String, RawJson> questions = new LinkedHashMap<>();

    /** What was answered and not taken by the handler yet; with the call come answers that nobody has asked for. */
    @GuardedBy("lock")
    private final Map<String, RawJson> answers = new LinkedHashMap<>();

    @GuardedBy("lock")
    private @Nullable RawJson result;

    @GuardedBy("lock")
    private @Nullable RpcError failure;

    @GuardedBy("lock")
    private boolean ended;

    private @Nullable Callable<RawJson> task;

    /**
     * @param meta the {@code _meta} of the request
     * @param given the answers that came with the request
     */
    RunningHandler(String name, Face.Notices notices, Members meta, Members given) {
        asker = new Asker(notices, meta);
        given.all().forEach((question, answer) -> answers.put(question, answer.copy()));
        thread = Thread.ofPlatform().daemon().name("acp4j-tool-" + name).unstarted(this::run);
    }

    /** @param handler what runs; it throws nothing but errors of MCP, and when it is interrupted */
    void start(Callable<RawJson> handler) {
        task = handler;
        thread.start();
    }

    private void run() {
        RawJson returned = null;
        RpcError thrown = null;
        try {
            returned = Objects.requireNonNull(task).call();
        } catch (RpcError e) {
            thrown = e;
        } catch (Exception e) {
            // Interrupted: nobody waits for a result.
        } finally {
            lock.lock();
            try {
                result = returned;
                failure = thrown;
                ended = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Interrupts the handler, which does not go on for anybody. */
    void cancel() {
        thread.interrupt();
    }

    // ---- for the thread of a request

    /**
     * Answers to what the handler has asked have come, with another request. Those to anything else are ignored.
     *
     * @param notices takes what the handler reports from now on
     */
    void reply(Members replies, Face.Notices notices, Members meta) {
        lock.lock();
        try {
            asker = new Asker(notices, meta);
            for (String name : List.copyOf(questions.keySet())) {
                if (isAnswer(replies.raw(name))) {
                    questions.remove(name);
                    answers.put(name, Objects.requireNonNull(replies.raw(name)).copy());
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static boolean isAnswer(@Nullable RawJson reply) {
        return reply != null && reply.reader().kind() == JsonReader.Kind.OBJECT;
    }

    /**
     * Waits until the handler has ended or asks something. Interrupting this thread cancels the handler.
     *
     * @return the result, or null if it asks
     * @throws RpcError when the handler has thrown it, or was interrupted
     */
    @Nullable
    RawJson await() throws InterruptedException {
        lock.lock();
        try {
            try {
                while (!ended && questions.isEmpty()) {
                    changed.await();
                }
            } catch (InterruptedException e) {
                cancel();
                awaitEnd();
                throw e;
            }
            asker = null;
            if (failure != null) {
                throw failure;
            }
            if (ended && result == null) {
                throw new RpcError(RpcError.INTERNAL_ERROR, "the tool was interrupted");
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    /** Waits a short while for a handler that was interrupted: who cancelled it may clear away what it uses. */
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

    /** Returns what the handler asks, as requests of the agent's client by the names of the questions. */
    RawJson questions() {
        lock.lock();
        try {
            return new Members(questions).json();
        } finally {
            lock.unlock();
        }
    }

    // ---- for the thread of the handler

    /** Asks, and waits until all is answered. What the call has brought the answer to is not asked. */
    Map<String, RawJson> ask(Map<String, RawJson> asked) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            asked.forEach((name, question) -> {
                if (!isAnswer(answers.get(name))) {
                    questions.put(name, question);
                }
            });
            changed.signalAll();
            while (!questions.isEmpty()) {
                changed.await();
            }
            Map<String, RawJson> got = new LinkedHashMap<>();
            asked.keySet().forEach(name -> got.put(name, Objects.requireNonNull(answers.remove(name))));
            return got;
        } finally {
            lock.unlock();
        }
    }

    /** Reports progress to the agent, if it asked for that. */
    void progress(double done, double total, String message) throws InterruptedException {
        Asker to = asker();
        RawJson token = to == null ? null : to.meta().raw("progressToken");
        if (to == null || token == null) {
            return;
        }
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

    /** Sends a log message to the agent, if it asked for those of the level. */
    void log(String level, String message) throws InterruptedException {
        Asker to = asker();
        int least = to == null ? -1 : LEVELS.indexOf(to.meta().text(LOG_LEVEL, ""));
        if (to == null || least < 0 || LEVELS.indexOf(level) < least) {
            return;
        }
        to.notices().send("notifications/message", Link.object(out -> {
            out.name("level");
            out.string(level);
            out.name("data");
            out.string(message);
        }));
    }

    private @Nullable Asker asker() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return asker;
        } finally {
            lock.unlock();
        }
    }
}
