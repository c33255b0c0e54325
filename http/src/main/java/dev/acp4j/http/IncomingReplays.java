package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Histories of sessions that are on their way: which of them nobody is to see again, and when one has arrived of which
 * the answer came first, on another stream.
 *
 * <p>Up to the place that our servers name in the answer all is history, and nothing behind it, whether the answer
 * comes before or after it. Of other servers, what arrives before the answer is history, and behind it what arrives
 * until nothing has come for a while. Guarded by the lock of its transport.
 */
final class IncomingReplays {
    /** How long the stream of a session must be quiet before the end of its replay is believed. */
    private static final Duration QUIET = Duration.ofMillis(100);

    private static final Duration LONGEST_HOLD = Duration.ofSeconds(2);

    /** How much of what arrives before the answer may turn out to be new. */
    private static final int MOST_MESSAGES = 256;

    private static final long MOST_BYTES = 1 << 20;

    /** A message, and whether it was shown although it may be history. */
    private record Kept(Message message, boolean isShown) {}

    /** A session whose history nobody is to see again. */
    private static final class Hidden {
        /** Where what is new begins; empty as long as the server has not named the place. */
        String after = "";

        /** What has arrived last without the place being known. */
        private final ArrayDeque<Kept> last = new ArrayDeque<>();

        private long bytes;

        void keep(Message message, boolean isShown) {
            last.add(new Kept(message, isShown));
            bytes += message.length();
            while (last.size() > MOST_MESSAGES || bytes > MOST_BYTES) {
                bytes -= last.remove().message.length();
            }
        }

        /** Names the place behind the history. Returns what has arrived behind that. */
        List<Message> ends(String place) {
            after = place;
            while (!last.isEmpty() && !isAt(last.remove().message, place)) {
                // It is history.
            }
            return last.stream()
                    .filter(kept -> !kept.isShown)
                    .map(kept -> kept.message)
                    .toList();
        }

        private static boolean isAt(Message message, String place) {
            return Raw.text(message.params(), "_meta", Wire.CURSOR).equals(place);
        }
    }

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
            if (landing.contains(session) || (!after.isEmpty() && line.isCut(session))) {
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

    private final Map<String, Hidden> hidden = new HashMap<>();

    /** When something last arrived on the stream of a session, while an answer waits for it. */
    private final Map<String, Long> heard = new HashMap<>();

    /** The streams on which something has arrived that is not where it can be read yet. */
    private final Set<String> landing = new HashSet<>();

    void hide(String session) {
        hidden.put(session, new Hidden());
    }

    void show(String session) {
        hidden.remove(session);
    }

    boolean isHidden(String session) {
        return hidden.containsKey(session);
    }

    /**
     * Returns whether what the agent says now in its session was said before, and is not to be seen again.
     *
     * @param isNew whether it is known to be new
     */
    boolean hides(Line line, Message message, boolean isNew) {
        String session = message.session();
        Hidden history = hidden.get(session);
        if (history == null) {
            return false;
        }
        if (history.after.isEmpty()) {
            history.keep(message, isNew);
            return !isNew;
        }
        return !isNew && !line.hasPassed(session, history.after);
    }

    /**
     * The answer to the request for a history has come.
     *
     * @param after the place behind the history; empty if the server names none
     * @return what was hidden, and is no history
     */
    List<Message> answered(String session, String after) {
        Hidden history = hidden.get(session);
        return history == null || after.isEmpty() ? List.of() : history.ends(after);
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
        heard.put(session, now);
        return new Waiting(line, session, stream, after, now);
    }
}
