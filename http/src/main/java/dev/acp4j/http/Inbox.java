package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What has arrived from the other side and was not read yet, bounded in bytes: a thread that brings more waits while it
 * is full, which slows the other side. Sessions may be paused: what arrives of these is kept apart, in order, up to the
 * same bound. Beyond it none is paused any more.
 *
 * <p>The lock guards everything. Nothing is called while it is held.
 */
final class Inbox {
    /** What a message takes beside its bytes. */
    private static final int OVERHEAD = 128;

    private final LongSupplier mostBytes;
    private final int bytesBeside;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** What has arrived, and of which session; of none if that is empty. */
    private record Arrival(Message message, String session) {}

    @GuardedBy("lock")
    private ArrayDeque<Arrival> queue = new ArrayDeque<>(1);

    @GuardedBy("lock")
    private final ArrayDeque<Runnable> forRoom = new ArrayDeque<>(1);

    @GuardedBy("lock")
    private long bytes;

    /** What has arrived of sessions that are paused. */
    @GuardedBy("lock")
    private final Map<String, ArrayDeque<Message>> paused = new HashMap<>(1);

    @GuardedBy("lock")
    private long pausedBytes;

    @GuardedBy("lock")
    private boolean ended;

    @GuardedBy("lock")
    private @Nullable IOException failure;

    Inbox(int mostBytes) {
        this(() -> mostBytes, OVERHEAD);
    }

    /**
     * Creates an empty one.
     *
     * @param mostBytes how much may wait, which may change. When that has become more, what waits for room goes on with
     *     the next message that is taken; so an empty one must have room
     * @param bytesBeside what a message takes beside its bytes
     */
    Inbox(LongSupplier mostBytes, int bytesBeside) {
        this.mostBytes = mostBytes;
        this.bytesBeside = bytesBeside;
    }

    /** Adds a message as soon as there is room; one is taken whatever its size. After the end, drops it. */
    void put(Message message) throws InterruptedException {
        put(message, "");
    }

    /** Adds a message of a session as soon as there is room, which there is while the session is paused. */
    void put(Message message, String session) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!ended && !paused.containsKey(session) && !hasRoom()) {
                changed.await();
            }
            add(message, session);
        } finally {
            lock.unlock();
        }
    }

    /** Adds a message whether there is room or not. After the end, drops it. */
    void addAnyway(Message message) {
        lock.lock();
        try {
            add(message, "");
        } finally {
            lock.unlock();
        }
    }

    /** Adds a message, and runs something when there is room for the next one: at once, or on the thread that reads. */
    void put(Message message, Runnable whenRoom) {
        put(message, "", whenRoom);
    }

    /** Adds a message of a session, in the same way. */
    void put(Message message, String session, Runnable whenRoom) {
        lock.lock();
        try {
            add(message, session);
            if (awaitsRoom(whenRoom)) {
                return;
            }
        } finally {
            lock.unlock();
        }
        whenRoom.run();
    }

    /** Has something run when there is room, on the thread that reads. Returns false when there is room now. */
    boolean awaitsRoom(Runnable whenRoom) {
        lock.lock();
        try {
            boolean waits = !hasRoom() && !ended;
            if (waits) {
                forRoom.add(whenRoom);
            }
            return waits;
        } finally {
            lock.unlock();
        }
    }

    /** Returns what waits for room, and forgets it. */
    List<Runnable> takeWaiting() {
        lock.lock();
        try {
            List<Runnable> waiting = new ArrayList<>(forRoom);
            forRoom.clear();
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many bytes wait. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean hasRoom() {
        return bytes < mostBytes.getAsLong();
    }

    @GuardedBy("lock")
    private void add(Message message, String session) {
        if (ended) {
            return;
        }
        ArrayDeque<Message> apart = paused.get(session);
        if (apart == null) {
            queue.add(new Arrival(message, session));
            bytes += message.length() + bytesBeside;
            changed.signalAll();
            return;
        }
        apart.add(message);
        pausedBytes += message.length() + bytesBeside;
        if (pausedBytes > mostBytes.getAsLong()) {
            resumeEach();
        }
    }

    /**
     * Keeps apart what has arrived of a session and was not read, and what arrives. Then, without a lock,
     * {@link #letIn}. Returns false when that cannot be kept apart.
     */
    boolean pause(String session) {
        lock.lock();
        try {
            if (ended || session.isEmpty()) {
                return false;
            }
            if (!paused.containsKey(session)) {
                paused.put(session, new ArrayDeque<>());
                ArrayDeque<Arrival> arrived = queue;
                queue = new ArrayDeque<>();
                bytes = 0;
                arrived.forEach(arrival -> add(arrival.message, arrival.session));
                changed.signalAll();
            }
            return paused.containsKey(session);
        } finally {
            lock.unlock();
        }
    }

    /** Has run what waits for room, if there is some: {@link #take} does not while there is nothing to read. */
    void letIn() {
        Runnable next;
        lock.lock();
        try {
            next = hasRoom() ? forRoom.poll() : null;
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.run();
        }
    }

    boolean isPaused(String session) {
        lock.lock();
        try {
            return paused.containsKey(session);
        } finally {
            lock.unlock();
        }
    }

    /** What was kept apart of a session is read next, whether there is room or not, and then what arrives of it. */
    void resume(String session) {
        lock.lock();
        try {
            ArrayDeque<Message> apart = paused.remove(session);
            if (apart != null) {
                for (Message message : apart) {
                    pausedBytes -= message.length() + bytesBeside;
                    add(message, session);
                }
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** No session is paused any more. */
    void resumeAll() {
        lock.lock();
        try {
            resumeEach();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void resumeEach() {
        List.copyOf(paused.keySet()).forEach(this::resume);
    }

    /** Waits for the next message. Returns null at the end, after all that came before it, or fails with its reason. */
    @Nullable
    Message take() throws IOException, InterruptedException {
        Arrival arrival;
        Runnable next = null;
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && !ended) {
                changed.await();
            }
            arrival = queue.poll();
            if (arrival == null) {
                IOException why = failure;
                if (why != null) {
                    throw why;
                }
                return null;
            }
            bytes -= arrival.message.length() + bytesBeside;
            if (hasRoom()) {
                next = forRoom.poll();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.run();
        }
        return arrival.message;
    }

    /** Returns whether {@link #take} would not wait. */
    boolean isReady() {
        lock.lock();
        try {
            return !queue.isEmpty() || ended;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more arrives. The first reason counts. */
    void end(@Nullable IOException why) {
        lock.lock();
        try {
            if (!ended) {
                resumeEach();
                ended = true;
                failure = why;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Drops what was not read: nobody will. */
    void abandon() {
        lock.lock();
        try {
            ended = true;
            failure = null;
            queue.clear();
            forRoom.clear();
            paused.clear();
            bytes = 0;
            pausedBytes = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
