package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reading threads that wait for room at another connection, to which they pass messages on.
 *
 * <p>Each waits for one connection, whose peer does not read. Perhaps that peer waits, in the same way, until what it
 * writes is read. So the waits form a graph with one edge for each connection, and where it is a circle nobody would
 * ever go on. In a circle messages go beyond the bound, up to {@link #FACTOR} times of it: those of peers that stand
 * {@linkplain #isBetween between} others and write what they have read, so that what is in the circle leaves it; if
 * there is no such peer, those of the thread that closes the circle. If that is not enough, and nothing was written for
 * {@link Limits#barrierPatience()}, the message is refused.
 *
 * <p>Peers between others that are in a circle form a {@link Jam}, until none of them has more in its queue than its
 * bound. Meanwhile nothing comes in from outside: a queue that is always filled again would never be done. So a jam
 * holds no more than was in it when it began, whatever has to go through it.
 *
 * <p>A thread of a lane that waits for room is an edge, too: its reading thread may wait for room in the lane.
 *
 * <p>A thread that waits for room at its own connection is no circle: with one pipe in and one out, others decide.
 *
 * <p>The lock guards the graph and the jams. While it is held, no other lock is taken but that of an {@link Outbox}.
 */
final class Crowding {
    /** How many times their bounds outgoing queues may hold when threads wait in a circle. */
    static final int FACTOR = 4;

    private static final long FIRST_LOOK_NANOS = 20_000_000;

    private static final ReentrantLock LOCK = new ReentrantLock();

    /** Connections whose peers wait for each other, with more on the way to them than the bounds allow. */
    private static final class Jam {
        /** Changed with the lock. */
        private final Set<Connection> members = new HashSet<>();

        /** Changed with the lock. */
        private boolean isReported;

        boolean isOver() {
            return members.stream().allMatch(member -> member.outbox.bytes() <= member.outbox.limit());
        }

        boolean hasRoom(Message message) {
            long bytes = message.length();
            long limit = 0;
            for (Connection member : members) {
                bytes += member.outbox.bytes();
                limit += member.outbox.limit();
            }
            return bytes <= FACTOR * limit;
        }

        long written() {
            return members.stream().mapToLong(member -> member.outbox.written()).sum();
        }

        void wake() {
            members.forEach(member -> member.outbox.wakeWaiting());
        }
    }

    /** The connection that the reading thread of this connection waits for. */
    @GuardedBy("LOCK")
    private @Nullable Connection waitsFor;

    /** The connections that threads of lanes of this connection wait for. */
    @GuardedBy("LOCK")
    private final List<Connection> lanesWaitFor = new ArrayList<>(0);

    /** The jam in which this is; changed with the lock. */
    private volatile @Nullable Jam jam;

    /** Whether the peer writes, on the whole, what it has read. Written before the connection starts. */
    private boolean isBetween;

    /** The peer passes on what it reads, to others: it is a component, and no end of a chain. */
    void isBetween() {
        isBetween = true;
    }

    /** Whether messages of a connection wait until a jam is over, in which they would get. */
    static boolean isHeld(Connection from, Connection to) {
        Jam full = to.crowding.jam;
        return full != null && from.crowding.jam != full;
    }

    /**
     * Passes a message on, waiting for room.
     *
     * @param from the connection whose reading thread calls this, or a thread of one of its lanes
     * @throws ConnectionClosedException when the connection takes no more messages
     * @throws WouldDeadlockException when there is no room, and the peers of both wait for each other
     */
    static void put(Connection from, Connection to, Message message) throws InterruptedException {
        boolean isReader = from.dispatcher.isReading();
        Outbox.Put put = Outbox.Put.FULL;
        if (!isHeld(from, to) || to.outbox.isClosed()) {
            put = isReader ? to.outbox.pass(message) : to.outbox.offered(message);
        }
        if (put == Outbox.Put.CLOSED) {
            throw to.closed(message.method());
        }
        if (put == Outbox.Put.FULL) {
            if (isReader) {
                await(from, to, message);
            } else {
                awaitInLane(from, to, message);
            }
        }
    }

    private static void await(Connection reader, Connection to, Message message) throws InterruptedException {
        // This thread has messages for others, who may be the ones to make room.
        reader.dispatcher.endSteps();
        Patience patience = new Patience(to);
        waits(reader, to);
        try {
            while (true) {
                long seen = to.outbox.wakes();
                Outbox.Put standing = stand(reader, to, message);
                if (standing == Outbox.Put.QUEUED) {
                    report(reader, to, message);
                    return;
                }
                if (patience.isOver(standing)) {
                    throw refusal(to, message);
                }
                Outbox.Put put = wait(standing, to, message, patience.left(), seen);
                if (put == Outbox.Put.CLOSED) {
                    throw to.closed(message.method());
                }
                if (put == Outbox.Put.QUEUED) {
                    return;
                }
            }
        } finally {
            waits(reader, null);
        }
    }

    private static Outbox.Put wait(Outbox.Put standing, Connection to, Message message, long nanos, long seen)
            throws InterruptedException {
        if (standing == Outbox.Put.HELD && !to.outbox.isClosed()) {
            to.outbox.awaitWake(nanos, seen);
            return Outbox.Put.FULL;
        }
        return to.outbox.put(message, nanos, seen);
    }

    /** Reports what was queued beyond the bound: of a jam the first message. */
    private static void report(Connection from, Connection to, Message message) {
        LOCK.lock();
        try {
            Jam full = to.crowding.jam;
            if (full != null && full.isReported) {
                return;
            }
            if (full != null) {
                full.isReported = true;
            }
        } finally {
            LOCK.unlock();
        }
        from.dispatcher.problem(
                Problem.Kind.CROWDED,
                message.method() + ": queued beyond the bound, as neither " + from.name() + " nor " + to.name()
                        + " reads before what it writes is read",
                null);
    }

    /** For how long nothing was written to those that are stuck: a slow reader is no circle. For one thread. */
    private static final class Patience {
        private final Connection to;
        private final long nanos;
        private long written;
        private long since;

        Patience(Connection to) {
            this.to = to;
            this.nanos = Math.max(1, Limits.nanos(to.limits().barrierPatience()));
            this.since = to.machine.nanoTime();
        }

        boolean isOver(Outbox.Put standing) {
            long seen = writtenNow();
            if (standing != Outbox.Put.STUCK || seen != written) {
                written = seen;
                since = to.machine.nanoTime();
            }
            return left() <= 0;
        }

        private long writtenNow() {
            LOCK.lock();
            try {
                Jam full = to.crowding.jam;
                return full == null ? to.outbox.written() : full.written();
            } finally {
                LOCK.unlock();
            }
        }

        long left() {
            return nanos - (to.machine.nanoTime() - since);
        }
    }

    private static WouldDeadlockException refusal(Connection to, Message message) {
        return new WouldDeadlockException(message.method(), FACTOR * to.limits().outboxBytes());
    }

    /**
     * Waits for room on a thread of a lane. The circle may lead over the lane: what waits behind this thread has filled
     * it, so that its reading thread waits, too. That begins later, so this looks again.
     */
    private static void awaitInLane(Connection from, Connection to, Message message) throws InterruptedException {
        long patience = Math.max(1, Limits.nanos(to.limits().barrierPatience()));
        long time = Math.min(FIRST_LOOK_NANOS, patience);
        Outbox.Put standing = isHeld(from, to) ? Outbox.Put.HELD : Outbox.Put.FULL;
        add(from, to);
        try {
            while (true) {
                long seen = to.outbox.wakes();
                Outbox.Put put = wait(standing, to, message, time, seen);
                if (put == Outbox.Put.CLOSED) {
                    throw to.closed(message.method());
                }
                if (put == Outbox.Put.QUEUED) {
                    return;
                }
                to.requireReading(message.method());
                standing = isHeld(from, to) ? Outbox.Put.HELD : Outbox.Put.FULL;
                if (from.state.isReaderWaiting()) {
                    standing = stand(from, to, message);
                    if (standing == Outbox.Put.QUEUED) {
                        report(from, to, message);
                        return;
                    }
                    if (standing == Outbox.Put.STUCK && from.state.isDeadlocked()) {
                        throw refusal(to, message);
                    }
                }
                time = Math.min(2 * time, patience);
            }
        } finally {
            remove(from, to);
        }
    }

    // ---- circles

    /** Queues a message beyond the bound if it waits in a circle and is the one to go on. */
    private static Outbox.Put stand(Connection from, Connection to, Message message) {
        LOCK.lock();
        try {
            List<Connection> circle = to == from ? List.of() : circle(from, to);
            if (circle.isEmpty()) {
                return isHeld(from, to) ? Outbox.Put.HELD : Outbox.Put.FULL;
            }
            List<Connection> between =
                    circle.stream().filter(one -> one.crowding.isBetween).toList();
            if (between.size() > 1) {
                jam(between);
            }
            if (!between.isEmpty() && !between.contains(from)) {
                // What is in the middle leaves first: those look again, now that there is a circle.
                between.forEach(Crowding::wakeReader);
                return isHeld(from, to) ? Outbox.Put.HELD : Outbox.Put.FULL;
            }
            return queuedBeyond(from, to, message) ? Outbox.Put.QUEUED : Outbox.Put.STUCK;
        } finally {
            LOCK.unlock();
        }
    }

    @GuardedBy("LOCK")
    private static boolean queuedBeyond(Connection from, Connection to, Message message) {
        Jam full = to.crowding.jam;
        if (full != null && from.crowding.jam == full) {
            return full.hasRoom(message) && to.outbox.queue(message, Long.MAX_VALUE);
        }
        return to.outbox.queue(message, FACTOR * to.outbox.limit());
    }

    @GuardedBy("LOCK")
    private static void wakeReader(Connection of) {
        Connection full = of.crowding.waitsFor;
        if (full != null) {
            full.outbox.wakeWaiting();
        }
    }

    /** Joins connections to one jam, with those that are in a jam with one of them. */
    @GuardedBy("LOCK")
    private static void jam(List<Connection> connections) {
        Jam joined = new Jam();
        for (Connection one : connections) {
            Jam before = one.crowding.jam;
            joined.members.add(one);
            if (before != null) {
                joined.members.addAll(before.members);
            }
        }
        Jam first = connections.get(0).crowding.jam;
        if (first != null && first.members.containsAll(joined.members)) {
            return;
        }
        joined.members.forEach(member -> member.crowding.jam = joined);
        joined.wake();
    }

    /** Messages to this connection were written. */
    void drained() {
        if (jam == null) {
            return;
        }
        LOCK.lock();
        try {
            Jam known = jam;
            if (known != null && known.isOver()) {
                known.members.forEach(member -> member.crowding.jam = null);
                known.wake();
            }
        } finally {
            LOCK.unlock();
        }
    }

    /** Returns the connections of a circle of waits, if a message from one to another closes one; else none. */
    @GuardedBy("LOCK")
    private static List<Connection> circle(Connection from, Connection to) {
        Map<Connection, Connection> before = new HashMap<>();
        ArrayDeque<Connection> next = new ArrayDeque<>(List.of(to));
        before.put(to, from);
        while (!next.isEmpty()) {
            Connection one = next.poll();
            if (one == from) {
                return backFrom(from, before);
            }
            // A circle further on, which this does not belong to, has its own way out.
            List<Connection> onward = new ArrayList<>(one.crowding.lanesWaitFor);
            if (one.crowding.waitsFor != null) {
                onward.add(one.crowding.waitsFor);
            }
            for (Connection other : onward) {
                if (before.putIfAbsent(other, one) == null) {
                    next.add(other);
                }
            }
        }
        return List.of();
    }

    private static List<Connection> backFrom(Connection from, Map<Connection, Connection> before) {
        List<Connection> circle = new ArrayList<>();
        Connection one = from;
        do {
            circle.add(one);
            one = before.getOrDefault(one, from);
        } while (one != from);
        return circle;
    }

    // ---- the edges

    /** Whether the reading thread waits for room elsewhere. */
    boolean isReaderWaiting() {
        LOCK.lock();
        try {
            return waitsFor != null;
        } finally {
            LOCK.unlock();
        }
    }

    private static void add(Connection from, Connection to) {
        LOCK.lock();
        try {
            from.crowding.lanesWaitFor.add(to);
        } finally {
            LOCK.unlock();
        }
    }

    private static void remove(Connection from, Connection to) {
        LOCK.lock();
        try {
            from.crowding.lanesWaitFor.remove(to);
        } finally {
            LOCK.unlock();
        }
    }

    private static void waits(Connection reader, @Nullable Connection to) {
        LOCK.lock();
        try {
            reader.crowding.waitsFor = to;
        } finally {
            LOCK.unlock();
        }
    }
}
