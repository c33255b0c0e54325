package dev.acp4j.http.gateway;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is kept of the sessions of agents that have ended because they were idle, for the next process of the same
 * agent: a client that was away for longer gets what it has missed. It is part of the {@link History}. Guarded by the
 * lock of its {@link Gateway}.
 *
 * @param <K> names the agent
 */
final class LeftSessions<K> {
    private static final Duration MOST_TIME = Duration.ofDays(1);

    /** So large a part of the history may be of agents that do not run. */
    private static final int PART = 4;

    private record Left(Map<String, SharedSession> sessions, long since) {
        long bytes() {
            return sessions.values().stream().mapToLong(SharedSession::bytes).sum();
        }
    }

    private final History history;

    /** Those that were left first are first. */
    private final Map<K, Left> left = new LinkedHashMap<>();

    LeftSessions(History history) {
        this.history = history;
    }

    /** Keeps what an agent has left, if there is not too much. */
    void put(K agent, Map<String, SharedSession> sessions, long now) {
        remove(agent);
        left.put(agent, new Left(sessions, now));
        long bytes = left.values().stream().mapToLong(Left::bytes).sum();
        for (K oldest : List.copyOf(left.keySet())) {
            if (bytes > history.inAll() / PART) {
                bytes -= remove(oldest);
            }
        }
    }

    /** Returns what an agent has left; none if nothing is kept of it. */
    Map<String, SharedSession> take(K agent) {
        Left taken = left.remove(agent);
        return taken == null ? Map.of() : taken.sessions;
    }

    /** Forgets what was left long ago. */
    void tick(long now) {
        for (K agent : List.copyOf(left.keySet())) {
            Left kept = left.get(agent);
            if (kept != null && now - kept.since >= MOST_TIME.toNanos()) {
                long unused = remove(agent);
            }
        }
    }

    private long remove(K agent) {
        Left removed = left.remove(agent);
        long bytes = removed == null ? 0 : removed.bytes();
        history.add(-bytes);
        return bytes;
    }
}
