package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many bytes of requests each principal may have in memory: of those that are being read, also from WebSockets, and
 * of those that are held until there is room for them.
 *
 * <p>The lock guards the counts.
 */
final class BodyBudget {
    /** A smaller body may use twice as much, so that large ones hold up no answer and no cancellation. */
    private static final int SMALL = 64 * 1024;

    private final long bytes;
    private final ReentrantLock lock = new ReentrantLock();

    /** By the name of the principal; none for 0. */
    @GuardedBy("lock")
    private final Map<String, Long> used = new HashMap<>();

    /** Creates a budget of so many bytes for each principal. */
    BodyBudget(long bytes) {
        this.bytes = bytes;
    }

    /** Begins a request of a principal. */
    Share share(Principal principal) {
        return new Share(principal.name());
    }

    /** What one request uses, or one WebSocket: nothing once it is closed, until more is added. */
    final class Share implements AutoCloseable {
        private final String name;
        private long own;

        private Share(String name) {
            this.name = name;
        }

        /** Counts bytes that are about to be kept, or refuses them. */
        void add(int count) {
            lock.lock();
            try {
                long all = used.getOrDefault(name, 0L) + count;
                if (all > (own + count <= SMALL ? 2 * bytes : bytes)) {
                    throw new Refusal(Answer.refusal(
                                    429, "too_many_bytes", "requests of " + name + " have too many bytes at once")
                            .with("Retry-After", "1"));
                }
                used.put(name, all);
                own += count;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                long rest = used.getOrDefault(name, 0L) - own;
                own = 0;
                if (rest > 0) {
                    used.put(name, rest);
                } else {
                    used.remove(name);
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
