package dev.acp4j.proxy;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.util.Optional;

/** A message on its way through a proxy. For the thread of the interceptor that got it. */
@Unstable
public abstract sealed class Hop permits RequestHop, NotificationHop {
    private final Interceptions interceptions;
    private final Entry entry;
    private final String method;
    private final String session;

    Hop(Interceptions interceptions, Entry entry, Message message) {
        this.interceptions = interceptions;
        this.entry = entry;
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
        return interceptions.client(entry.part());
    }

    /** Returns the agent, to send it requests and notifications; proxies behind this one intercept them. */
    public Neighbour agent() {
        return interceptions.agent(entry.part());
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
     * @throws IllegalStateException when the message names no session, or the proxy was not built with this state
     */
    public <S> S state(SessionState<S> state) {
        return interceptions.state(session, state);
    }
}
