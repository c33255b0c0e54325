package dev.acp4j.http.gateway;

import dev.acp4j.http.Principal;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What of the messages between the clients of a principal and one agent is looked at: what opens or names a session,
 * lists of sessions, and questions. All else passes untouched.
 */
final class HostRules implements Link.Interception {
    private static final Set<String> OPENING = Set.of("session/new", "session/load", "session/resume", "session/fork");
    private static final Set<String> ENDING = Set.of("session/close", "session/delete");

    /** What the rules need of the gateway. */
    interface House {
        SessionOwners owners();

        /** Whether sessions that are not known to be the principal's are hidden. */
        boolean hidesOthers();

        Approvals approvals();

        int sessionsOfPrincipal();

        DailyTurns turns();

        /** Counts a session of the principal that is being opened. Returns false when it has as many as it may have. */
        boolean beginOpening(Principal principal);

        /** That session is open now, or it is not. */
        void endOpening(Principal principal);

        /** Closes a session of the principal that no client has open. Returns false when there is none. */
        boolean closeUnattached(Principal principal);

        void tell(GatewayEvent event);

        void problem(String text, Throwable cause);
    }

    private final House house;
    private final Principal principal;
    private final @Nullable Roots roots;
    private final Supplier<RpcError> ended;

    /** Set before anything passes. */
    private Link.@Nullable End client;

    private final Set<String> open = ConcurrentHashMap.newKeySet();

    /** @param ended makes the answer to requests of an agent that has ended */
    HostRules(House house, Principal principal, @Nullable Roots roots, Supplier<RpcError> ended) {
        this.house = house;
        this.principal = principal;
        this.roots = roots;
        this.ended = ended;
    }

    /** Says at which end the clients are. */
    void clientsAt(Link.End end) {
        client = end;
    }

    /** A session counts no more. */
    void forget(String session) {
        open.remove(session);
    }

    /** Returns the sessions that are open. */
    Set<String> openSessions() {
        return Set.copyOf(open);
    }

    private boolean isClient(Link.End from) {
        return from.equals(client);
    }

    @Override
    public Link.@Nullable RequestInterceptor request(Message message, Link.End from) {
        String method = message.method();
        if (!isClient(from)) {
            return Approvals.isQuestion(method) ? exchange -> house.approvals().ask(principal, exchange) : null;
        }
        if (OPENING.contains(method)) {
            return this::open;
        }
        String session = message.session();
        if (!session.isEmpty() && isHidden(session)) {
            return exchange -> {
                throw RpcError.sessionNotFound(session);
            };
        }
        if (method.equals("session/prompt")) {
            return prompt();
        }
        if (ENDING.contains(method)) {
            return this::end;
        }
        return method.equals("session/list") && house.hidesOthers() ? this::list : null;
    }

    @Override
    public Link.@Nullable NotificationInterceptor notification(Message message, Link.End from) {
        String session = message.session();
        return isClient(from) && !session.isEmpty() && isHidden(session) ? (dropped, to) -> {} : null;
    }

    private Link.@Nullable RequestInterceptor prompt() {
        RpcError refusal = house.turns().begin(principal);
        if (refusal == null) {
            return null;
        }
        house.tell(new GatewayEvent.TurnRefused(principal, "too_many_turns"));
        return exchange -> {
            throw refusal;
        };
    }

    private boolean isHidden(String session) {
        // The process is the principal's, and so is what was opened in it.
        return house.hidesOthers() && !open.contains(session) && !house.owners().owns(principal, session);
    }

    private Message open(Exchange exchange) throws InterruptedException {
        Message request = exchange.request();
        String named = request.session();
        if (!named.isEmpty() && isHidden(named)) {
            throw RpcError.sessionNotFound(named);
        }
        if (roots != null) {
            check(roots, request);
        }
        if (open.contains(named) && !request.method().equals("session/fork")) {
            return open(exchange, named);
        }
        while (!house.beginOpening(principal)) {
            if (!house.closeUnattached(principal)) {
                house.tell(new GatewayEvent.SessionRefused(principal, "too_many_sessions"));
                throw new RpcError(
                        RpcError.INVALID_REQUEST,
                        "too many sessions are open: close one, or connect again; " + house.sessionsOfPrincipal()
                                + " are allowed",
                        RawJson.parse("{\"reason\":\"too_many_sessions\"}"));
            }
        }
        try {
            return open(exchange, named);
        } finally {
            house.endOpening(principal);
        }
    }

    private Message open(Exchange exchange, String named) throws InterruptedException {
        if (!named.isEmpty() && house.owners().owns(principal, named)) {
            // Before the agent has it, so that it is not taken for one that nobody uses.
            record(() -> house.owners().opened(principal, named));
        }
        Message answer = exchange.forward(exchange.request().params());
        String opened = answer.session().isEmpty() ? named : answer.session();
        if (answer.kind() == Message.Kind.RESULT && !opened.isEmpty()) {
            open.add(opened);
            record(() -> house.owners().opened(principal, opened));
        }
        return answer;
    }

    private void check(Roots allowed, Message request) {
        try {
            allowed.check(request.params());
        } catch (RpcError e) {
            house.tell(new GatewayEvent.SessionRefused(principal, "outside_root"));
            throw e;
        }
    }

    private Message end(Exchange exchange) throws InterruptedException {
        Message request = exchange.request();
        Message answer = exchange.forward(request.params());
        if (answer.kind() == Message.Kind.RESULT) {
            open.remove(request.session());
            if (request.method().equals("session/delete")) {
                record(() -> house.owners().deleted(principal, request.session()));
            }
        }
        return answer;
    }

    @FunctionalInterface
    private interface Recording {
        void run() throws IOException;
    }

    /** The session is open already, so a disk that is full does not fail it. After a restart nobody finds it. */
    private void record(Recording recording) {
        try {
            recording.run();
        } catch (IOException e) {
            house.problem("it could not be recorded whose a session is", e);
        }
    }

    private Message list(Exchange exchange) throws InterruptedException {
        Message answer = exchange.forward(exchange.request().params());
        RawJson result = answer.result();
        if (result == null
                || !(result.value() instanceof JsonObject object)
                || !(object.members().get("sessions") instanceof JsonArray sessions)) {
            return answer;
        }
        List<JsonValue> own = new ArrayList<>();
        for (JsonValue session : sessions.elements()) {
            if (session instanceof JsonObject info
                    && info.text("sessionId")
                            .filter(id -> house.owners().owns(principal, id))
                            .isPresent()) {
                own.add(session);
            }
        }
        if (own.size() == sessions.elements().size()) {
            return answer;
        }
        Map<String, JsonValue> members = new LinkedHashMap<>(object.members());
        members.put("sessions", new JsonArray(own));
        return answer.withResult(RawJson.of(JsonObject.of(members)));
    }

    @Override
    public RpcError lost(String method, Link.End at, RuntimeException why) {
        if (!isClient(at) && why instanceof ConnectionClosedException) {
            return ended.get();
        }
        return new RpcError(
                RpcError.INTERNAL_ERROR,
                method + " was not answered: "
                        + (why instanceof RpcException ? "the other side has ended" : why.getMessage()));
    }
}
