package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reading threads that wait for room at another connection, to which they pass messages on.
 *
 * <p>Each waits for one connection, whose peer does not read. Perhaps that peer waits, in the same way, until what it
 * writes is read. So the waits form a graph with one edge for each connection, and where it is a circle nobody would
 * ever go on. The thread that closes the circle does not wait: its message goes beyond the bound, up to {@link #FACTOR}
 * times of it. If that is not enough, and nobody has read for {@link Limits#barrierPatience()}, the message is refused.
 *
 * <p>A thread of a lane that waits for room is an edge, too: its reading thread may wait for room in the lane.
 *
 * <p>A thread that waits for room at its own connection is no circle: with one pipe in and one out, others decide.
 *
 * <p>The lock guards the graph. No other lock is taken while it is held.
 */
final class Crowding {
    /** How many times its bound an outgoing queue may hold when threads wait in a circle. */
    static final int FACTOR = 4;

    private static final long FIRST_LOOK_NANOS = 20_000_000;

    private static final ReentrantLock LOCK = new ReentrantLock();

    /** The connection that the reading thread of this connection waits for. */
    @GuardedBy("LOCK")
    private @Nullable Connection waitsFor;

    /** The connections that threads of lanes of this connection wait for. */
    @GuardedBy("LOCK")
    private final List<Connection> lanesWaitFor = new ArrayList<>(0);

    /**
     * Queues a message, waiting for room.
     *
     * @param reader the connection whose reading thread calls this
     * @throws ConnectionClosedException when the connection takes no more messages
     * @throws WouldDeadlockException when there is no room, and the peers of both wait for each other
     */
    static void put(Connection reader, Connection to, Message message) throws InterruptedException {
        switch (to.outbox.offered(message)) {
            case QUEUED -> {
                return;
            }
            case CLOSED -> throw to.closed(message.method());
            case FULL -> await(reader, to, message);
        }
    }

    private static void await(Connection reader, Connection to, Message message) throws InterruptedException {
        // This thread has messages for others, who may be the ones to make room.
        reader.dispatcher.endSteps();
        boolean isCircle = begin(reader, to);
        try {
            if (isCircle && to.outbox.putBeyond(message, FACTOR)) {
                report(reader, to, message);
                return;
            }
            long patience = Math.max(1, Limits.nanos(to.limits().barrierPatience()));
            while (true) {
                long written = to.outbox.written();
                switch (to.outbox.put(message, patience)) {
                    case QUEUED -> {
                        return;
                    }
                    case CLOSED -> throw to.closed(message.method());
                    case FULL -> {
                        // A slow reader is no circle.
                        if (isCircle && to.outbox.written() == written) {
                            throw new WouldDeadlockException(
                                    message.method(), FACTOR * to.limits().outboxBytes());
                        }
                    }
                }
            }
        } finally {
            end(reader);
        }
    }

    private static void report(Connection from, Connection to, Message message) {
        from.dispatcher.problem(
                Problem.Kind.CROWDED,
                message.method() + ": queued beyond the bound, as neither " + from.name() + " nor " + to.name()
                        + " reads before what it writes is read",
                null);
    }

    /**
     * Queues a message, waiting for room, on a thread of a lane. The circle may lead over the lane: what waits behind
     * this thread has filled it, so that its reading thread waits, too. That begins later, so this looks again.
     *
     * @param from the connection of the lane
     */
    static void putFromLane(Connection from, Connection to, Message message) throws InterruptedException {
        switch (to.outbox.offered(message)) {
            case QUEUED -> {
                return;
            }
            case CLOSED -> throw to.closed(message.method());
            case FULL -> awaitInLane(from, to, message);
        }
    }

    private static void awaitInLane(Connection from, Connection to, Message message) throws InterruptedException {
        long patience = Math.max(1, Limits.nanos(to.limits().barrierPatience()));
        long time = FIRST_LOOK_NANOS;
        add(from, to);
        try {
            while (true) {
                switch (to.outbox.put(message, Math.min(time, patience))) {
                    case QUEUED -> {
                        return;
                    }
                    case CLOSED -> throw to.closed(message.method());
                    case FULL -> {
                        to.requireReading(message.method());
                        if (to != from && from.state.isReaderWaiting() && leads(to, from)) {
                            if (to.outbox.putBeyond(message, FACTOR)) {
                                report(from, to, message);
                                return;
                            }
                            if (from.state.isDeadlocked()) {
                                throw new WouldDeadlockException(
                                        message.method(), FACTOR * to.limits().outboxBytes());
                            }
                        }
                    }
                }
                time *= 2;
            }
        } finally {
            remove(from, to);
        }
    }

    private static boolean leads(Connection to, Connection back) {
        LOCK.lock();
        try {
            Set<Connection> passed = new HashSet<>();
            ArrayDeque<Connection> next = new ArrayDeque<>(List.of(to));
            while (!next.isEmpty()) {
                Connection one = next.poll();
                if (one == back) {
                    return true;
                }
                // A circle further on, which this does not belong to, has its own way out.
                if (passed.add(one)) {
                    if (one.crowding.waitsFor != null) {
                        next.add(one.crowding.waitsFor);
                    }
                    next.addAll(one.crowding.lanesWaitFor);
                }
            }
            return false;
        } finally {
            LOCK.unlock();
        }
    }

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

    /** Returns whether this closes a circle. */
    private static boolean begin(Connection reader, Connection to) {
        LOCK.lock();
        try {
            reader.crowding.waitsFor = to;
        } finally {
            LOCK.unlock();
        }
        return to != reader && leads(to, reader);
    }

    private static void end(Connection reader) {
        LOCK.lock();
        try {
            reader.crowding.waitsFor = null;
        } finally {
            LOCK.unlock();
        }
    }
}
