package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a session's updates for clients of each version, where that takes what was said before. A session has
 * one for all its clients, and one for each replay. It remembers nothing before something is said that takes it.
 *
 * <p>The lock guards what is remembered; no other is taken while it is held but that of {@link ToldInVersion1}.
 */
final class Conversions {
    private final AgentSessionState session;
    private final SessionId about;
    private final Agent.Builder config;
    private final Supplier<MessageId> newId;
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether clients of version 1 may be attached. */
    private final boolean hasVersion1;

    /** Whether clients of version 2 may be attached. */
    private final boolean hasVersion2;

    /** Whether the program gives messages their ids. */
    private volatile boolean namesMessages;

    /** Null as long as there are only pieces of messages without names. */
    private volatile @Nullable ToldInVersion1 inVersion1;

    /** Null as long as the program does not speak of terminals in the dialect of version 1. */
    @GuardedBy("lock")
    private @Nullable ToldInVersion2 inVersion2;

    /**
     * @param about the session itself, or that of a subagent
     * @param newId the id of a message that takes the place of another
     */
    Conversions(AgentSessionState session, SessionId about, Agent.Builder config, Supplier<MessageId> newId) {
        this.session = session;
        this.about = about;
        this.config = config;
        this.newId = newId;
        this.hasVersion1 = config.versions.contains(Version.V1);
        this.hasVersion2 = config.versions.contains(Version.V2);
    }

    /** The program gives messages their ids. */
    void namesMessages() {
        namesMessages = true;
    }

    /** Returns an update on its way to the clients. */
    Outgoing outgoing(SessionUpdate update, Meta meta) {
        ToldInVersion1 first = hasVersion1 ? inVersion1(update) : null;
        return new Outgoing(
                session,
                about,
                update,
                first == null ? null : first.tell(update),
                hasVersion2 ? inVersion2(update) : null,
                meta);
    }

    /** Returns what clients of version 1 were told; null when nobody needs to know. */
    @Nullable
    ToldInVersion1 inVersion1() {
        return inVersion1;
    }

    /** Returns whether clients of version 1 were not told all yet. */
    boolean hasRest() {
        ToldInVersion1 known = inVersion1;
        return known != null && known.hasRest();
    }

    /**
     * Returns what clients of version 1 were not told yet.
     *
     * @param isEnd whether a turn or a replay has ended; else only what has waited long enough
     */
    List<Outgoing> rest(boolean isEnd) {
        ToldInVersion1 known = inVersion1;
        List<Outgoing> rest = new ArrayList<>(0);
        if (known != null) {
            for (ToldInVersion1.InVersion1 one : known.rest(isEnd)) {
                rest.add(new Outgoing(session, about, null, one, null, Meta.EMPTY));
            }
        }
        return rest;
    }

    private @Nullable ToldInVersion1 inVersion1(SessionUpdate update) {
        ToldInVersion1 known = inVersion1;
        // A piece of a message to which the program gave no id is all that anybody can say of that message.
        if (known != null || (update instanceof SessionUpdate.Chunk && !namesMessages)) {
            return known;
        }
        lock.lock();
        try {
            if (inVersion1 == null) {
                inVersion1 = new ToldInVersion1(config.time, newId, config.isTranslator);
            }
            return inVersion1;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable List<SessionUpdate> inVersion2(SessionUpdate update) {
        VendorDialect.TerminalChange change = VendorDialect.terminal(update);
        if (change == null) {
            return null;
        }
        lock.lock();
        try {
            if (inVersion2 == null) {
                inVersion2 = new ToldInVersion2();
            }
            return inVersion2.tell(update, change);
        } finally {
            lock.unlock();
        }
    }
}
