package dev.acp4j;

import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a session's updates for clients of each version, where that takes what was said before. A session has
 * one for all its clients, and one for each replay; each has others for the sessions of subagents. It remembers nothing
 * before something is said that takes it.
 *
 * <p>The lock of {@link AgentSessionState} guards everything: an update is converted in the step that queues it.
 */
final class Conversions {
    /** Of how many subagents it is known what was said. */
    private static final int MOST_SUBAGENTS = 256;

    private final AgentSessionState session;
    private final SessionId about;
    private final Agent.Builder config;

    /** Whether something that was said under an id may have been forgotten. */
    private final boolean hasForgotten;

    /** The plan that was said last; null when it has no id. */
    private @Nullable PlanId lastPlan;

    /** Null as long as there are only pieces of messages without names. */
    private @Nullable SentInVersion1 inVersion1;

    /** Null as long as the program does not speak of terminals in the dialect of version 1. */
    private @Nullable SentInVersion2 inVersion2;

    /** The one that said nothing for longest first. */
    private final Map<SessionId, Conversions> ofSubagents = new LinkedHashMap<>(0, 0.75f, true);

    private boolean hasForgottenSubagents;

    /** @param about the session itself, or that of a subagent */
    Conversions(AgentSessionState session, SessionId about, Agent.Builder config, boolean hasForgotten) {
        this.session = session;
        this.about = about;
        this.config = config;
        this.hasForgotten = hasForgotten;
    }

    /** Returns what becomes of the updates of this session, or of a subagent's. */
    Conversions of(SessionId id) {
        if (id.equals(about)) {
            return this;
        }
        Conversions known = ofSubagents.get(id);
        if (known == null) {
            if (ofSubagents.size() >= MOST_SUBAGENTS) {
                forgetSubagent();
            }
            known = new Conversions(session, id, config, hasForgottenSubagents);
            ofSubagents.put(id, known);
        }
        return known;
    }

    /** Forgets the subagent that said nothing for longest, of those of which nothing waits. */
    private void forgetSubagent() {
        for (Map.Entry<SessionId, Conversions> eldest : ofSubagents.entrySet()) {
            if (!eldest.getValue().hasRest()) {
                ofSubagents.remove(eldest.getKey());
                hasForgottenSubagents = true;
                return;
            }
        }
    }

    /** Returns the plan that was said last; null when it has no id. */
    @Nullable
    PlanId lastPlan() {
        return lastPlan;
    }

    /** Takes an update. Returns what clients of version 1 get; null when that follows from the update alone. */
    SentInVersion1.@Nullable InVersion1 inVersion1(SessionUpdate update) {
        if (update instanceof SessionUpdate.PlanUpdate change) {
            lastPlan = AgentDialect.idOf(change.plan());
        } else if (update instanceof SessionUpdate.Plan) {
            lastPlan = null;
        }
        // A piece of a message to which the program gave no id is all that anybody can say of that message.
        boolean isAlone = update instanceof SessionUpdate.Chunk && !session.hasNamedMessages();
        if (inVersion1 == null && !isAlone && config.versions.contains(Version.V1)) {
            inVersion1 = new SentInVersion1(
                    config.time, session.session()::nextMessageId, config.isTranslator, hasForgotten);
        }
        return inVersion1 == null ? null : inVersion1.send(update);
    }

    /** Takes an update. Returns what clients of version 2 get; null when that follows from the update alone. */
    @Nullable
    List<SessionUpdate> inVersion2(SessionUpdate update) {
        VendorDialect.TerminalChange change =
                config.versions.contains(Version.V2) ? VendorDialect.terminal(update) : null;
        if (change == null) {
            return null;
        }
        if (inVersion2 == null) {
            inVersion2 = new SentInVersion2();
        }
        return inVersion2.send(update, change);
    }

    /** An update that was taken is larger than messages may be, and was not sent. */
    void unsent(SessionUpdate update) {
        if (inVersion1 != null) {
            inVersion1.unsent(update);
        }
    }

    /** Returns whether something is still to be sent to clients of version 1. */
    boolean hasRest() {
        boolean hasRest = inVersion1 != null && inVersion1.hasRest();
        if (ofSubagents.isEmpty()) {
            return hasRest; // Asked for each update, and an iterator would be made for each.
        }
        for (Conversions subagent : ofSubagents.values()) {
            hasRest = hasRest || subagent.hasRest();
        }
        return hasRest;
    }

    /** Returns for how many nanoseconds nothing of the rest is to be sent. */
    long untilRest() {
        long left = inVersion1 != null && inVersion1.hasRest() ? inVersion1.untilRest() : Long.MAX_VALUE;
        for (Conversions subagent : ofSubagents.values()) {
            left = Math.min(left, subagent.untilRest());
        }
        return left;
    }

    /**
     * Returns what is still to be sent to clients of version 1.
     *
     * @param isEnd whether a turn or a replay has ended; else only what has waited long enough
     */
    List<Outgoing> rest(boolean isEnd) {
        List<Outgoing> rest = new ArrayList<>(0);
        for (Conversions subagent : ofSubagents.values()) {
            rest.addAll(subagent.rest(isEnd));
        }
        if (inVersion1 != null) {
            for (SentInVersion1.InVersion1 one : inVersion1.rest(isEnd)) {
                rest.add(new Outgoing(session, about, null, one));
            }
        }
        return rest;
    }
}
