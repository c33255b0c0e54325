package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An update on its way to the clients of a session: as the version of each client has it, and encoded once for each
 * version as long as no client lacks a capability for it. Not for several threads at once.
 */
final class Outgoing {
    private final AgentSessionState session;
    private final SessionId about;
    private final @Nullable SessionUpdate update;
    private final Meta meta;
    private final ToldInVersion1.@Nullable InVersion1 first;
    private final @Nullable List<SessionUpdate> second;

    /** The update as it is, in version 1. */
    private @Nullable List<Message> inFirst;

    /** What clients of version 2 get, which are all alike. */
    private @Nullable List<Message> inSecond;

    /** What became of the update for clients of version 1. */
    private @Nullable Map<AgentDialect, List<Message>> converted;

    /**
     * @param about the session of the update: this one, or that of a subagent
     * @param update the update; null when only clients of version 1 get something
     * @param first what clients of version 1 get; null when that follows from the update alone
     * @param second what clients of version 2 get; null when that follows from the update alone
     * @param meta the {@code _meta} beside the update
     */
    Outgoing(
            AgentSessionState session,
            SessionId about,
            @Nullable SessionUpdate update,
            ToldInVersion1.@Nullable InVersion1 first,
            @Nullable List<SessionUpdate> second,
            Meta meta) {
        this.session = session;
        this.about = about;
        this.update = update;
        this.first = first;
        this.second = second;
        this.meta = meta;
    }

    /** An update for which it does not matter what was said before. */
    Outgoing(AgentSessionState session, SessionUpdate update) {
        this(session, session.id(), update, null, null, Meta.EMPTY);
    }

    /**
     * Returns what a client gets, in order; empty when the update is not for it.
     *
     * @throws IllegalArgumentException when a message is larger than messages may be
     */
    List<Message> to(AgentDialect client) {
        if (!about.equals(session.id()) && !client.shows(Feature.SUBAGENTS)) {
            return List.of();
        }
        return client.version() == Version.V1 ? inFirst(client) : inSecond(client);
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
        Map<AgentDialect, List<Message>> before = converted;
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
            converted = before;
        }
        before.put(client, known);
        return known;
    }

    private List<Message> encoded(AgentDialect client, List<SessionUpdate> updates) {
        List<Message> messages = new ArrayList<>(updates.size());
        for (SessionUpdate one : updates) {
            messages.add(session.encode(client, about, one, meta));
        }
        return messages;
    }

    /** Returns the update as the client's version has it, or what was made of it. */
    private List<SessionUpdate> shown(AgentDialect client, @Nullable List<SessionUpdate> made) {
        if (made == null) {
            return update == null ? List.of() : client.shown(update, session);
        }
        List<SessionUpdate> shown = new ArrayList<>(made.size());
        for (SessionUpdate one : made) {
            shown.addAll(client.shown(one, session));
        }
        return shown;
    }
}
