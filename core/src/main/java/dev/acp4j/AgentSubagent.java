package dev.acp4j;

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
    private final AgentSession parent;
    private final SessionId id;
    private final AtomicLong steps = new AtomicLong();

    AgentSubagent(AgentSession parent, SessionId id) {
        this.parent = parent;
        this.id = id;
    }

    /** Returns the session that the subagent belongs to. */
    @Override
    public AgentSession session() {
        return parent;
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
        return parent.await(answer);
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
        return client.shows(Feature.SUBAGENTS) ? id : parent.id();
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
        parent.state().cancellable(key(id), action);
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
        return client().dialect().shows(Feature.SUBAGENTS) ? super.files() : parent.files();
    }

    /** Returns the terminals of {@link #client()}; without subagents there, in the name of the session. */
    @Override
    public RemoteTerminals terminals() {
        return client().dialect().shows(Feature.SUBAGENTS) ? super.terminals() : parent.terminals();
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
