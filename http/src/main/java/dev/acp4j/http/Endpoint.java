package dev.acp4j.http;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every rule of the transport: which request is answered how, and which connection it belongs to. Nothing here reads or
 * writes by itself.
 */
final class Endpoint {
    private final HttpServer configuration;
    private final Guard guard;
    private final Connections connections;
    private final Tickets tickets;
    private final Posts posts;

    Endpoint(HttpServer configuration, Guard guard, Consumer<? super RemoteClient> agents, SecureRandom random) {
        this.configuration = configuration;
        this.guard = guard;
        this.connections = new Connections(configuration, agents, random);
        this.tickets = new Tickets(random, configuration.time());
        this.posts = new Posts(configuration.limits(), connections);
    }

    Connections connections() {
        return connections;
    }

    /** Answers a request. May block for as long as the agent takes for its first answer, or to read. */
    void handle(Exchange exchange) {
        Map<String, String> sharing = Map.of();
        try {
            Answer probed = probe(exchange);
            if (probed != null) {
                answer(exchange, probed, sharing);
                return;
            }
            guard.checkSource(exchange);
            sharing = guard.sharing(exchange);
            answer(exchange, route(exchange, sharing), sharing);
        } catch (Refusal refusal) {
            answer(exchange, refusal.answer(), sharing);
        } catch (UnavailableException e) {
            answer(exchange, e.answer(), sharing);
        } catch (RuntimeException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.ERROR, "a request was not answered", e);
            answer(exchange, Answer.refusal(500, "internal_error", "the server has failed"), sharing);
        } catch (InterruptedException e) {
            answer(exchange, Answer.refusal(503, "stopping", "the server stops"), sharing);
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // The client has left, so nobody waits for an answer.
            tellRefused(exchange, 0, "client_left");
            exchange.abort();
        }
    }

    private void answer(Exchange exchange, @Nullable Answer answer, Map<String, String> sharing) {
        if (answer == null) {
            return;
        }
        Answer shared = answer;
        for (Map.Entry<String, String> header : sharing.entrySet()) {
            shared = shared.with(header.getKey(), header.getValue());
        }
        if (answer.status() >= 400) {
            tellRefused(exchange, answer.status(), reason(answer));
        }
        exchange.answer(shared);
    }

    private void tellRefused(Exchange exchange, int status, String reason) {
        String connection = exchange.header(Wire.CONNECTION_ID);
        configuration.tell(new ServerEvent.Refused(
                status,
                reason,
                exchange.address(),
                exchange.method(),
                exchange.caller(),
                connection == null ? "" : ServerEvent.hash(connection)));
    }

    /** Answers a probe, which calls a server by its address, as clients may not; null for another request. */
    private @Nullable Answer probe(Exchange exchange) {
        String path = exchange.path();
        if (!exchange.method().equals("GET") || path.equals(configuration.path())) {
            return null;
        }
        if (path.equals(configuration.readyPath())) {
            boolean ready = !connections.isDraining() && !connections.isFull();
            return Answer.json(ready ? 200 : 503, RawJson.parse("{\"ready\":" + ready + "}"));
        }
        return path.equals(configuration.livePath()) ? Answer.json(200, RawJson.parse("{\"live\":true}")) : null;
    }

    private static String reason(Answer answer) {
        return answer.body() != null
                        && answer.type().equals(Wire.JSON)
                        && answer.body().value() instanceof JsonObject object
                ? object.text("reason").orElse("")
                : "";
    }

    /** Returns the answer; null when it is given already. */
    private @Nullable Answer route(Exchange exchange, Map<String, String> sharing)
            throws IOException, InterruptedException {
        if (guard.resource().isAsked(exchange)) {
            return guard.resource().answer(exchange);
        }
        boolean isTicket = configuration.hasWebSocket() && exchange.path().equals(configuration.path() + Tickets.PATH);
        if (!isTicket && !exchange.path().equals(configuration.path())) {
            return page(exchange);
        }
        String method = exchange.method();
        Answer preflight = method.equals("OPTIONS") ? guard.preflight() : null;
        if (preflight != null) {
            return preflight;
        }
        if (isTicket) {
            if (!method.equals("POST")) {
                throw new Refusal(
                        Answer.refusal(405, "method_not_allowed", "POST is").with("Allow", "POST"));
            }
            return tickets.issue(exchange, guard.caller(exchange));
        }
        if (!exchange.isUpgrade() && !Set.of("POST", "GET", "DELETE").contains(method)) {
            throw new Refusal(Answer.refusal(405, "method_not_allowed", "POST, GET and DELETE are")
                    .with("Allow", "POST, GET, DELETE"));
        }
        Tickets.Ticket ticket = exchange.isUpgrade() ? tickets.use(exchange) : null;
        if (ticket != null) {
            upgrade(exchange, ticket.caller(), ticket.connection(), sharing);
            return null;
        }
        Authenticator.Allowed caller = guard.caller(exchange);
        if (exchange.isUpgrade()) {
            upgrade(exchange, caller, exchange.header(Wire.CONNECTION_ID), sharing);
            return null;
        }
        return switch (method) {
            case "POST" -> post(exchange, caller);
            case "GET" -> get(exchange, caller, sharing);
            default -> delete(exchange, caller);
        };
    }

    /** Headers by which a page loads nothing from elsewhere, is shown nowhere else, and leaves nothing behind. */
    private static final Map<String, String> PAGE_HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cache-Control",
            "no-store",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    private Answer page(Exchange exchange) throws IOException, InterruptedException {
        Pages.Page page = configuration
                .pages()
                .answer(new PageRequest(exchange, guard, connections.bodies()))
                .orElseThrow(
                        () -> new Refusal(404, "not_found", "the endpoint of this server is " + configuration.path()));
        Map<String, String> headers = new LinkedHashMap<>(PAGE_HEADERS);
        headers.putAll(page.headers());
        byte[] content = page.content().getBytes(StandardCharsets.UTF_8);
        return new Answer(page.status(), headers, RawJson.wrap(content, 0, content.length), page.type());
    }

    private record PageRequest(Exchange exchange, Guard guard, BodyBudget bodies) implements Pages.Request {
        @Override
        public String method() {
            return exchange.method();
        }

        @Override
        public String path() {
            return exchange.path();
        }

        @Override
        public String query() {
            return exchange.query();
        }

        @Override
        public @Nullable String header(String name) {
            return exchange.header(name);
        }

        @Override
        public List<X509Certificate> certificates() {
            return exchange.certificates();
        }

        @Override
        public String address() {
            return exchange.address();
        }

        @Override
        public Principal principal() throws InterruptedException {
            return guard.caller(exchange).principal();
        }

        @Override
        public byte[] body(int limit, Principal owner) throws IOException, InterruptedException {
            try (BodyBudget.Share share = bodies.share(owner)) {
                RawJson body = exchange.body(limit, share::add);
                return Arrays.copyOfRange(body.bytes(), body.from(), body.to());
            }
        }
    }

    // GET, DELETE and upgrades.

    private @Nullable Answer post(Exchange exchange, Authenticator.Allowed caller)
            throws IOException, InterruptedException {
        Answer answer = posts.answer(exchange, caller);
        if (answer == null) {
            // Its client has left.
            exchange.abort();
        }
        return answer;
    }

    private @Nullable Answer get(Exchange exchange, Authenticator.Allowed caller, Map<String, String> sharing) {
        String accept = exchange.header("Accept");
        if (accept == null || !accept.toLowerCase(Locale.ROOT).contains(Wire.EVENTS)) {
            throw new Refusal(406, "not_acceptable", "a stream is " + Wire.EVENTS + ", which Accept must name");
        }
        RemoteConnection connection = requireConnection(exchange, caller.principal());
        String session = Posts.sessionHeader(exchange);
        String key = session == null ? Streams.OWN : session;
        SseWriter writer = new SseWriter();
        Cursor cursor = cursor(exchange);
        RemoteConnection.Attached attached =
                connection.attach(key, cursor, writer, caller.valid(), configuration.isStrict());
        OutboundStream.Reader reader = attached.reader();
        if (reader == null) {
            throw refusal(attached.refusal());
        }
        Map<String, String> headers = new LinkedHashMap<>(sharing);
        headers.put("Content-Type", Wire.EVENTS);
        headers.put("Cache-Control", "no-store, no-transform");
        headers.put("X-Accel-Buffering", "no");
        headers.put(Wire.CONNECTION_ID, connection.id());
        if (session != null) {
            headers.put(Wire.SESSION_ID, session);
        }
        connections.streamOpened(connection, cursor != null);
        try {
            writer.open(exchange.events(headers), reader::opened);
        } catch (RuntimeException e) {
            reader.opened(e);
            throw e;
        }
        return null;
    }

    private @Nullable Cursor cursor(Exchange exchange) {
        String text = configuration.isDurable() ? exchange.header(Wire.LAST_EVENT_ID) : null;
        if (text == null || text.isEmpty()) {
            return null;
        }
        Cursor cursor = Cursor.parse(text);
        if (cursor == null) {
            throw refusal(Wire.CURSOR_UNKNOWN);
        }
        return cursor;
    }

    private static Refusal refusal(String reason) {
        return switch (reason) {
            case Wire.CURSOR_UNKNOWN -> new Refusal(409, reason, "no message of this stream has that id");
            case Wire.CURSOR_EXPIRED -> new Refusal(409, reason, "messages behind that id are no longer kept");
            case Wire.TOO_MANY_STREAMS ->
                new Refusal(409, reason, "too many streams are open for sessions that nobody has opened");
            case RemoteConnection.ENDED -> Connections.unknownConnection();
            case RemoteConnection.NO_SESSION -> new Refusal(404, reason, "this connection has no such session");
            default -> new Refusal(409, reason, "another client reads this stream");
        };
    }

    /** @param named the connection to go on with; null for a new one */
    private void upgrade(
            Exchange exchange, Authenticator.Allowed caller, @Nullable String named, Map<String, String> sharing) {
        if (!configuration.hasWebSocket()) {
            throw new Refusal(426, "no_websocket", "this server has no WebSocket: use POST and GET");
        }
        SocketSession session = session(caller, named);
        Map<String, String> headers = new LinkedHashMap<>(sharing);
        headers.put(Wire.CONNECTION_ID, session.id());
        exchange.upgrade(headers, session);
    }

    /**
     * Returns what reads and writes the messages of a client.
     *
     * @param named the connection to go on with; null for a new one
     * @throws Refusal when there is no such connection, or no room for another one
     */
    SocketSession session(Authenticator.Allowed caller, @Nullable String named) {
        if (connections.isDraining() && named == null) {
            throw new Refusal(Connections.draining());
        }
        Answer full = connections.fullForSocket(caller.principal(), named == null);
        if (full != null) {
            throw new Refusal(full);
        }
        RemoteConnection resumed = named == null ? null : connections.find(named, caller.principal());
        String id = resumed == null ? connections.newId() : resumed.id();
        return new SocketSession(connections, id, caller.principal(), caller.valid(), resumed);
    }

    private Answer delete(Exchange exchange, Authenticator.Allowed caller) {
        String id = exchange.header(Wire.CONNECTION_ID);
        if (id != null && connections.isBuried(id)) {
            return Answer.empty(202);
        }
        RemoteConnection connection = requireConnection(exchange, caller.principal());
        connection.end("the client has ended it");
        return Answer.empty(202);
    }

    private RemoteConnection requireConnection(Exchange exchange, Principal principal) {
        String id = exchange.header(Wire.CONNECTION_ID);
        if (id == null) {
            throw new Refusal(400, "connection_missing", "the header " + Wire.CONNECTION_ID + " is missing");
        }
        return connections.find(id, principal);
    }
}
