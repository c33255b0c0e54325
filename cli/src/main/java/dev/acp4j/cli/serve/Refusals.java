package dev.acp4j.cli.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.ServerEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The refusals of a server in its log, to which each client that reaches the port could add lines without end. The
 * first one of an address and reason is written at once, and after a minute how many more there were. Of more than so
 * many addresses in a minute they are counted together.
 *
 * <p>The lock guards the counts. Nothing is written while it is held.
 */
final class Refusals {
    private static final int MOST = 100;

    /** What refusals have in common that are counted together. */
    private record Kind(int status, String reason, String address, String principal) {}

    private final ServeLog log;
    private final Executor afterMinute;
    private final ReentrantLock lock = new ReentrantLock();

    /** How many more there were since the first one was written. */
    @GuardedBy("lock")
    private Map<Kind, Long> more = new LinkedHashMap<>();

    /** @param afterMinute runs something a minute later */
    Refusals(ServeLog log, Executor afterMinute) {
        this.log = log;
        this.afterMinute = afterMinute;
    }

    void write(ServerEvent.Refused refused) {
        String principal =
                refused.principal() == null ? "" : refused.principal().name();
        Kind kind = new Kind(refused.status(), refused.reason(), refused.address(), principal);
        boolean isFirst;
        boolean isNew;
        lock.lock();
        try {
            isFirst = more.isEmpty();
            if (more.size() >= MOST && !more.containsKey(kind)) {
                kind = new Kind(refused.status(), refused.reason(), "others", "");
            }
            Long before = more.get(kind);
            isNew = before == null;
            Long unused = more.put(kind, before == null ? 0 : before + 1);
        } finally {
            lock.unlock();
        }
        if (isNew) {
            line(kind, refused.method(), refused.connection(), "");
        }
        if (isFirst) {
            afterMinute.execute(this::writeCounts);
        }
    }

    /** Writes how many more there were, and begins to count anew. */
    void writeCounts() {
        Map<Kind, Long> counted;
        lock.lock();
        try {
            counted = more;
            more = new LinkedHashMap<>();
        } finally {
            lock.unlock();
        }
        counted.forEach((kind, count) -> {
            if (count > 0) {
                line(kind, "", "", Long.toString(count));
            }
        });
    }

    private void line(Kind kind, String method, String connection, String more) {
        log.write(
                kind.status >= 500 ? "warning" : "info",
                "refused",
                "status",
                Integer.toString(kind.status),
                "reason",
                kind.reason,
                "address",
                kind.address,
                "principal",
                kind.principal,
                "method",
                method,
                "connection",
                connection,
                "more",
                more);
    }
}
