package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Step;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A client of a proxy's own: a link between a transport in memory and the agent's connection, with the interceptors of
 * the proxies that stand behind. What the agent says of its sessions comes by {@link OwnSessions}.
 */
final class OwnClient extends Interceptions {
    private final Interceptions main;
    private final OwnSessions all;
    private final Channel agent;
    private final Set<String> sessions = ConcurrentHashMap.newKeySet();

    /** The requests of the client that have no answer yet. */
    private final Set<RequestId> inFlight = ConcurrentHashMap.newKeySet();

    /** Sessions in which a turn runs, in version 2: their prompts are answered long before. */
    private final Set<String> turning = ConcurrentHashMap.newKeySet();

    /** Sessions whose turn has ended since their last prompt came, in version 2. */
    private final Set<String> turned = ConcurrentHashMap.newKeySet();

    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private volatile @Nullable Connection connection;

    OwnClient(Proxy behind, Interceptions main, OwnSessions all) {
        super(behind, Place.OWN, Place.PLAIN);
        this.main = main;
        this.all = all;
        this.agent = main.link().right().channel();
        onTurn(this::accepted, this::turn);
    }

    Transport connect() {
        Lost lost = new Lost();
        if (!agent.connection().expect(lost)) {
            throw new IllegalStateException("the connection to the agent has ended");
        }
        link().right().bind(agent);
        connection = Connection.builder(
                        pair.right(), Link.handler(link().left()).onEnding(ending -> endLater()))
                .limits(main.limits())
                // Who has closed the transport reads no answers.
                .answersAfterInput(false)
                .answerNoise(false)
                .onProblem(this::ofConnection)
                .name(main.name() + "-own")
                .onEnded(() -> {
                    agent.connection().end(lost);
                    all.closed(this);
                    sessions.forEach(session -> all.ended(session, this));
                    inFlight.forEach(this::isOver);
                    turning.forEach(session -> turn(session, false));
                    ended();
                })
                .start();
        return pair.left();
    }

    /** Wakes those who wait for something that would come over the connection to the agent. */
    private final class Lost extends Step {
        Lost() {
            super(agent.connection(), "");
        }

        @Override
        protected String name() {
            return "the sessions of a proxy";
        }

        @Override
        protected void abandoned(RpcException failure) {
            close();
        }
    }

    /** Closes the connection, on a thread of its own. */
    void close() {
        Connection open = connection;
        if (open != null) {
            Thread.ofPlatform().daemon().name("acp4j-own-closing").start(open::close);
        }
    }

    // ---- the end of its sessions

    private void endLater() {
        if (!sessions.isEmpty() && agent.connection().isOpen()) {
            Thread.ofPlatform().daemon().name("acp4j-own-sessions").start(this::endSessions);
        }
    }

