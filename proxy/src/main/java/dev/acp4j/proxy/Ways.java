package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
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
 * Which strand of a chain a session takes. One that is busy, with a request that is not answered or a turn that runs,
 * stays where it is; all others take the newest. So each session changes over between two turns.
 *
 * <p>The lock guards that; nothing is called while it is held.
 */
final class Ways {
    /** A session that is busy. */
    private static final class Busy {
        final Strand strand;
        int requests;
        boolean turnRuns;

        /** In version 2, whether a turn has ended since the last prompt came. */
        boolean turnEnded;

        Busy(Strand strand) {
            this.strand = strand;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Consumer<Strand> onFree;
    private final Clock clock;
    private final TurnTimes times;

    @GuardedBy("lock")
    private Strand newest;

    @GuardedBy("lock")
    private final Map<String, Busy> busy = new HashMap<>();

    /** How many requests without a session are on each strand, and turns and requests with one. */
    @GuardedBy("lock")
    private final Map<Strand, Integer> used = new HashMap<>();

    /** How many requests on each strand open sessions whose ids are not known yet. */
    @GuardedBy("lock")
    private final Map<Strand, Integer> opening = new HashMap<>();

    /** The strands of sessions of a proxy's own, also when nothing else uses these strands any more. */
    @GuardedBy("lock")
    private final Map<String, Strand> own = new HashMap<>();

    /** Those that are not the newest any more, and still used. */
    @GuardedBy("lock")
    private final Set<Strand> old = new HashSet<>();

    /**
     * Begins with one strand.
     *
     * @param onFree gets each older strand when nothing uses it any more; it does not block
     * @param times gets the times of turns
     */
    Ways(Strand first, Consumer<Strand> onFree, Clock clock, TurnTimes times) {
        this.clock = clock;
        this.times = times;
        this.newest = first;
        this.onFree = onFree;
    }

    /** Returns the strand that sessions take which are not busy. */
    Strand newest() {
        lock.lock();
        try {
            return newest;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the strand of a session, or of what has none, for a message of the client or of the agent. */
    Strand of(String session, boolean ofClient) {
        lock.lock();
        try {
            return strand(session, ofClient);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Strand strand(String session, boolean ofClient) {
        if (session.isEmpty()) {
            return newest;
        }
        Busy known = busy.get(session);
        if (known != null) {
            return known.strand;
        }
        Strand owner = own.get(session);
        if (owner != null) {
            return owner;
        }
        if (!ofClient && !old.isEmpty() && !newest.knows(session)) {
            // Perhaps it is being opened there. The client names none before it knows it.
            for (Strand one : old) {
                if (opening.containsKey(one)) {
                    return one;
                }
            }
        }
        return newest;
    }

    /** Returns the strand of a request of the client or the agent, which has it until it is answered. */
    Strand enter(IncomingRequest request, boolean ofClient) {
        String session = request.session();
        boolean opens =
                request.method().equals("session/new") || request.method().equals("session/fork");
        Strand strand;
        lock.lock();
        try {
            strand = strand(session, ofClient);
            used.merge(strand, 1, Integer::sum);
            if (opens) {
                opening.merge(strand, 1, Integer::sum);
            }
            if (!session.isEmpty() && !own.containsKey(session)) {
                Busy known = busy.computeIfAbsent(session, unused -> new Busy(strand));
                known.requests++;
                known.turnEnded &= !request.method().equals("session/prompt");
            }
        } finally {
            lock.unlock();
        }
        boolean isPrompt = request.method().equals("session/prompt");
        if (isPrompt) {
            times.begins(session);
        }
        long begun = clock.nanoTime();
        request.onAnswered(() -> {
            if (isPrompt) {
                times.ends(session, clock.nanoTime() - begun);
            }
            if (OpenSessions.ENDINGS.contains(request.method())) {
                // An agent need not say that its turn has ended.
                turn(session, false);
            }
            leave(session, strand, opens);
        });
        return strand;
    }

    // ---- clients of a proxy's own

    /** A session is one of a client of a proxy's own, or nobody speaks of it any more. */
    void own(Strand strand, String session, boolean isOwn) {
        lock.lock();
        try {
            if (isOwn) {
                own.put(session, strand);
            } else {
                own.remove(session, strand);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Such a client begins to open a session, or is done with it. */
    void opening(Strand strand, boolean begins) {
        lock.lock();
        try {
            if (begins) {
                opening.merge(strand, 1, Integer::sum);
            } else {
                decrease(opening, strand);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Such a client begins to use a strand by a request, or that is answered. */
    void using(Strand strand, boolean begins) {
        boolean isFree = false;
        lock.lock();
        try {
            if (begins) {
                used.merge(strand, 1, Integer::sum);
            } else {
                decrease(used, strand);
                isFree = takeFree(strand);
            }
        } finally {
            lock.unlock();
        }
        free(isFree, strand);
    }

    private void leave(String session, Strand strand, boolean opened) {
        boolean isFree;
        lock.lock();
        try {
            decrease(used, strand);
            if (opened) {
                decrease(opening, strand);
            }
            Busy known = busy.get(session);
            if (known != null && --known.requests <= 0 && !known.turnRuns) {
                busy.remove(session);
            }
            isFree = takeFree(strand);
        } finally {
            lock.unlock();
        }
        free(isFree, strand);
    }

    /** In version 2, a turn of a session begins or ends: a prompt is answered long before. */
    void turn(String session, boolean runs) {
        turn(session, runs, false);
    }

    /** In version 2, a prompt is accepted, whose turn runs from now on unless it has ended before the answer. */
    void accepted(String session) {
        turn(session, true, true);
    }

    private void turn(String session, boolean runs, boolean isAnswer) {
        Strand strand;
        boolean isFree;
        lock.lock();
        try {
            Busy known = busy.get(session);
            if (known == null && !runs) {
                return;
            }
            if (known != null && known.turnEnded && isAnswer) {
                return;
            }
            if (known == null) {
                known = new Busy(strand(session, true));
                busy.put(session, known);
            }
            strand = known.strand;
            known.turnEnded = !runs;
            if (known.turnRuns != runs) {
                known.turnRuns = runs;
                if (runs) {
                    used.merge(strand, 1, Integer::sum);
                } else {
                    decrease(used, strand);
                }
            }
            if (!runs && known.requests <= 0) {
                busy.remove(session);
            }
            isFree = takeFree(strand);
        } finally {
            lock.unlock();
        }
        free(isFree, strand);
    }

    private static void decrease(Map<Strand, Integer> counts, Strand of) {
        counts.computeIfPresent(of, (strand, count) -> count == 1 ? null : count - 1);
    }

    @GuardedBy("lock")
    private boolean takeFree(Strand strand) {
        return !used.containsKey(strand) && old.remove(strand);
    }

    private void free(boolean isFree, @Nullable Strand strand) {
        if (isFree && strand != null) {
            onFree.accept(strand);
        }
    }

    /**
     * Returns the ends of the turns that run in version 2, as an agent would report them: for one that has died. In
     * version 1 their prompts are answered.
     */
    List<Message> ends() {
        List<Message> ends = new ArrayList<>();
        lock.lock();
        try {
            busy.forEach((session, known) -> {
                if (known.turnRuns) {
                    ends.add(idle(session));
                }
            });
        } finally {
            lock.unlock();
        }
        return ends;
    }

    private static Message idle(String session) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessionId");
        out.string(session);
        out.name("update");
        out.beginObject();
        out.name("sessionUpdate");
        out.string("state_update");
        out.name("state");
        out.string("idle");
        out.name("stopReason");
        out.string("cancelled");
        out.endObject();
        out.endObject();
        return Message.notification("session/update", out.toRawJson());
    }

    /** Has sessions that are not busy take another strand from now on. Returns how many stay until they are not. */
    int change(Strand next) {
        Strand before;
        boolean isFree;
        int staying;
        lock.lock();
        try {
            before = newest;
            newest = next;
            old.add(before);
            staying = busy.size();
            isFree = takeFree(before);
        } finally {
            lock.unlock();
        }
        free(isFree, before);
        return staying;
    }
}
