package dev.acp4j.rpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The items of one session, or of the connection, in the order of the wire, and the one that runs. What may leave the
 * order is said in {@link Waiting}. Guarded by {@link ConnectionState}'s lock.
 */
@SuppressWarnings("ReferenceEquality") // Calls and lane items are what they are; they have no equals().
final class Lane {
    /** What is larger takes a while to be read, so nothing is left to it. */
    private static final int QUICK_BYTES = 16 * 1024;

    final String key;

    private final Lanes lanes;
    private final ArrayDeque<LaneItem> waiting = new ArrayDeque<>();
    private long waitingBytes;

    /** How many of those that wait are requests. */
    private int waitingRequests;

    /** The calls whose answers wait here. */
    private final List<Call> answers = new ArrayList<>(1);

    /** What runs now; null between items and when the lane is idle. */
    @Nullable
    LaneItem running;

    /** Whether a thread works on this lane, or is about to. */
    private boolean busy;

    /** That thread, once it does. */
    private @Nullable Thread thread;

    Lane(String key, Lanes lanes) {
        this.key = key;
        this.lanes = lanes;
    }

    /** Whether an item may join; one that alone is larger than the limit may when nothing else waits. */
    boolean hasRoom(LaneItem item, long limit) {
        return item.bytes == 0 || waitingBytes == 0 || waitingBytes + item.bytes <= limit;
    }

    /** Puts an item behind the others. Returns true when the lane needs a thread. */
    boolean add(LaneItem item) {
        waiting.add(item);
        waitingBytes += item.bytes;
        lanes.waitingBytes += item.bytes;
        Call call = item.call();
        if (call != null) {
            call.progress = Call.Progress.ARRIVED;
            call.queuedIn = this;
            answers.add(call);
            call.wakeWaiters();
        }
        if (item.kind == LaneItem.Kind.REQUEST) {
            waitingRequests++;
            if (running != null) {
                running.waitingFor.forEach(Call::wakeWaiters);
            }
        }
        boolean needsThread = !busy;
        busy = true;
        return needsThread;
    }

    /** Ends what ran and takes what the current thread is to run next; null when the lane is idle. */
    @Nullable
    LaneItem next() {
        if (running != null) {
            running.end();
            running = null;
            // What interrupted that handler must not disturb the next.
            boolean unused = Thread.interrupted();
        }
        LaneItem item = waiting.peek();
        if (item == null) {
            busy = false;
            return null;
        }
        take(item);
        LaneItem following = waiting.peek();
        item.isFollowedByAnother = following != null && following.bytes <= QUICK_BYTES && following.isLike(item);
        running = item;
        thread = Thread.currentThread();
        item.lane = this;
        return item;
    }

    /** Takes an item out of the order. */
    void take(LaneItem item) {
        waiting.remove(item);
        waitingBytes -= item.bytes;
        lanes.waitingBytes -= item.bytes;
        if (item.kind == LaneItem.Kind.REQUEST) {
            waitingRequests--;
        }
        Call call = item.call();
        if (call != null) {
            answers.remove(call);
            call.queuedIn = null;
        }
    }

    boolean hasRequests() {
        return waitingRequests > 0;
    }

    /** Takes the first request that waits. */
    LaneItem takeRequest() {
        for (LaneItem item : waiting) {
            if (item.kind == LaneItem.Kind.REQUEST) {
                take(item);
                return item;
            }
        }
        throw new AssertionError("no request in the lane");
    }

    /** Returns what hands over the answer of a call that waits here. */
    LaneItem answerOf(Call call) {
        for (LaneItem item : waiting) {
            if (item.call() == call) {
                return item;
            }
        }
        throw new AssertionError("no answer in its lane");
    }

    boolean hasNotificationBefore(LaneItem item) {
        for (LaneItem earlier : waiting) {
            if (earlier == item) {
                return false;
            }
            if (earlier.kind == LaneItem.Kind.NOTIFICATION) {
                return true;
            }
        }
        return false;
    }

    /** Lets those look again who wait for answers in this lane. */
    void wakeAnswers() {
        answers.forEach(Call::wakeWaiters);
    }

    /** Whether nothing waits or runs here, so that an answer may pass by. */
    boolean isIdle() {
        // An answer lets its caller go on a moment before its lane notices that it is done.
        Call call = running == null ? null : running.call();
        return waiting.isEmpty() && call != null && call.progress == Call.Progress.DONE;
    }

    /** Interrupts the handler that runs here, if one does. */
    void interrupt() {
        if (running != null && thread != null) {
            thread.interrupt();
        }
    }

    /** Discards the notifications and requests that wait. */
    void discardMessages() {
        // Once around, without memory for a copy.
        for (int left = waiting.size(); left > 0; left--) {
            LaneItem item = waiting.removeFirst();
            if (item.startsHandler()) {
                waitingBytes -= item.bytes;
                lanes.waitingBytes -= item.bytes;
                waitingRequests -= item.kind == LaneItem.Kind.REQUEST ? 1 : 0;
                item.discarded();
            } else {
                waiting.addLast(item);
            }
        }
    }

    /** Drops what waits. Returns the calls whose answers were dropped. */
    List<Call> clear() {
        List<Call> left = List.copyOf(answers);
        while (!waiting.isEmpty()) {
            take(waiting.getFirst());
        }
        return left;
    }
}
