package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that have work: one for each session, and one for what belongs to none. A part of {@link ConnectionState},
 * whose lock guards it and the fields of {@link Lane} and {@link LaneItem}.
 */
final class Lanes {
    /**
     * How many times its limit a lane may take while a thread waits for an answer that has not been read; also how much
     * all lanes may take together.
     */
    private static final int WAITING_FACTOR = 4;

    private final ConnectionState state;
    private final ReentrantLock lock;
    private final long limit;

    /** How many lanes may have work before reading pauses: each takes a thread. */
    private final int lanesAtOnce;

    private final Condition room;

    @GuardedBy("lock")
    private final Map<String, Lane> busy = new HashMap<>();

    /** How much memory takes what waits in all lanes. Guarded by the lock, which {@link Lane} holds too. */
    long waitingBytes;

    @GuardedBy("lock")
    private int waitingThreads;

    @GuardedBy("lock")
    private boolean closed;

    /** Whether memory has run out: messages are discarded. */
    @GuardedBy("lock")
    private boolean exhausted;

    Lanes(ConnectionState state, Limits limits) {
        this.state = state;
        this.lock = state.lock;
        this.limit = limits.laneBytes();
        this.lanesAtOnce = limits.incomingRequests();
        this.room = lock.newCondition();
    }

    /**
     * Puts an item behind the others of its lane, waiting for room when the reader asks for it. After the end only
     * answers and reports are taken.
     *
     * @return the lane when it needs a thread, else null
     */
    @Nullable
    Lane enqueue(String key, LaneItem item) throws InterruptedException {
        lock.lock();
        try {
            while (!closed && !exhausted && !hasRoom(key, item)) {
                room.await();
            }
            if (closed && item.startsHandler()) {
                // The reader may have waited here with it. Nobody would end its handler any more.
                return null;
            }
            if (exhausted && item.startsHandler()) {
                item.discarded();
                return null;
            }
            Lane lane = lane(key);
            return lane.add(item) ? lane : null;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean hasRoom(String key, LaneItem item) {
        if (item.bytes == 0) {
            return true;
        }
        long most = limit * WAITING_FACTOR;
        boolean patient = waitingThreads > 0;
        Lane lane = busy.get(key);
        boolean fits = lane == null
                ? !item.startsHandler() || busy.size() < (patient ? WAITING_FACTOR * lanesAtOnce : lanesAtOnce)
                : lane.hasRoom(item, patient ? most : limit);
        return fits && (waitingBytes == 0 || waitingBytes + item.bytes <= most);
    }

    @GuardedBy("lock")
    private Lane lane(String key) {
        Lane lane = busy.get(key);
        if (lane == null) {
            lane = new Lane(key, this);
            busy.put(key, lane);
        }
        return lane;
    }

    /**
     * Marks what ran in the lane as done and takes what comes next; null when the lane is idle, and is then forgotten.
     */
    @Nullable
    LaneItem next(Lane lane) {
        lock.lock();
        try {
            LaneItem item = lane.next();
            if (item == null) {
                busy.remove(lane.key);
            }
            room.signalAll();
            return item;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Whether nothing waits or runs in the lane, so that an answer may pass it by. */
    boolean isIdle(String key) {
        lock.lock();
        try {
            Lane lane = busy.get(key);
            return lane == null || lane.isIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nothing waits or runs in any lane. Returns false when the connection has ended. */
    boolean awaitRest() throws InterruptedException {
        lock.lock();
        try {
            while (!closed && !areAtRest()) {
                room.await();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts what runs. */
    void interruptAll() {
        lock.lock();
        try {
            busy.values().forEach(Lane::interrupt);
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Discards the messages that wait, requests included, to free their memory: the connection cannot go on. */
    void discardMessages() {
        lock.lock();
        try {
            exhausted = true;
            for (Lane lane : busy.values()) {
                lane.discardMessages();
            }
            room.signalAll();
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Drops what waits, and makes room for ever. Returns the calls whose answers were dropped. */
    List<Call> close() {
        List<Call> left = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            for (Lane lane : busy.values()) {
                lane.interrupt();
                left.addAll(lane.clear());
            }
            room.signalAll();
            return left;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** One thread more waits for an answer, or one less. Called with the lock held. */
    @GuardedBy("lock")
    void addWaiting(int threads) {
        waitingThreads += threads;
        room.signalAll();
    }

    /** Something has left its lane out of order. Called with the lock held. */
    @GuardedBy("lock")
    void hasLeft() {
        room.signalAll();
    }

    /** Whether nothing waits or runs in any lane. Called with the lock held. */
    @GuardedBy("lock")
    boolean areAtRest() {
        return busy.isEmpty();
    }
}
