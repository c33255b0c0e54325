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
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** As often as this in a minute, and no agent is started until the minute is over. */
    private static final int MOST_DEATHS = 5;

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

    /** When agents of a principal died by themselves in the last minute. */
    @GuardedBy("lock")
    private final Map<Principal, Deque<Long>> deaths = new HashMap<>();

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
            requireAlive(principal);
            Deque<Long> recent = ofLastMinute(starts, principal);
            if (recent.size() >= limits.startsPerMinute()) {
                throw new UnavailableException(
                        "too_many_starts",
                        "too many agents were started for this user in a minute",
                        true,
                        Duration.ofNanos(recent.element() + MINUTE - time.nanoTime()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** The more often agents have died, the longer the pause before the next one. */
    @GuardedBy("lock")
    private void requireAlive(Principal principal) {
        Deque<Long> dead = ofLastMinute(deaths, principal);
        if (dead.size() < 2) {
            return;
        }
        long from = dead.size() >= MOST_DEATHS
                ? dead.element() + MINUTE
                : dead.getLast()
                        + FIRST_PAUSE.multipliedBy(1L << (dead.size() - 2)).toNanos();
        long wait = from - time.nanoTime();
        if (wait > 0) {
            throw new UnavailableException(
                    "agent_keeps_dying",
                    "the agent of this user has died " + dead.size() + " times within a minute",
                    true,
                    Duration.ofNanos(wait));
        }
    }

    @GuardedBy("lock")
    private Deque<Long> ofLastMinute(Map<Principal, Deque<Long>> moments, Principal principal) {
        Deque<Long> recent = moments.getOrDefault(principal, new ArrayDeque<>());
        while (!recent.isEmpty() && time.nanoTime() - recent.peek() >= MINUTE) {
            recent.remove();
        }
        if (recent.isEmpty()) {
            moments.remove(principal);
        }
        return recent;
    }

    /** An agent has died by itself, or could not be started. */
    void died(Principal principal) {
        lock.lock();
        try {
            deaths.computeIfAbsent(principal, name -> new ArrayDeque<>()).add(time.nanoTime());
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
