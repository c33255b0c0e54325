package dev.acp4j.nes;

import dev.acp4j.Agent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SetSessionConfigOptionRequest;
import dev.acp4j.schema.SetSessionConfigOptionResponse;
import dev.acp4j.schema.Unstable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Next edit suggestions of an agent: added to a builder, they answer {@code nes/*} and receive {@code document/*}. The
 * agent may have chat sessions beside them, or none. {@link Builder#addTo} adds them:
 *
 * <pre>{@code
 * return NesAgent.builder(this::suggest)
 *         .events(DocumentEvents.all(SyncKind.INCREMENTAL))
 *         .onEvent(this::remember);
 * }</pre>
 *
 * <p>An agent receives the events and the context that it asks for, and no others. What it suggests reaches the client
 * if the client takes suggestions of that kind. Positions are counted in the encoding that the client prefers;
 * {@link AgentNesSession#document} converts.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class NesAgent {
    /** What {@code session/set_config_option} becomes when its session is one of suggestions. */
    private static final Method<SetSessionConfigOptionRequest, SetSessionConfigOptionResponse> SET_OPTION =
            Method.request(
                    "nes/set_config_option",
                    Method.Side.AGENT,
                    AgentMethods.SET_CONFIG_OPTION::params,
                    AgentMethods.SET_CONFIG_OPTION::result);

    private final Builder config;
    private final ConcurrentHashMap<SessionId, AgentNesSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong started = new AtomicLong();

    private NesAgent(Builder config) {
        this.config = config;
    }

    /** Begins suggestions with this handler; without more, it gets no events and no context. */
    public static Builder builder(SuggestHandler onSuggest) {
        return new Builder(onSuggest);
    }

    private void addTo(Agent.Builder agent) {
        RawJson capabilities =
                RawJson.encode(NesCapabilities.of(config.events, config.context), NesCapabilitiesCodec.INSTANCE);
        agent.capability(Negotiation.NES, capabilities)
                .capability(Negotiation.ENCODING, client -> {
                    PositionEncoding chosen =
                            Negotiation.chosen(client.get(Negotiation.ENCODINGS).orElse(null));
                    return chosen == null ? null : RawJson.string(chosen.value());
                })
                .on(NesMethods.START, this::start)
                .on(NesMethods.SUGGEST, this::suggest)
                .on(NesMethods.CLOSE, (client, request) -> {
                    close(session(client, request.sessionId()));
                    return CloseNesResponse.of();
                })
                .onNotification(NesMethods.ACCEPT, (client, accept) -> {
                    if (config.onAccept != null) {
                        config.onAccept.accepted(session(client, accept.sessionId()), accept.id());
                    }
                })
                .onNotification(NesMethods.REJECT, (client, reject) -> {
                    if (config.onReject != null) {
                        config.onReject.rejected(session(client, reject.sessionId()), reject.id(), reject.reason());
                    }
                })
                .onDisconnect(this::closeAll);
        receive(agent, config.events.didOpen(), NesMethods.DID_OPEN);
        receive(agent, config.events.didChange(), NesMethods.DID_CHANGE);
        receive(agent, config.events.didClose(), NesMethods.DID_CLOSE);
        receive(agent, config.events.didSave(), NesMethods.DID_SAVE);
        receive(agent, config.events.didFocus(), NesMethods.DID_FOCUS);
        SetConfigOptionHandler setsOptions = config.onSetConfigOption;
        if (setsOptions != null) {
            agent.interceptIncoming(this::redirect)
                    .on(SET_OPTION, (client, request) -> setOption(setsOptions, client, request));
        }
    }

    private void receive(Agent.Builder agent, @Nullable Object wanted, Method<? extends DocumentEvent, Void> method) {
        if (wanted != null) {
            agent.onNotification(method, (client, event) -> {
                AgentNesSession session = session(client, event.sessionId());
                session.follow(event);
                if (config.onEvent != null) {
                    config.onEvent.event(session, event);
                }
            });
        }
    }

    private AgentNesSession session(ConnectedClient client, SessionId id) {
        AgentNesSession session = sessions.get(id);
        if (session == null || session.client() != client) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }

    private StartNesResponse start(ConnectedClient client, StartNesRequest request) throws Exception {
        SessionId id = SessionId.of("nes-" + started.incrementAndGet());
        AgentNesSession session = new AgentNesSession(id, client, request);
        if (config.onStart != null) {
            config.onStart.handle(session);
        }
        sessions.put(id, session);
        if (!client.isOpen()) {
            closeAll(client);
        }
        return StartNesResponse.of(id, session.configOptions());
    }

    private SuggestNesResponse suggest(ConnectedClient client, SuggestNesRequest request) throws Exception {
        AgentNesSession session = session(client, request.sessionId());
        List<Suggestion> taken = new ArrayList<>();
        for (Suggestion suggestion : session.work(() -> config.onSuggest.suggest(session, request))) {
            if (session.kinds().include(suggestion)) {
                taken.add(suggestion);
            }
        }
        return SuggestNesResponse.of(taken);
    }

    private void close(AgentNesSession session) throws Exception {
        if (sessions.remove(session.id(), session)) {
            try {
                session.end();
            } finally {
                // Also when the wait for what still runs is interrupted.
                if (config.onClose != null) {
                    config.onClose.handle(session);
                }
            }
        }
    }

    /** The connection has ended. */
    private void closeAll(ConnectedClient client) {
        RuntimeException failure = null;
        for (AgentNesSession session : sessions.values()) {
            if (session.client() == client) {
                try {
                    close(session);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (Exception e) {
                    failure = new IllegalStateException("closing " + session.id() + " failed", e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    // ---- options: their method is that of chat sessions

    private void redirect(Message message, Interceptor.Next next) throws Exception {
        boolean isOurs = message.method().equals(AgentMethods.SET_CONFIG_OPTION.name())
                && message.id() != null
                && sessions.containsKey(SessionId.of(message.session()));
        next.pass(
                isOurs
                        ? Message.request(Objects.requireNonNull(message.id()), SET_OPTION.name(), message.params())
                        : message);
    }

    private SetSessionConfigOptionResponse setOption(
            SetConfigOptionHandler handler, ConnectedClient client, SetSessionConfigOptionRequest request)
            throws Exception {
        AgentNesSession session = session(client, request.sessionId());
        List<SessionConfigOption> options = handler.set(session, request.configId(), request.value());
        session.configOptions(options);
        return SetSessionConfigOptionResponse.of(options);
    }

    /** Collects what an agent suggests and what it wants to know. */
    @Unstable
    public static final class Builder {
        final SuggestHandler onSuggest;
        DocumentEvents events = DocumentEvents.NONE;
        ContextKinds context = ContextKinds.NONE;

        @Nullable
        EventHandler onEvent;

        @Nullable
        SessionHandler onStart;

        @Nullable
        AcceptHandler onAccept;

        @Nullable
        RejectHandler onReject;

        @Nullable
        SessionHandler onClose;

        @Nullable
        SetConfigOptionHandler onSetConfigOption;

        private Builder(SuggestHandler onSuggest) {
            this.onSuggest = Objects.requireNonNull(onSuggest, "onSuggest is null");
        }

        private Builder(Builder other) {
            onSuggest = other.onSuggest;
            events = other.events;
            context = other.context;
            onEvent = other.onEvent;
            onStart = other.onStart;
            onAccept = other.onAccept;
            onReject = other.onReject;
            onClose = other.onClose;
            onSetConfigOption = other.onSetConfigOption;
        }

        /**
         * Asks clients for these events. With {@link DocumentEvents#didOpen()}, {@link DocumentEvents#didChange()} and
         * {@link DocumentEvents#didClose()}, {@link AgentNesSession#document} has the documents as they are in the
         * editor.
         */
        public Builder events(DocumentEvents value) {
            events = value;
            return this;
        }

        /** Asks clients for this context of each request. */
        public Builder context(ContextKinds value) {
            context = value;
            return this;
        }

        /** Sets the handler of the events that the agent asks for. */
        public Builder onEvent(EventHandler handler) {
            onEvent = handler;
            return this;
        }

        /**
         * Sets a handler for new sessions, which may refuse: with {@link RpcError#authRequired()} if the user must
         * authenticate first.
         */
        public Builder onStart(SessionHandler handler) {
            onStart = handler;
            return this;
        }

        /** Sets the handler that learns which suggestions users accept. */
        public Builder onAccept(AcceptHandler handler) {
            onAccept = handler;
            return this;
        }

        /** Sets the handler that learns which suggestions users do not accept. */
        public Builder onReject(RejectHandler handler) {
            onReject = handler;
            return this;
        }

        /**
         * Sets the handler that frees what a session holds. It is called once for each session, when the client closes
         * it or leaves. Its requests have been cancelled before.
         */
        public Builder onClose(SessionHandler handler) {
            onClose = handler;
            return this;
        }

        /**
         * Handles {@code session/set_config_option} for sessions of suggestions that offer options; see
         * {@link AgentNesSession#configOptions(List)}. That of chat sessions is another handler.
         */
        public Builder onSetConfigOption(SetConfigOptionHandler handler) {
            onSetConfigOption = handler;
            return this;
        }

        /**
         * Adds the suggestions to an agent. Later changes of this builder do not affect it.
         *
         * @return the agent's builder
         * @throws IllegalArgumentException when the agent has a handler of one of the methods
         */
        public Agent.Builder addTo(Agent.Builder agent) {
            new NesAgent(new Builder(this)).addTo(agent);
            return agent;
        }
    }

    /** Suggests edits. */
    @FunctionalInterface
    @Unstable
    public interface SuggestHandler {
        /**
         * Returns suggestions, possibly none. Runs on a thread of its own, concurrently with other requests of the
         * session and with later events; the events before the request have been handled. The thread is interrupted
         * when the client cancels the request or closes the session. Suggestions of kinds that the client does not take
         * are omitted.
         *
         * @param session the session
         * @param request the cursor, the reason, and the context that the agent asked for
         * @throws Exception to fail the request: a {@link RpcError} reaches the client as it is, anything else as
         *     internal error
         */
        List<Suggestion> suggest(AgentNesSession session, SuggestNesRequest request) throws Exception;
    }

    /** Receives the events of documents. */
    @FunctionalInterface
    @Unstable
    public interface EventHandler {
        /**
         * Handles an event. Events of a session are handled one after another, in order;
         * {@link AgentNesSession#document} has the document after it.
         *
         * @param session the session
         * @param event the event
         * @throws Exception is reported and changes nothing else
         */
        void event(AgentNesSession session, DocumentEvent event) throws Exception;
    }

    /** Starts or closes a session. */
    @FunctionalInterface
    @Unstable
    public interface SessionHandler {
        /**
         * Handles the session.
         *
         * @param session the session
         * @throws Exception to refuse, as for {@link SuggestHandler#suggest}
         */
        void handle(AgentNesSession session) throws Exception;
    }

    /** Learns that a suggestion was accepted. */
    @FunctionalInterface
    @Unstable
    public interface AcceptHandler {
        /**
         * Handles the report, in order with the events of the session.
         *
         * @param session the session
         * @param suggestion the suggestion, as the client names it
         * @throws Exception is reported and changes nothing else
         */
        void accepted(AgentNesSession session, SuggestionId suggestion) throws Exception;
    }

    /** Learns that a suggestion was not accepted. */
    @FunctionalInterface
    @Unstable
    public interface RejectHandler {
        /**
         * Handles the report, in order with the events of the session.
         *
         * @param session the session
         * @param suggestion the suggestion, as the client names it
         * @param reason why, or null if the client does not say
         * @throws Exception is reported and changes nothing else
         */
        void rejected(AgentNesSession session, SuggestionId suggestion, @Nullable RejectReason reason) throws Exception;
    }

    /** Changes the settings of a session when the client asks for it. */
    @FunctionalInterface
    @Unstable
    public interface SetConfigOptionHandler {
        /**
         * Sets an option.
         *
         * @param session the session
         * @param option which option
         * @param value its new value
         * @return all options of the session as they are now
         * @throws Exception to refuse, as for {@link SuggestHandler#suggest}
         */
        List<SessionConfigOption> set(AgentNesSession session, SessionConfigId option, SessionConfigOptionValue value)
                throws Exception;
    }
}
