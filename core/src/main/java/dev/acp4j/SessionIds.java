package dev.acp4j;

import dev.acp4j.schema.SessionId;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Ids of new sessions: unique among the processes and restarts of one machine without asking for random numbers, which
 * would cost tens of milliseconds at the first session.
 */
final class SessionIds implements Supplier<SessionId> {
    private static final int BASE = 36;
    private static final AtomicLong NEXT = new AtomicLong();

    @Override
    public SessionId get() {
        String time = Long.toString(System.currentTimeMillis(), BASE);
        String process = Long.toString(ProcessHandle.current().pid(), BASE);
        return SessionId.of("session-" + time + "-" + process + "-" + Long.toString(NEXT.incrementAndGet(), BASE));
    }
}
