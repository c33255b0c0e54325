package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An update on its way to the clients of a session: as the version of each client has it, and encoded once for each
 * version as long as no client lacks a capability for it. Not for several threads at once.
 *
 * <p>What becomes of an update may depend on what was sent before, so it is converted in the step that queues it. Until
 * then only its size is asked for.
 */
final class Outgoing {
    /** Stands for a message whose size is not known yet. */
    private static final Message SMALL = Message.notification(ClientMethods.UPDATE.name(), RawJson.EMPTY_OBJECT);

    private final AgentSessionState session;
    private final SessionId about;
    private final @Nullable SessionUpdate update;
    private final Meta meta;
    private boolean converted;
    private SentInVersion1.@Nullable InVersion1 first;
    private @Nullable List<SessionUpdate> second;
    private @Nullable PlanId lastPlan;

    /** Whether it is about a subagent. */
    private final boolean isOfSubagent;

    /** The client that was asked for last, of which there mostly is one, and what it gets. */
    private @Nullable AgentDialect lastClient;

    private List<Message> toLast = List.of();

    /** The update as it is, in version 1. */
    private @Nullable List<Message> inFirst;

    /** What clients of version 2 get, which are all alike. */
    private @Nullable List<Message> inSecond;

    /** What became of the update for clients of version 1. */
    private @Nullable Map<AgentDialect, List<Message>> otherwise;

    /**
     * An update that is to be converted.
     *
     * @param about the session of the update: this one, or that of a subagent
     * @param meta the {@code _meta} beside the update
     */
    Outgoing(AgentSessionState session, SessionId about, SessionUpdate update, Meta meta) {
        this.session = session;
        this.about = about;
        this.update = update;
        this.meta = meta;
        this.isOfSubagent = !about.equals(session.id());
    }

    /**
     * An update that needs no conversion.
     *
     * @param update what clients of version 2 get, or null
     * @param first what clients of version 1 get; null when that follows from the update alone
     */
    Outgoing(
            AgentSessionState session,
            SessionId about,
            @Nullable SessionUpdate update,
            SentInVersion1.@Nullable InVersion1 first) {
        this.session = session;
        this.about = about;
        this.update = update;
        this.meta = Meta.EMPTY;
        this.first = first;
        this.isOfSubagent = !about.equals(session.id());
        this.converted = true;
    }

    /** An update for which it does not matter what was said before. */
    Outgoing(AgentSessionState session, SessionUpdate update) {
        this(session, session.id(), update, (SentInVersion1.InVersion1) null);
    }

    /** Converts the update for good: it is queued now. With the lock of the session. */
    void convert(Conversions conversions) {
        if (!converted && update != null) {
            Conversions those = conversions.of(about);
            lastPlan = those.lastPlan();
            first = those.inVersion1(update);
            second = those.inVersion2(update);
            if (first != null) {
                otherwise = null;
                lastClient = null;
            }
            if (second != null) {
                inSecond = null;
                lastClient = null;
            }
            converted = true;
        }
    }

    /** What the update was converted to is larger than messages may be. */
    void unsent(Conversions conversions) {
        if (update != null) {
            conversions.of(about).unsent(update);
        }
    }

    /** Returns a message for which a client needs room; null when it gets none. */
    @SuppressWarnings("ReferenceEquality") // As above.
    @Nullable
    Message measure(AgentDialect client) {
        if (!isFor(client)) {
            return null;
        }
        if (!converted && client != lastClient && client.version() == Version.V1 && dependsOnPast()) {
            return SMALL;
        }
        List<Message> messages = to(client);
        return messages.isEmpty() ? null : messages.getFirst();
    }

    /** Returns whether version 1 cannot say the update but by what was said before. */
    private boolean dependsOnPast() {
        return update instanceof SessionUpdate.Message
                || update instanceof SessionUpdate.ToolCallContentChunk
                || update instanceof SessionUpdate.PlanRemoved
                || update instanceof TerminalUpdate
                || update instanceof TerminalOutputChunk;
    }

    private boolean isFor(AgentDialect client) {
        return !isOfSubagent || client.shows(Feature.SUBAGENTS);
    }

    /**
     * Returns what a client gets, in order; empty when the update is not for it.
     *
     * @throws IllegalArgumentException when a message is larger than messages may be
     */
    @SuppressWarnings("ReferenceEquality") // The same client, or another one.
    List<Message> to(AgentDialect client) {
        if (client != lastClient) {
            toLast = !isFor(client) ? List.of() : client.version() == Version.V1 ? inFirst(client) : inSecond(client);
            lastClient = client;
        }
        return toLast;
    }

    private List<Message> inSecond(AgentDialect client) {
        List<Message> known = inSecond;
        if (known == null) {
            known = encoded(client, shown(client, second));
            inSecond = known;
        }
        return known;
    }

    @SuppressWarnings("ReferenceEquality") // The same, or another one.
    private List<Message> inFirst(AgentDialect client) {
        Map<AgentDialect, List<Message>> before = otherwise;
        List<Message> known = before == null ? null : before.get(client);
        if (known != null) {
            return known;
        }
        List<SessionUpdate> shown = shown(client, first == null ? null : first.get(client));
        if (update != null && shown.size() == 1 && shown.getFirst() == update) {
            known = inFirst;
            if (known == null) {
                known = encoded(client, shown);
                inFirst = known;
            }
            return known;
        }
        known = encoded(client, shown);
        if (before == null) {
            before = new HashMap<>();
            otherwise = before;
        }
        before.put(client, known);
        return known;
    }

    private List<Message> encoded(AgentDialect client, List<SessionUpdate> updates) {
        if (updates.size() == 1) {
            return List.of(session.encode(client, about, updates.getFirst(), meta));
        }
        List<Message> messages = new ArrayList<>(updates.size());
        for (SessionUpdate one : updates) {
            messages.add(session.encode(client, about, one, meta));
        }
        return messages;
    }

    /** Returns the update as the client's version has it, or what was made of it. */
    private List<SessionUpdate> shown(AgentDialect client, @Nullable List<SessionUpdate> made) {
        if (made == null) {
            return update == null ? List.of() : client.shown(update, session, lastPlan);
        }
        List<SessionUpdate> shown = new ArrayList<>(made.size());
        for (SessionUpdate one : made) {
            shown.addAll(client.shown(one, session, lastPlan));
        }
        return shown;
    }
}
