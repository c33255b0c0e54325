package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.mcp.ConnectedServer;
import dev.acp4j.mcp.LogMessage;
import dev.acp4j.schema.NoticeSeverity;
import java.util.Locale;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * Shows what MCP servers log as notices of their sessions: a few of each server, since one that logs without end would
 * hide what the session is about.
 *
 * <p>The lock guards how many there were; nothing is sent while it is held.
 */
final class ServerLogs implements BiConsumer<ConnectedServer, LogMessage> {
    static final int MOST = 20;
    private static final int LONGEST = 1_000;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<ConnectedServer, Integer> counts = new WeakHashMap<>();

    @Override
    public void accept(ConnectedServer server, LogMessage message) {
        int count;
        lock.lock();
        try {
            count = counts.getOrDefault(server, 0) + 1;
            counts.put(server, Math.min(count, MOST + 1));
        } finally {
            lock.unlock();
        }
        if (count > MOST) {
            return;
        }
        String level = message.level().name().toLowerCase(Locale.ROOT);
        String logger = message.logger() == null ? "" : " (" + message.logger() + ")";
        String text = message.text();
        int end =
                text.length() > LONGEST && Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
        String shown = text.length() > LONGEST ? text.substring(0, end) + "…" : text;
        String last = count < MOST ? "" : "\nWhat it logs from here on is not shown.";
        try {
            server.session()
                    .notice(
                            severity(message.level()),
                            "MCP server " + server.name() + ": " + level + logger,
                            shown + last);
        } catch (IllegalStateException e) {
            // The session has ended meanwhile.
        }
    }

    private static NoticeSeverity severity(LogMessage.Level level) {
        return level.compareTo(LogMessage.Level.ERROR) < 0 ? NoticeSeverity.WARNING : NoticeSeverity.ERROR;
    }
}
