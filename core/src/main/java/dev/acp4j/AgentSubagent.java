package dev.acp4j;

import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionCancelCapabilities;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.SubagentSessionCapabilities;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The session of a subagent on the agent's side, a draft; see {@link AgentSession#subagent}. Clients show what it says
 * and cannot prompt it. It lasts as long as the session that it belongs to, and needs no end. Its questions go to the
 * clients of that session; one that knows no subagents is asked in the name of that session.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
 */
@Unstable
public final class AgentSubagent extends SessionWriter {
    private final SessionWriter parent;
    private final SessionId id;
    private final AtomicLong steps = new AtomicLong();

    /** @param parent the session that it belongs to, which may be that of a subagent */
    AgentSubagent(SessionWriter parent, SessionId id) {
        this.parent = parent;
        this.id = id;
    }

    /** Returns the session that clients have opened, and to which the subagent belongs, at whatever depth. */
    @Override
    public AgentSession session() {
        return parent.session();
    }

    /** Returns the id of the subagent's session. */
    @Override
    public SessionId sessionId() {
        return id;
    }

    @Override
    public ConnectedClient client() {
        return parent.client();
    }

    @Override
    @Nullable
    AgentTurn turn() {
        return null;
    }

    @Override
    <R> R await(Answer<R> answer) throws InterruptedException {
        return session().await(answer);
    }

    @Override
    long steps() {
        return steps.get();
    }

    @Override
    void step() {
        steps.incrementAndGet();
    }

    @Override
    SessionId asks(AgentDialect client) {
        return client.shows(Feature.SUBAGENTS) ? id : session().id();
    }

    /** A tool call of the subagent is unknown in another session. */
    @Override
    CreateElicitationRequest asks(AgentDialect client, CreateElicitationRequest request) {
        SessionId known = asks(client);
        boolean isOfOther = request instanceof CreateElicitationRequest.Scoped scoped
                && scoped.sessionId() != null
                && !known.equals(scoped.sessionId());
        if (!isOfOther) {
            return request;
        }
        return switch (request) {
            case CreateElicitationRequest.Form form ->
                form.toBuilder().sessionId(known).toolCallId(null).build();
            case CreateElicitationRequest.Url page ->
                page.toBuilder().sessionId(known).toolCallId(null).build();
            case CreateElicitationRequest.Unknown unknown -> unknown;
        };
    }

    /**
     * Announces a subagent of this one; see {@link AgentSession#subagent}. Its questions, too, go to the clients of
     * {@link #session()}.
     *
     * @param child an id that no other session has
     * @param title its title for people
     */
    public AgentSubagent subagent(SessionId child, String title) {
        AgentSubagent subagent = new AgentSubagent(this, child);
        subagent.about(SubagentUpdate.builder(child).title(title).build());
        return subagent;
    }

    /**
     * Changes what clients know of the subagent: its title, its description, its folders.
     *
     * @throws IllegalArgumentException when the change is about another session
     */
    public void about(SubagentUpdate change) {
        if (!change.sessionId().equals(id)) {
            throw new IllegalArgumentException("this is subagent " + id + ", not " + change.sessionId());
        }
        parent.update(change);
    }

    /** Reports what the subagent is doing. */
    public void state(StateUpdate state) {
        send(state, Meta.EMPTY);
        about(SubagentUpdate.builder(id).state(state).build());
    }

    /**
     * Lets clients cancel what the subagent is doing. The action runs on a thread of its own, each time that a client
     * asks for it.
     *
     * @param action what ends its work; null when it cannot be cancelled any more
     */
    public void onCancel(@Nullable Runnable action) {
        session().state().cancellable(key(id), action);
        SubagentSessionCapabilities offered = SubagentSessionCapabilities.builder()
                .cancel(action == null ? null : SessionCancelCapabilities.of())
                .build();
        about(SubagentUpdate.builder(id).capabilities(offered).build());
    }

    /** Returns under which name a session keeps what cancels a subagent. */
    static String key(SessionId subagent) {
        return "session " + subagent;
    }

    /** Returns the files of {@link #client()}; without subagents there, in the name of the session. */
    @Override
    public RemoteFiles files() {
        return client().dialect().shows(Feature.SUBAGENTS)
                ? super.files()
                : session().files();
    }

    /** Returns the terminals of {@link #client()}; without subagents there, in the name of the session. */
    @Override
    public RemoteTerminals terminals() {
        return client().dialect().shows(Feature.SUBAGENTS)
                ? super.terminals()
                : session().terminals();
    }

    /** @throws UnsupportedOperationException always: a subagent has no modes */
    @Override
    public void mode(SessionModeId mode) {
        throw new UnsupportedOperationException("a subagent has no modes");
    }

    /** @throws UnsupportedOperationException always: a subagent has no options */
    @Override
    public void configOptions(List<SessionConfigOption> options) {
        throw new UnsupportedOperationException("a subagent has no options");
    }
}
