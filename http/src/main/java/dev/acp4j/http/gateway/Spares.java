package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Processes that were started before they are needed, and belong to nobody. The lock guards which there are; nothing is
 * started or ended while holding it.
 */
final class Spares {
    private final @Nullable Launch agent;
    private final int number;
    private final LongConsumer onStarted;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Deque<LaunchedProcess> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Starts nothing yet.
     *
     * @param agent null for none
     * @param onStarted takes the id of each process
     */
    Spares(@Nullable Launch agent, int number, LongConsumer onStarted) {
        this.agent = agent;
        this.number = agent == null ? 0 : number;
        this.onStarted = onStarted;
    }

    /** Returns a process that runs; null when there is none. */
    @Nullable
    LaunchedProcess take() {
        while (true) {
            LaunchedProcess spare;
            lock.lock();
            try {
                spare = waiting.poll();
            } finally {
                lock.unlock();
            }
            if (spare == null || spare.isAlive()) {
                return spare;
            }
            spare.close();
        }
    }

    /** Starts as many as are missing. Blocks until they have been started. */
    void fill() {
        Launch launch = agent;
        try {
            while (launch != null && isMissing()) {
                LaunchedProcess made = launch.start();
                if (add(made)) {
                    onStarted.accept(made.pid());
                } else {
                    made.close();
                }
            }
        } catch (IOException e) {
            System.getLogger("dev.acp4j.http.gateway")
                    .log(
                            System.Logger.Level.WARNING,
                            "an agent could not be started before it is needed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isMissing() {
        lock.lock();
        try {
            return !closed && waiting.size() < number;
        } finally {
            lock.unlock();
        }
    }

    private boolean add(LaunchedProcess made) {
        lock.lock();
        try {
            return !closed && waiting.size() < number && waiting.add(made);
        } finally {
            lock.unlock();
        }
    }

    int count() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** Starts no more. Returns those that are left, which the caller ends. */
    List<LaunchedProcess> end() {
        lock.lock();
        try {
            closed = true;
            List<LaunchedProcess> left = new ArrayList<>(waiting);
            waiting.clear();
            return left;
        } finally {
            lock.unlock();
        }
    }
}
