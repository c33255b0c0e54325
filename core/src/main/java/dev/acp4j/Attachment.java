package dev.acp4j;

import dev.acp4j.rpc.Message;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** One client's part in a session. The lock of {@link AgentSessionState} guards everything that changes. */
final class Attachment {
    final ConnectedClient client;

    /** Whether the client opens a session that did not exist before, whose id it does not know yet. */
    final boolean isNew;

    /** Whether the session exists only since this client opens it. */
    final boolean isFirst;

    /** Whether the client has not been answered yet: the session's handler may still replay. */
    boolean opening = true;

    boolean attached = true;

    /** Whether the handler that opens the session replays what the client has not asked for. */
    boolean isMuted;

    /**
     * Updates that wait: for the client to be answered, or for room in its outgoing queue. Null when none do, and
     * updates go into that queue.
     */
    @Nullable
    ArrayDeque<Message> waiting = new ArrayDeque<>();

    long waitingBytes;

    /** What is left of the last update that was replayed, or of the end of the replay. */
    final ArrayDeque<Message> replayed = new ArrayDeque<>(0);

    /** What becomes of the updates that the client alone gets while it is attached; null before the first. */
    @Nullable
    Conversions conversions;

    Attachment(ConnectedClient client, boolean isNew, boolean isFirst) {
        this.client = client;
        this.isNew = isNew;
        this.isFirst = isFirst;
    }

    void add(Message message) {
        if (waiting == null) {
            waiting = new ArrayDeque<>();
        }
        waiting.add(message);
        waitingBytes += message.length();
    }

    void removeFirst(Message message) {
        if (waiting != null) {
            waiting.remove();
        }
        waitingBytes -= message.length();
    }

    void discardWaiting() {
        waiting = null;
        waitingBytes = 0;
    }

    /**
     * Returns whether a message would be more than may wait. One alone always may.
     *
     * @param limit how much may wait of a client that was not answered yet
     */
    boolean isFull(Message message, long limit) {
        long most = opening ? limit : client.rpc().limits().outboxBytes();
        return waitingBytes > 0 && waitingBytes + message.length() > most;
    }

    /** Returns whether updates wait although the client was answered. */
    boolean isBehind() {
        return waiting != null && !opening;
    }
}
