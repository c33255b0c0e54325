package dev.acp4j.cli.serve;

import dev.acp4j.http.ServerEvent;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Whether a server has connections, and since when it has none. */
final class IdleShutdown {
    private final Set<String> connections = ConcurrentHashMap.newKeySet();
    private volatile long since = System.nanoTime();

    void note(ServerEvent event) {
        if (event instanceof ServerEvent.ConnectionOpened opened) {
            connections.add(opened.connection());
        } else if (event instanceof ServerEvent.ConnectionEnded ended) {
            since = System.nanoTime();
            connections.remove(ended.connection());
        }
    }

    /** Waits until the server is to stop, or has had no connection for so long. */
    void await(CountDownLatch stop, @Nullable Duration unused) throws InterruptedException {
        if (unused == null) {
            stop.await();
            return;
        }
        long left = unused.toNanos();
        while (left > 0 && !stop.await(left, TimeUnit.NANOSECONDS)) {
            left = connections.isEmpty() ? since + unused.toNanos() - System.nanoTime() : unused.toNanos();
        }
    }
}
