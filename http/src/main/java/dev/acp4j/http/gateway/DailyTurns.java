package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Principal;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** How many turns each principal may still begin, in 24 hours from its first. The lock guards the numbers. */
final class DailyTurns {
    private static final long DAY = Duration.ofDays(1).toNanos();

    /** @param begun how many turns, the refused ones not among them */
    private record Count(long since, int begun) {}

    private final int most;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Principal, Count> counts = new HashMap<>();

    /** @param most how many; 0 for any number */
    DailyTurns(int most, Time time) {
        this.most = most;
        this.time = time;
    }

    /** Counts a turn. Returns why it may not begin; null when it may. */
    @Nullable
    RpcError begin(Principal principal) {
        if (most == 0) {
            return null;
        }
        lock.lock();
        try {
            long now = time.nanoTime();
            counts.values().removeIf(count -> now - count.since >= DAY);
            Count count = counts.getOrDefault(principal, new Count(now, 0));
            if (count.begun < most) {
                counts.put(principal, new Count(count.since, count.begun + 1));
                return null;
            }
            long seconds = Duration.ofNanos(count.since + DAY - now).toSeconds() + 1;
            return new RpcError(
                    RpcError.INVALID_REQUEST,
                    "too many turns: " + most + " are allowed in a day; try again in " + seconds + " s",
                    RawJson.parse("{\"reason\":\"too_many_turns\",\"retryAfterSeconds\":" + seconds + "}"));
        } finally {
            lock.unlock();
        }
    }
}
