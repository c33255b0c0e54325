package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is to be reported to a client, until that reads. Reporting never waits for the client: a change that is reported
 * again before it was read is there once, and when it is too much, the oldest is discarded that is no change of a list.
 *
 * <p>The lock guards what there is; nothing is sent while it is held.
 */
final class PendingNotices implements Face.Notices {
    private static final int MOST = 1_000;
    private static final int MOST_CHARACTERS = 16 << 20;

    private static final String UPDATED = "notifications/resources/updated";

    private static final String LIST_CHANGED = "/list_changed";

    /**
     * A report.
     *
     * @param params as text, which does not hold what they came in
     */
    record Notice(String method, String params) {
        Message message() {
            return Message.notification(method, RawJson.parse(params));
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();

    /** By what makes a later report the same: of changes that, of others their number. */
    @GuardedBy("lock")
    private final Map<String, Notice> waiting = new LinkedHashMap<>();

    @GuardedBy("lock")
    private long characters;

    @GuardedBy("lock")
    private long numbers;

    @GuardedBy("lock")
    private boolean isOver;

    @Override
    public void send(String method, RawJson params) {
        String text = params.compact().toString();
        lock.lock();
        try {
            String key = method.endsWith(LIST_CHANGED)
                    ? method
                    : method + " " + (method.equals(UPDATED) ? text : String.valueOf(++numbers));
            if (waiting.putIfAbsent(key, new Notice(method, text)) == null) {
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
        Iterator<Notice> oldest = waiting.values().iterator();
        while (oldest.hasNext() && (waiting.size() > MOST || characters > MOST_CHARACTERS)) {
            Notice notice = oldest.next();
            if (!notice.method().endsWith(LIST_CHANGED)) {
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
            Iterator<Notice> oldest = waiting.values().iterator();
            Notice next = oldest.next();
            oldest.remove();
            characters -= next.params().length();
            return next;
        } finally {
            lock.unlock();
        }
    }
}
