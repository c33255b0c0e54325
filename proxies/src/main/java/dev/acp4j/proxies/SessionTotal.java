package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A total that an agent reports for its session, from which follows what each turn has used. Thread-safe. */
final class SessionTotal {
    private final ReentrantLock lock = new ReentrantLock();

    /** Null if it is not known. */
    @GuardedBy("lock")
    private @Nullable Double known;

    /** @param isNew whether the session has used nothing yet */
    SessionTotal(boolean isNew) {
        known = isNew ? 0.0 : null;
    }

    /** Takes the next total; returns how much more that is, null if that is not known. */
    @Nullable
    Double next(@Nullable Double total) {
        lock.lock();
        try {
            Double before = known;
            known = total;
            if (before == null || total == null) {
                return null;
            }
            // A total that falls begins anew, or the agent counts turns.
            return total < before ? total : total - before;
        } finally {
            lock.unlock();
        }
    }
}
