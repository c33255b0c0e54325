package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Principal;
import dev.acp4j.http.UnavailableException;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** How many agents may still be started, and for whom. The lock guards the numbers. */
final class Places {
    private static final Duration RETRY = Duration.ofSeconds(10);
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final GatewayLimits limits;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    /** How many agents run or are being started, by principal. */
    @GuardedBy("lock")
    private final Map<Principal, Integer> taken = new HashMap<>();

    /** When agents were started in the last minute, by principal. */
    @GuardedBy("lock")
    private final Map<Principal, Deque<Long>> starts = new HashMap<>();

    Places(GatewayLimits limits, Time time) {
        this.limits = limits;
        this.time = time;
    }

    /** @throws UnavailableException when no agent may be started for the principal now */
    void require(Principal principal) {
        lock.lock();
        try {
            int all = taken.values().stream().mapToInt(Integer::intValue).sum();
            if (all >= limits.processes()) {
                throw new UnavailableException(
                        "too_many_processes", "the server runs as many agents as it may", false, RETRY);
            }
            if (taken.getOrDefault(principal, 0) >= limits.processesOfPrincipal()) {
                throw new UnavailableException(
                        "too_many_processes", "as many agents run for this user as may", true, RETRY);
            }
            Deque<Long> recent = starts.computeIfAbsent(principal, name -> new ArrayDeque<>());
            while (!recent.isEmpty() && time.nanoTime() - recent.peek() >= MINUTE) {
                recent.remove();
            }
            if (recent.size() >= limits.startsPerMinute()) {
                throw new UnavailableException(
                        "too_many_starts",
                        "too many agents were started for this user in a minute",
                        true,
                        Duration.ofNanos(recent.element() + MINUTE - time.nanoTime()));
            }
            if (recent.isEmpty()) {
                starts.remove(principal);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a place.
     *
     * @throws UnavailableException when there is none
     */
    void take(Principal principal) {
        lock.lock();
        try {
            require(principal);
            taken.merge(principal, 1, Integer::sum);
            starts.computeIfAbsent(principal, name -> new ArrayDeque<>()).add(time.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    void free(Principal principal) {
        lock.lock();
        try {
            taken.computeIfPresent(principal, (name, count) -> count == 1 ? null : count - 1);
        } finally {
            lock.unlock();
        }
    }
}
