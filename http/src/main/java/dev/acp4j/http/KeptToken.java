package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A token that is asked for once, and again when the server has refused it.
 *
 * <p>The lock guards the token. It is held while the user's supplier runs, so that requests that need the token at once
 * wait for one call of it; nothing else is called while it is held.
 */
final class KeptToken implements Supplier<String> {
    private final Supplier<String> source;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable String token;

    KeptToken(Supplier<String> source) {
        this.source = source;
    }

    @Override
    public String get() {
        lock.lock();
        try {
            String known = token;
            if (known == null) {
                known = source.get();
                token = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    /** The server has refused a request with this header. Of several, which all had the old token, the first counts. */
    void refused(@Nullable String authorization) {
        lock.lock();
        try {
            if (token != null && ("Bearer " + token.strip()).equals(authorization)) {
                token = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
