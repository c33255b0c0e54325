package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What has arrived from the other side and was not read yet, bounded in bytes: a thread that brings more waits while it
 * is full, which slows the other side.
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

    @GuardedBy("lock")
    private final ArrayDeque<Message> queue = new ArrayDeque<>(1);

    @GuardedBy("lock")
    private final ArrayDeque<Runnable> forRoom = new ArrayDeque<>(1);

    @GuardedBy("lock")
    private long bytes;

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
        lock.lockInterruptibly();
        try {
            while (!ended && !hasRoom()) {
                changed.await();
            }
            add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Adds a message whether there is room or not. After the end, drops it. */
    void addAnyway(Message message) {
        lock.lock();
        try {
            add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Adds a message, and runs something when there is room for the next one: at once, or on the thread that reads. */
    void put(Message message, Runnable whenRoom) {
        lock.lock();
        try {
            add(message);
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
    private void add(Message message) {
        if (!ended) {
            queue.add(message);
            bytes += message.length() + bytesBeside;
            changed.signalAll();
        }
    }

    /** Waits for the next message. Returns null at the end, after all that came before it, or fails with its reason. */
    @Nullable
    Message take() throws IOException, InterruptedException {
        Message message;
        Runnable next = null;
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && !ended) {
                changed.await();
            }
            message = queue.poll();
            if (message == null) {
                IOException why = failure;
                if (why != null) {
                    throw why;
                }
                return null;
            }
            bytes -= message.length() + bytesBeside;
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
        return message;
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
            bytes = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
