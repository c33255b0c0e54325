package dev.acp4j.soak;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What both ends saw. Each thing sent carries the name of its flow and its number there; order and content are compared
 * as it is seen, the number when its session has ended.
 */
final class Ledger {
    private final Run run;
    private final boolean knowsBothEnds;
    private final @Nullable Deaths deaths;
    private final Map<String, Map<String, Flow>> sessions = new ConcurrentHashMap<>();

    /**
     * Begins.
     *
     * @param knowsBothEnds whether both write into this ledger; otherwise only the order is compared
     */
    Ledger(Run run, boolean knowsBothEnds) {
        this.run = run;
        this.knowsBothEnds = knowsBothEnds;
        this.deaths = null;
    }

    /** Begins for ends between which something dies: what is inside it then may be lost, and nothing else. */
    Ledger(Run run, Deaths deaths) {
        this.run = run;
        this.knowsBothEnds = true;
        this.deaths = deaths;
    }

    /** When something between the ends was dead. */
    static final class Deaths {
        private volatile boolean isDead;
        private volatile long lastEnd = System.nanoTime();

        /** Something is about to die. */
        void begin() {
            isDead = true;
        }

        /** Whatever is sent from now on passes. */
        void end() {
            lastEnd = System.nanoTime();
            isDead = false;
        }

        private boolean excuses(long sent) {
            return isDead || sent - lastEnd <= 0;
        }
    }

    /** Returns whether messages may be lost without a fault. */
    boolean mayLose() {
        return deaths != null;
    }

    /** What was sent and is not seen yet. */
    private record Sent(long nanos, int hash) {}

    /** Sends a text. */
    interface Sending {
        void send(String text) throws InterruptedException;
    }

    /** Returns a flow of a session: what one thread at a time sends, in one direction. */
    Flow flow(String session, String name) {
        return sessions.computeIfAbsent(session, key -> new ConcurrentHashMap<>())
                .computeIfAbsent(name, key -> new Flow(session + "/" + name));
    }

    /** Notes a text that arrived; what was not sent through a flow is let pass. */
    void see(String session, String text) {
        int bar = text.indexOf('|');
        int colon = text.indexOf(':', bar + 1);
        if (bar > 0 && colon > 0) {
            flow(session, text.substring(0, bar)).see(Long.parseLong(text.substring(bar + 1, colon)), text);
        }
    }

    /** Compares what was sent and seen in a session that has ended. */
    void settle(String session) {
        Map<String, Flow> flows = sessions.remove(session);
        if (flows != null) {
            flows.values().forEach(Flow::settle);
        }
    }

    /** Compares all that is left. */
    void settleAll() {
        for (String session : sessions.keySet()) {
            settle(session);
        }
    }

    /** One direction of one sender. The lock guards the numbers; nothing is sent under it. */
    final class Flow {
        private final String name;
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private long sent;

        @GuardedBy("lock")
        private long seen;

        @GuardedBy("lock")
        private int sentHash;

        @GuardedBy("lock")
        private int seenHash;

        /** Kept only where something may be lost. */
        @GuardedBy("lock")
        private final Deque<Sent> underWay = new ArrayDeque<>();

        private Flow(String name) {
            this.name = name;
        }

        /** Sends the next text; what was refused was not sent. */
        void send(String payload, Sending how) throws InterruptedException {
            String text;
            int before;
            lock.lock();
            try {
                text = name.substring(name.indexOf('/') + 1) + "|" + ++sent + ":" + payload;
                before = sentHash;
                sentHash = 31 * sentHash + text.hashCode();
                if (deaths != null) {
                    underWay.add(new Sent(System.nanoTime(), text.hashCode()));
                }
            } finally {
                lock.unlock();
            }
            boolean done = false;
            try {
                how.send(text);
                done = true;
            } finally {
                if (!done) {
                    takeBack(before);
                }
            }
        }

        private void takeBack(int hash) {
            lock.lock();
            try {
                sent--;
                sentHash = hash;
                underWay.pollLast();
            } finally {
                lock.unlock();
            }
        }

        private void see(long number, String text) {
            run.count("messages compared");
            run.count("characters compared", text.length());
            lock.lock();
            try {
                if (deaths != null) {
                    seeAfterLosses(deaths, number, text);
                    return;
                }
                if (number != ++seen) {
                    run.fault(name + ": expected number " + seen + ", came " + number);
                    seen = number;
                }
                seenHash = 31 * seenHash + text.hashCode();
            } finally {
                lock.unlock();
            }
        }

        @GuardedBy("lock")
        private void seeAfterLosses(Deaths why, long number, String text) {
            if (number <= seen) {
                run.fault(name + ": came " + number + " after " + seen);
                return;
            }
            while (++seen < number) {
                lose(why, seen, underWay.poll());
            }
            Sent expected = underWay.poll();
            if (expected == null || expected.hash != text.hashCode()) {
                run.fault(name + ": number " + number + " came with other content");
            }
        }

        private void lose(Deaths why, long number, @Nullable Sent lost) {
            run.count("messages lost with what died");
            if (lost == null || !why.excuses(lost.nanos)) {
                run.fault(name + ": number " + number + " was lost, though nothing had died");
            }
        }

        long sent() {
            lock.lock();
            try {
                return sent;
            } finally {
                lock.unlock();
            }
        }

        long seen() {
            lock.lock();
            try {
                return seen;
            } finally {
                lock.unlock();
            }
        }

        private void settle() {
            lock.lock();
            try {
                if (deaths != null) {
                    for (Sent lost; (lost = underWay.poll()) != null; ) {
                        lose(deaths, ++seen, lost);
                    }
                } else if (knowsBothEnds && (sent != seen || sentHash != seenHash)) {
                    run.fault(name + ": " + sent + " sent, " + seen + " seen"
                            + (sent == seen ? ", with other content" : ""));
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