    /** Nobody hears these sessions any more: what runs in them is cancelled. */
    private void endSessions() {
        boolean canClose = version() == Version.V2 || main.offers(AgentMethods.CLOSE_SESSION, Method.Side.AGENT, "");
        try {
            for (String session : sessions) {
                SessionId id = SessionId.of(session);
                agent.send(
                        AgentMethods.CANCEL.name(), CancelNotification.of(id), AgentMethods.CANCEL.params(version()));
                if (canClose) {
                    Call unused = agent.start(
                            AgentMethods.CLOSE_SESSION.name(),
                            CloseSessionRequest.of(id),
                            AgentMethods.CLOSE_SESSION.params(version()),
                            null);
                }
            }
        } catch (ConnectionClosedException | IllegalStateException e) {
            // The agent has ended, and its sessions with it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- what the client says

    @Override
    Transport ownTransport(Part part) {
        return main.ownTransport(part);
    }

    @Override
    Message askBehind(Exchange exchange, @Nullable RawJson params) {
        RawJson kept = Objects.requireNonNull(main.answerToInitialize(), "not initialized");
        long spoken = versionIn(kept);
        long asked = versionIn(params);
        if (asked < spoken) {
            throw unsupported(asked, spoken, Set.of(main.version()));
        }
        return Message.result(RequestId.NULL, kept);
    }

    @Override
    public Link.@Nullable RequestInterceptor request(Message message, Link.End from) {
        RequestId id = message.id();
        if (id != null && from.equals(link().left()) && inFlight.add(id)) {
            all.using(true);
        }
        Link.RequestInterceptor ordinary = super.request(message, from);
        if (from.equals(link().left()) && message.method().equals("session/prompt")) {
            turned.remove(message.session());
        }
        boolean opens = from.equals(link().left()) && isOpening(message);
        if (opens) {
            // Before it goes out: the first update may be read before anything here goes on.
            all.beginOpening();
            return new Opening(message.session(), ordinary);
        }
        if (from.equals(link().left()) && message.method().equals("session/close")) {
            return exchange -> {
                Message answer = passOn(exchange, ordinary);
                if (!answer.isError() && sessions.remove(message.session())) {
                    all.ended(message.session(), this);
                    turn(message.session(), false);
                }
                return answer;
            };
        }
        return ordinary;
    }

    @Override
    public void answering(IncomingRequest request, Message answer, Link.End to) {
        super.answering(request, answer, to);
        if (to.equals(link().left())) {
            isOver(request.id());
        }
    }

    private void accepted(String session) {
        if (!turned.remove(session)) {
            turn(session, true);
        }
    }

    private void turn(String session, boolean runs) {
        if (runs) {
            turned.remove(session);
        } else if (sessions.contains(session)) {
            turned.add(session);
        }
        if (runs ? turning.add(session) : turning.remove(session)) {
            all.using(runs);
        }
    }

    private void isOver(RequestId request) {
        if (inFlight.remove(request)) {
            all.using(false);
        }
    }

    /** A request that opens a session. */
    private final class Opening implements Link.RequestInterceptor {
        private final String named;
        private final Link.@Nullable RequestInterceptor ordinary;

        Opening(String named, Link.@Nullable RequestInterceptor ordinary) {
            this.named = named;
            this.ordinary = ordinary;
        }

        @Override
        public Message intercept(Exchange exchange) throws Exception {
            boolean isKnown = !named.isEmpty() && !exchange.request().method().equals("session/fork");
            try {
                if (isKnown) {
                    // A replay comes before the answer.
                    own(named);
                }
                Message answer = passOn(exchange, ordinary);
                if (answer.isError() && isKnown) {
                    disown(named);
                } else if (!answer.isError() && !answer.session().isEmpty()) {
                    own(answer.session());
                }
                return answer;
            } catch (Exception e) {
                if (isKnown) {
                    disown(named);
                }
                throw e;
            } finally {
                all.endOpening();
            }
        }

        @Override
        public void cancelled() {
            all.endOpening();
        }
    }

    private void own(String session) {
        if (!all.add(session, this)) {
            throw RpcError.invalidRequest("the session " + session + " belongs to another client of a proxy");
        }
        sessions.add(session);
    }

    private void disown(String session) {
        if (sessions.remove(session)) {
            all.remove(session, this);
        }
    }

    // ---- what the agent says

    /** Hands a notification to the client, in the lane of its session. */
    void hear(Message message) throws Exception {
        Connection open = connection;
        if (open == null || !open.isOpen()) {
            return;
        }
        Link.NotificationInterceptor interceptor = notification(message, link().right());
        if (interceptor == null) {
            link().left().pass(message);
        } else {
            interceptor.intercept(message, link().left());
        }
    }

    /** Has the client answer a request. */
    Message answer(Exchange exchange) throws Exception {
        Connection open = connection;
        if (open == null || !open.isOpen()) {
            throw RpcError.sessionNotFound(exchange.request().session());
        }
        exchange.enterAt(link().right());
        return passOn(exchange, request(exchange.request(), link().right()));
    }
}
