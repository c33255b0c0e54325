package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is to be reported to a client, until that reads. Reporting never waits for the client: a change that is reported
 * again before it was read is there once, and when it is too much, the oldest that can be done without is discarded.
 *
 * <p>The lock guards what there is; nothing is sent while it is held.
 */
final class PendingNotices implements Face.Notices {
    private static final int MOST = 1_000;
    private static final int MOST_CHARACTERS = 16 << 20;

    private static final String UPDATED = "notifications/resources/updated";

    /** Of everything else there is little. */
    private static final Set<String> DISCARDABLE = Set.of(UPDATED, "notifications/progress", "notifications/message");

    /**
     * A report.
     *
     * @param params as text, which does not hold what they came in
     * @param number of one that is not the same as an equal one; 0 for changes
     */
    record Notice(String method, String params, long number) {
        Message message() {
            return Message.notification(method, RawJson.parse(params));
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();

    @GuardedBy("lock")
    private final Set<Notice> waiting = new LinkedHashSet<>();

    @GuardedBy("lock")
    private long characters;

    @GuardedBy("lock")
    private long numbers;

    @GuardedBy("lock")
    private boolean isOver;

    @Override
    public void send(String method, RawJson params) {
        boolean isChange = method.equals(UPDATED) || method.endsWith("/list_changed");
        String text = params.compact().toString();
        lock.lock();
        try {
            Notice notice = new Notice(method, text, isChange ? 0 : ++numbers);
            if (waiting.add(notice)) {
                characters += text.length();
                discard();
            }
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void discard() {
        Iterator<Notice> oldest = waiting.iterator();
        while (oldest.hasNext() && (waiting.size() > MOST || characters > MOST_CHARACTERS)) {
            Notice notice = oldest.next();
            if (DISCARDABLE.contains(notice.method())) {
                oldest.remove();
                characters -= notice.params().length();
            }
        }
    }

    /** Nothing more is sent: {@link #passTo} ends when it has passed on what there is. */
    void end() {
        lock.lock();
        try {
            isOver = true;
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Passes on what is sent, until the {@link #end} or until the thread is interrupted. */
    void passTo(Face.Notices client) throws InterruptedException {
        for (Notice next = next(Long.MAX_VALUE); next != null; next = next(Long.MAX_VALUE)) {
            client.send(next.method(), RawJson.parse(next.params()));
        }
    }

    /** Returns the next report, to be sent by the caller; null if there is none within a time. */
    @Nullable
    Notice next(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (waiting.isEmpty() && !isOver && left > 0) {
                left = more.awaitNanos(left);
            }
            if (waiting.isEmpty()) {
                return null;
            }
            Notice next = waiting.iterator().next();
            waiting.remove(next);
            characters -= next.params().length();
            return next;
        } finally {
            lock.unlock();
        }
    }
}
