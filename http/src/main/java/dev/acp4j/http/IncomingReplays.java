package dev.acp4j.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Histories of sessions that are on their way: which of them nobody is to see again, and when one has arrived of which
 * the answer came first, on another stream.
 *
 * <p>What arrives before the answer is history; what arrives behind it is so up to the place that our servers name, and
 * otherwise until nothing has come for a while. Guarded by the lock of its transport.
 */
final class IncomingReplays {
    /** How long the stream of a session must be quiet before the end of its replay is believed. */
    private static final Duration QUIET = Duration.ofMillis(100);

    private static final Duration LONGEST_HOLD = Duration.ofSeconds(2);

    /** An answer that waits for its replay. */
    final class Waiting {
        private final Line line;
        private final String session;
        private final String stream;
        private final String after;
        private final long since;

        private Waiting(Line line, String session, String stream, String after, long now) {
            this.line = line;
            this.session = session;
            this.stream = stream;
            this.after = after;
            this.since = now;
        }

        /** Returns whether the replay has arrived. */
        boolean hasArrived(long now) {
            return after.isEmpty()
                    ? QUIET.toNanos() - sinceHeard(now) <= 0 && !landing.contains(session)
                    : line.hasPassed(session, after) || line.hasPassed(stream, after);
        }

        /** Returns for how long to wait before the next look; zero or less when it has taken too long. */
        long nanosLeft(long now) {
            if (landing.contains(session)) {
                return LONGEST_HOLD.toNanos();
            }
            // With the place named, as long as something comes; otherwise what is new must not hold it for ever.
            return after.isEmpty()
                    ? Math.min(QUIET.toNanos() - sinceHeard(now), LONGEST_HOLD.toNanos() - (now - since))
                    : LONGEST_HOLD.toNanos() - sinceHeard(now);
        }

        private long sinceHeard(long now) {
            return now - heard.getOrDefault(session, since);
        }

        void over() {
            heard.remove(session);
        }
    }

    /** Where what is new begins, by session; empty as long as the server has not named the place. */
    private final Map<String, String> hidden = new HashMap<>();

    /** When something last arrived on the stream of a session, while an answer waits for it. */
    private final Map<String, Long> heard = new HashMap<>();

    /** The streams on which something has arrived that is not where it can be read yet. */
    private final Set<String> landing = new HashSet<>();

    void hide(String session) {
        hidden.put(session, "");
    }

    void show(String session) {
        hidden.remove(session);
    }

    boolean isHidden(String session) {
        return hidden.containsKey(session);
    }

    /** Returns whether what the agent says now in a session was said before, and is not to be seen again. */
    boolean hides(Line line, String session) {
        String after = hidden.get(session);
        return after != null && (after.isEmpty() || !line.hasPassed(session, after));
    }

    void arrives(String stream) {
        landing.add(stream);
    }

    /** What arrived on a stream last can be read now. Returns whether an answer may wait for it. */
    boolean landed(String stream, long now) {
        landing.remove(stream);
        heard.replace(stream, now);
        return !heard.isEmpty();
    }

    /**
     * An answer has come that stands behind a replay.
     *
     * @param stream the stream that it came on
     * @param after the place behind the replay; empty if the server names none
     */
    Waiting await(Line line, String session, String stream, String after, long now) {
        hidden.replace(session, after);
        heard.put(session, now);
        return new Waiting(line, session, stream, after, now);
    }
}
