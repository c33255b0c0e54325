package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.Usage;
import dev.acp4j.schema.UsageUpdate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What other agents do for a session of the client, and what they have used.
 *
 * <p>The lock guards all of it; nothing is waited for while it is held.
 */
final class AskedSession {
    private static final String ENDED = "the session has ended";

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<OtherAgent> running = new HashSet<>();

    /** How many times it was cancelled. */
    @GuardedBy("lock")
    private long cancellations;

    @GuardedBy("lock")
    private final List<FolderCopy> copies = new ArrayList<>();

    /** What was used, in version 2 since the first agent has reported it last. */
    @GuardedBy("lock")
    private long tokens;

    /** In version 2, what the report of the first agent contains of it. */
    @GuardedBy("lock")
    private long reportedTokens;

    /** Whether the first agent works, in version 2. */
    @GuardedBy("lock")
    private boolean isWorking;

    /** By the questions. */
    @GuardedBy("lock")
    private final Map<Object, Cost> costs = new HashMap<>();

    /** What the first agent has reported last. */
    @GuardedBy("lock")
    private @Nullable UsageUpdate reported;

    @GuardedBy("lock")
    private boolean closed;

    /** Returns how often questions were cancelled, by which one that begins now knows whether it was. */
    long cancellations() {
        lock.lock();
        try {
            requireOpen();
            return cancellations;
        } finally {
            lock.unlock();
        }
    }

    boolean isCancelled(long before) {
        lock.lock();
        try {
            return cancellations != before;
        } finally {
            lock.unlock();
        }
    }

    /** @throws IllegalStateException when the session has ended */
    void begin(OtherAgent agent) {
        lock.lock();
        try {
            requireOpen();
            running.add(agent);
        } finally {
            lock.unlock();
        }
    }

    void end(OtherAgent agent) {
        lock.lock();
        try {
            running.remove(agent);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps a copy until the end.
     *
     * @throws IllegalStateException when the session has ended; the copy is deleted
     */
    void add(FolderCopy copy) throws IOException {
        boolean isKept;
        lock.lock();
        try {
            isKept = !closed;
            if (isKept) {
                copies.add(copy);
            }
        } finally {
            lock.unlock();
        }
        if (!isKept) {
            copy.delete();
            throw new IllegalStateException(ENDED);
        }
    }

    @GuardedBy("lock")
    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(ENDED);
        }
    }

    private List<OtherAgent> running() {
        lock.lock();
        try {
            return List.copyOf(running);
        } finally {
            lock.unlock();
        }
    }

    /** Cancels what is asked now, also what has not reached its agent yet. */
    void cancel() {
        lock.lock();
        try {
            cancellations++;
        } finally {
            lock.unlock();
        }
        running().forEach(OtherAgent::cancel);
    }

    /** Ends all agents, and deletes the copies. */
    void close(Consumer<String> onNotice) {
        List<FolderCopy> left;
        lock.lock();
        try {
            closed = true;
            left = List.copyOf(copies);
            copies.clear();
        } finally {
            lock.unlock();
        }
        running().forEach(OtherAgent::close);
        for (FolderCopy copy : left) {
            try {
                copy.delete();
            } catch (IOException e) {
                onNotice.accept("The copy " + copy.folder() + " cannot be deleted: " + e);
            }
        }
    }

    // ---- what is used

    void add(long used) {
        lock.lock();
        try {
            tokens += used;
        } finally {
            lock.unlock();
        }
    }

    /** Takes what a question has cost so far. Returns the report of the first agent with it; null if there is none. */
    @Nullable
    UsageUpdate set(Object question, Cost cost) {
        lock.lock();
        try {
            costs.put(question, cost);
            return reported == null ? null : sum(reported);
        } finally {
            lock.unlock();
        }
    }

    /** Takes what the first agent reports, and returns it with what the others have cost. */
    UsageUpdate with(UsageUpdate usage) {
        lock.lock();
        try {
            reported = usage;
            return sum(usage);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private UsageUpdate sum(UsageUpdate usage) {
        Cost own = usage.cost();
        if (costs.isEmpty()) {
            return usage;
        }
        String currency = own == null ? costs.values().iterator().next().currency() : own.currency();
        double amount = own == null ? 0 : own.amount();
        for (Cost cost : costs.values()) {
            // Of another currency there is no sum.
            amount += cost.currency().equals(currency) ? cost.amount() : 0;
        }
        return usage.toBuilder().cost(Cost.of(amount, currency)).build();
    }

    /** Returns what the session has used with what the others have; null if the first agent does not report it. */
    @Nullable
    Usage with(@Nullable Usage session) {
        lock.lock();
        try {
            return sum(session, tokens);
        } finally {
            lock.unlock();
        }
    }

    /** The first agent works, in version 2: what was reported of the work before does not count again. */
    void workBegins() {
        lock.lock();
        try {
            if (!isWorking) {
                isWorking = true;
                tokens -= reportedTokens;
                reportedTokens = 0;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The first agent is idle, in version 2. Returns what it has used for the work that has ended with what the others
     * have; the same if it says that again.
     */
    @Nullable
    Usage withWork(@Nullable Usage work) {
        lock.lock();
        try {
            if (isWorking) {
                isWorking = false;
                reportedTokens = work == null ? 0 : tokens;
            }
            return sum(work, reportedTokens);
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable Usage sum(@Nullable Usage usage, long tokens) {
        return usage == null || tokens == 0
                ? usage
                : usage.toBuilder().totalTokens(usage.totalTokens() + tokens).build();
    }
}
