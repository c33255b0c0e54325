package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
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

    /** What clients of version 1 get; null when that follows from the update alone. */
    private final @Nullable List<SessionUpdate> first;

    // The update as it is, by version.
    private @Nullable List<Message> inFirst;
    private @Nullable List<Message> inSecond;

    /**
     * @param about the session of the update: this one, or that of a subagent
     * @param update the update; null when clients of version 2 get none
     * @param first what clients of version 1 get; null when that follows from the update alone
     * @param meta the {@code _meta} beside the update
     */
    Outgoing(
            AgentSessionState session,
            SessionId about,
            @Nullable SessionUpdate update,
            @Nullable List<SessionUpdate> first,
            Meta meta) {
        this.session = session;
        this.about = about;
        this.update = update;
        this.first = first;
        this.meta = meta;
    }

    /**
     * Returns what a client gets, in order; empty when the update is not for it.
     *
     * @throws IllegalArgumentException when a message is larger than messages may be
     */
    @SuppressWarnings("ReferenceEquality") // The same, or another one.
    List<Message> to(AgentDialect client) {
        if (!about.equals(session.id()) && !client.shows(Feature.SUBAGENTS)) {
            return List.of();
        }
        boolean isFirst = client.version() == Version.V1;
        List<SessionUpdate> shown = isFirst && first != null
                ? first(client, first)
                : update == null ? List.of() : client.shown(update, session);
        if (update == null || shown.size() != 1 || shown.getFirst() != update) {
            List<Message> messages = new ArrayList<>(shown.size());
            for (SessionUpdate one : shown) {
                messages.add(session.encode(client, about, one, meta));
            }
            return messages;
        }
        List<Message> known = isFirst ? inFirst : inSecond;
        if (known == null) {
            known = List.of(session.encode(client, about, update, meta));
            if (isFirst) {
                inFirst = known;
            } else {
                inSecond = known;
            }
        }
        return known;
    }

    private List<SessionUpdate> first(AgentDialect client, List<SessionUpdate> updates) {
        List<SessionUpdate> shown = new ArrayList<>(updates.size());
        for (SessionUpdate one : updates) {
            shown.addAll(client.shown(one, session));
        }
        return shown;
    }
}
