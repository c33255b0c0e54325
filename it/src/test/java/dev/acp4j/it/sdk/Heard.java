package dev.acp4j.it.sdk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a client heard, one fact a line, and the steps that it prints. A client of the Java SDK hears updates after the
 * answer that they precede, and in any order, so a step waits for the facts that belong to it. The lock guards the
 * facts.
 */
public final class Heard {
    private static final long PATIENCE_SECONDS = 60;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();

    @GuardedBy("lock")
    private final List<String> facts = new ArrayList<>();

    /** Takes a fact. */
    public void add(String fact) {
        lock.lock();
        try {
            facts.add(fact);
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until this fact is heard. */
    public void await(String wanted) throws InterruptedException {
        await(List.of(wanted));
    }

    /** Prints a step when all these facts are heard, with what was heard since the last one: sorted, each fact once. */
    public void step(String name, String detail, List<String> wanted) throws InterruptedException {
        lock.lock();
        try {
            await(wanted);
            System.out.println("{\"step\":" + RawJson.string(name) + ",\"detail\":" + RawJson.string(detail)
                    + ",\"heard\":" + RawJson.string(String.join("; ", new TreeSet<>(facts))) + "}");
            facts.clear();
        } finally {
            lock.unlock();
        }
    }

    private void await(List<String> wanted) throws InterruptedException {
        lock.lock();
        try {
            long nanos = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!hasAll(wanted)) {
                nanos = more.awaitNanos(nanos);
                if (nanos <= 0) {
                    throw new IllegalStateException("expected " + wanted + ", heard " + facts);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether each fact was heard as often as it is wanted. */
    @GuardedBy("lock")
    private boolean hasAll(List<String> wanted) {
        List<String> left = new ArrayList<>(facts);
        return wanted.stream().allMatch(left::remove);
    }
}
