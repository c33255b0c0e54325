package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is known of tool calls, since questions and updates leave out what was said before. Also of sessions that were
 * not seen to be opened, such as those of subagents: a filter must not miss their calls.
 */
final class ToolCalls {
    private static final int MOST = 10_000;

    /** Guards what is known; nothing else happens while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    /** By the agent of each connection; gone with the connection. */
    @GuardedBy("lock")
    private final Map<Neighbour, Map<Key, Known>> calls = new WeakHashMap<>();

    /** A call of a session, or with null the session itself. */
    private record Key(SessionId session, @Nullable ToolCallId call) {}

    /**
     * What is known of a call.
     *
     * @param name the name of the tool; null if it was not said
     * @param kind the kind; null if it was not said
     * @param status how far it is; null if it was not said
     * @param shown the name with which an update has shown the call, and not only a question about it; null before. An
     *     update that says that the call has failed, or was cancelled, shows none: so ends what was rejected
     */
    record Known(
            @Nullable String name,
            @Nullable ToolKind kind,
            @Nullable ToolCallStatus status,
            @Nullable String shown) {
        static final Known NOTHING = new Known(null, null, null, null);

        private Known with(ToolCallUpdate update) {
            return new Known(
                    update.name().applyTo(name),
                    update.kind().applyTo(kind),
                    update.status().applyTo(status),
                    shown);
        }

        private Known shownNow() {
            boolean isOver = ToolCallStatus.FAILED.equals(status) || ToolCallStatus.CANCELLED.equals(status);
            return isOver ? this : new Known(name, kind, status, name);
        }
    }

    /** Takes note of a question about a call, and returns what is known of it. */
    Known asked(Hop hop, SessionId session, ToolCallUpdate call) {
        return put(
                hop,
                session,
                call.toolCallId(),
                of(hop, session, call.toolCallId()).with(call));
    }

    /** Takes note of an update, and returns what is known of its call with it; nothing if it is about none. */
    Known said(Hop hop, SessionId session, SessionUpdate update) {
        return switch (update) {
            case ToolCall call -> {
                // The question before it may have named it.
                Known before = of(hop, session, call.toolCallId());
                String name = call.name() == null ? before.name : call.name();
                Known announced = new Known(name, call.kind(), call.status(), before.shown);
                yield put(hop, session, call.toolCallId(), announced.shownNow());
            }
            case ToolCallUpdate change ->
                put(
                        hop,
                        session,
                        change.toolCallId(),
                        of(hop, session, change.toolCallId()).with(change).shownNow());
            default -> Known.NOTHING;
        };
    }

    /** Returns what is known of a call. */
    Known of(Hop hop, SessionId session, ToolCallId call) {
        lock.lock();
        try {
            return of(hop.agent()).getOrDefault(new Key(session, call), Known.NOTHING);
        } finally {
            lock.unlock();
        }
    }

    /** Takes note of a call, and returns whether it was not known before. */
    boolean isNew(Hop hop, SessionId session, ToolCallId call) {
        return isNew(hop, new Key(session, call));
    }

    /** Takes note of a session, and returns whether it was not known before. */
    boolean isFirst(Hop hop, SessionId session) {
        return isNew(hop, new Key(session, null));
    }

    private boolean isNew(Hop hop, Key key) {
        lock.lock();
        try {
            return of(hop.agent()).putIfAbsent(key, Known.NOTHING) == null;
        } finally {
            lock.unlock();
        }
    }

    private Known put(Hop hop, SessionId session, ToolCallId call, Known known) {
        lock.lock();
        try {
            of(hop.agent()).put(new Key(session, call), known);
        } finally {
            lock.unlock();
        }
        return known;
    }

    @GuardedBy("lock")
    private Map<Key, Known> of(Neighbour agent) {
        return calls.computeIfAbsent(agent, key -> new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, Known> eldest) {
                return size() > MOST;
            }
        });
    }
}
