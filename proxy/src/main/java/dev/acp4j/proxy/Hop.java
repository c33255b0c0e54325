package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.util.Optional;
import java.util.UUID;

/** A message on its way through a proxy. For the thread of the interceptor that got it. */
@Unstable
public abstract sealed class Hop permits RequestHop, NotificationHop {
    private final Interceptions interceptions;
    private final Part part;
    private final Envelope envelope;
    private final String method;
    private final String session;

    Hop(Interceptions interceptions, Part part, Envelope envelope, Message message) {
        this.interceptions = interceptions;
        this.part = part;
        this.envelope = envelope;
        this.method = message.method();
        this.session = message.session();
    }

    /** The interceptor waits for others, or goes on: only its own time counts. */
    void waiting(boolean value) {
        interceptions.patience().waiting(value);
    }

    /** Returns the name of the method. */
    public String method() {
        return method;
    }

    /** Returns the client, to send it requests and notifications; proxies before this one intercept them. */
    public Neighbour client() {
        return interceptions.client(part);
    }

    /** Returns the agent, to send it requests and notifications; proxies behind this one intercept them. */
    public Neighbour agent() {
        return interceptions.agent(part);
    }

    /**
     * Returns a transport to the agent for a client of the proxy's own, which opens sessions that are not the client's:
     *
     * <pre>{@code
     * try (ConnectedAgent agent = Client.builder("reviewer", "1.0").connect(hop.ownTransport());
     *         Session own = agent.newSession(folder)) {
     *     String review = own.prompt("Review the last commit.").text();
     * }
     * }</pre>
     *
     * <p>What the agent says and asks in these sessions goes to that client only: updates, permissions, files,
     * terminals. The client before the proxy sees them in no list, and cannot use, cancel or close them. What the agent
     * asks without a session still goes to the client. The proxies behind this one intercept these sessions like
     * others. The connection was initialized by the client before, and is not initialized again: {@code initialize} is
     * answered as it was then, so the agent knows that client's capabilities, and the version is {@link #version}.
     *
     * <p>Closing the transport cancels what runs in these sessions, and closes them if the agent can. They end with the
     * connection of the proxy, too.
     *
     * @throws IllegalStateException before the initialization, and when the connection has ended
     */
    public Transport ownTransport() {
        return interceptions.ownTransport(part);
    }

    /**
     * Returns an id for a tool call of the proxy's own, which is not one of the agent's: it begins with the name of the
     * proxy, and no other has it.
     */
    public ToolCallId newToolCallId() {
        return ToolCallId.of(part.name() + "-" + UUID.randomUUID());
    }

    /**
     * Returns the metadata of the envelope in which a conductor has carried the message here. It is for this hop only:
     * it goes no further, and is no part of the message, whose own {@code _meta} is among its params. Empty when there
     * is none; what comes in no envelope, such as from the client's side, has none.
     */
    public Meta envelopeMeta() {
        RawJson came = envelope.incoming();
        return came == null ? Meta.EMPTY : Meta.of(came);
    }

    /**
     * Sets the metadata of the envelope in which the message goes on from here to the next hop, and no further. Without
     * effect where it goes in no envelope, such as to an agent in this program. Proxies that are {@linkplain Proxy#then
     * joined} are one hop: the last word counts.
     */
    public void envelopeMeta(Meta meta) {
        envelope.outgoing(meta.isEmpty() ? null : meta.raw());
    }

    /** Returns the version of the protocol that both sides speak; version 1 while that is not known. */
    public Version version() {
        return interceptions.version();
    }

    /**
     * Returns what the agent has answered to {@code initialize}: its name and its capabilities, as they were before
     * proxies changed them; empty until then, and when it cannot be decoded.
     */
    public Optional<InitializeResponse> initialized() {
        return interceptions.initialized();
    }

    /** Returns the session that the message names; empty if it names none. */
    public Optional<SessionId> session() {
        return session.isEmpty() ? Optional.empty() : Optional.of(SessionId.of(session));
    }

    /**
     * Returns what is kept for the session of the message.
     *
     * @throws IllegalStateException when the message names no session, the session was not seen to be opened, or the
     *     proxy was not built with this state
     */
    public <S> S state(SessionState<S> state) {
        return interceptions.state(session, state);
    }

    /**
     * Returns what is kept for a session, such as one that the answer to the message has opened.
     *
     * @throws IllegalStateException when it is not open, or the proxy was not built with this state
     */
    public <S> S state(SessionId of, SessionState<S> state) {
        return interceptions.state(of.value(), state);
    }
}
