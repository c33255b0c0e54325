package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Servers over HTTP on loopback, each at a path of its own and with a token of its own. A POST is one request, of
 * either era; a client with a handshake has a session, so that it can cancel what it asked. What is reported meanwhile
 * makes the answer a stream of events, and so does time: writing to it is how one sees that a client is gone, which in
 * the modern era cancels its request.
 */
final class HttpEndpoint implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");
    private static final int MOST_BYTES = 4 * 1024 * 1024;
    private static final int MOST_SESSIONS = 64;

    /** How long a session is kept that nobody reads from or uses. */
    private static final Duration IDLE = Duration.ofHours(1);

    private static final String EVENTS = "text/event-stream";
    private static final String JSON = "application/json";
    private static final long PULSE_MILLIS = 500;

    private final HttpServer http;
    private final ExecutorService threads = Executors.newCachedThreadPool(HttpEndpoint::thread);
    private final ScheduledExecutorService pulse = Executors.newSingleThreadScheduledExecutor(HttpEndpoint::thread);
    private final Map<String, Route> routes = new ConcurrentHashMap<>();

    /** @throws IOException when no port can be opened */
    HttpEndpoint() throws IOException {
        this(IDLE);
    }

    /** @param idle how long a session is kept that nobody reads from or uses */
    HttpEndpoint(Duration idle) throws IOException {
        http = HttpServer.create(new InetSocketAddress(Loopback.ADDRESS, 0), 0);
        http.setExecutor(threads);
        http.createContext("/", this::handle);
        http.start();
        Future<?> unused = pulse.scheduleAtFixedRate(
                () -> routes.values().forEach(route -> route.endIdle(idle.toNanos())),
                PULSE_MILLIS,
                PULSE_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private static Thread thread(Runnable task) {
        return Thread.ofPlatform().daemon().name("acp4j-mcp-endpoint").unstarted(task);
    }

    /** Serves something at a new path, with a new token. */
    McpServer.Http add(McpServer.Acp server, Face.Provider provider) {
        String path = "/" + UUID.randomUUID();
        String token = UUID.randomUUID().toString().replace("-", "")
                + UUID.randomUUID().toString().replace("-", "");
        routes.put(path, new Route("Bearer " + token, provider));
        return new McpServer.Http(
                server.name(),
                "http://" + authority() + path,
                List.of(HttpHeader.of("Authorization", "Bearer " + token)),
                server.rest());
    }

    /** Ends what was added; a later request for it is not found. */
    void remove(McpServer.Http declaration) {
        Route route = routes.remove(java.net.URI.create(declaration.url()).getPath());
        if (route != null) {
            route.close();
        }
    }

    private String authority() {
        return "127.0.0.1:" + http.getAddress().getPort();
    }

    @Override
    public void close() {
        routes.values().forEach(Route::close);
        routes.clear();
        pulse.shutdownNow();
        http.stop(0);
        threads.shutdownNow();
    }

    /** A server, the sessions of its clients, and what they have asked. */
    private static final class Route {
        /** What clients with a handshake are asked, by the ids of the requests. */
        final Map<RequestId, CompletableFuture<Message>> asked = new ConcurrentHashMap<>();

        final String authorization;
        final Face.Provider provider;
        final RunningCalls calls = new RunningCalls();
        final Subscriptions subscriptions = new Subscriptions();
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private boolean closed;

        /** The one that was used last stands last. */
        @GuardedBy("lock")
        private final Map<String, ClientSession> sessions = new LinkedHashMap<>(16, 0.75f, true);

        Route(String authorization, Face.Provider provider) {
            this.authorization = authorization;
            this.provider = provider;
        }

        void close() {
            List<ClientSession> all;
            lock.lock();
            try {
                closed = true;
                all = List.copyOf(sessions.values());
                sessions.clear();
            } finally {
                lock.unlock();
            }
            calls.close();
            all.forEach(ClientSession::close);
            provider.close();
        }

        String open(ClientSession session) {
            String id = UUID.randomUUID().toString();
            ClientSession ended = null;
            lock.lock();
            try {
                if (closed) {
                    // Its request finds that out, too.
                    ended = session;
                } else {
                    if (sessions.size() >= MOST_SESSIONS) {
                        // Its client begins another one.
                        ended = sessions.remove(leastUsed());
                    }
                    sessions.put(id, session);
                }
            } finally {
                lock.unlock();
            }
            end(ended);
            return id;
        }

        /** One that nobody reads from, if there is such a session. */
        @GuardedBy("lock")
        private String leastUsed() {
            return sessions.entrySet().stream()
                    .filter(one -> !one.getValue().stream().isRead())
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseGet(() -> sessions.keySet().iterator().next());
        }

        @Nullable
        ClientSession session(String id) {
            lock.lock();
            try {
                ClientSession used = sessions.get(id);
                if (used != null) {
                    used.usedAt().set(System.nanoTime());
                }
                return used;
            } finally {
                lock.unlock();
            }
        }

        /** Ends a session of a client. */
        boolean end(String id) {
            ClientSession ended;
            lock.lock();
            try {
                ended = sessions.remove(id);
            } finally {
                lock.unlock();
            }
            end(ended);
            return ended != null;
        }

        /** Ends a session and what its client has asked there. */
        private void end(@Nullable ClientSession ended) {
            if (ended != null) {
                calls.cancelAll(of(ended));
                ended.close();
            }
        }

        /** Ends the sessions whose clients have left without saying so. */
        void endIdle(long idleNanos) {
            long now = System.nanoTime();
            List<ClientSession> idle = new ArrayList<>();
            lock.lock();
            try {
                sessions.values().removeIf(one -> {
                    if (one.stream().isRead() || calls.isAny(of(one))) {
                        one.usedAt().set(now);
                    }
                    return now - one.usedAt().get() > idleNanos && idle.add(one);
                });
            } finally {
                lock.unlock();
            }
            idle.forEach(this::end);
        }

        private static Predicate<Object> of(ClientSession session) {
            return key -> key instanceof Key known && known.client() == session.face();
        }
    }

    /**
     * A session of a client with a handshake.
     *
     * @param usedAt when it was found to be used
     */
    private record ClientSession(Face face, SessionStream stream, AtomicLong usedAt) {
        static ClientSession of(Route route) {
            SessionStream stream = new SessionStream();
            Face face = new Face(route.provider, route.subscriptions, stream);
            return new ClientSession(face, stream, new AtomicLong(System.nanoTime()));
        }

        void close() {
            face.close();
            stream.close();
        }
    }

    /** What a request is known by while it runs: the ids of two clients may be the same. */
    private record Key(Object client, RequestId id) {}

    /** A request that is not served, for a reason that HTTP has a status for. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        final int status;
        final transient @Nullable Message answer;

        Refused(int status) {
            this(status, null);
        }

        Refused(int status, @Nullable Message answer) {
            super("HTTP " + status, null, false, false);
            this.status = status;
            this.answer = answer;
        }

        static Refused of(int status, Message request, RpcError error) {
            return new Refused(status, Message.error(Objects.requireNonNullElse(request.id(), RequestId.NULL), error));
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                route(exchange);
            } catch (Refused e) {
                if (e.answer == null) {
                    exchange.sendResponseHeaders(e.status, -1);
                } else {
                    new Response(exchange, () -> {}).end(e.status, e.answer);
                }
            }
        }
    }

    private void route(HttpExchange exchange) throws IOException, Refused {
        Headers headers = exchange.getRequestHeaders();
        if (MirroredHeaders.areAmbiguous(headers)) {
            throw new Refused(400);
        }
        String port = ":" + http.getAddress().getPort();
        Set<String> hosts = Set.of("127.0.0.1" + port, "localhost" + port);
        String origin = headers.getFirst("Origin");
        if (!hosts.contains(header(headers, "Host"))
                || (origin != null && !hosts.contains(origin.replaceFirst("^http://", "")))) {
            // A page of the web, whose name was made to lead here.
            throw new Refused(403);
        }
        Route route = routes.get(exchange.getRequestURI().getPath());
        if (route == null) {
            throw new Refused(404);
        }
        if (!isEqual(route.authorization, header(headers, "Authorization"))) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            throw new Refused(401);
        }
        switch (exchange.getRequestMethod()) {
            case "POST" -> post(exchange, route);
            case "GET" -> stream(exchange, route, header(headers, "Mcp-Session-Id"));
            case "DELETE" -> {
                boolean ended = route.end(header(headers, "Mcp-Session-Id"));
                exchange.sendResponseHeaders(ended ? 204 : 404, -1);
            }
            default -> throw notAllowed(exchange, "GET, POST, DELETE");
        }
    }

    private static Refused notAllowed(HttpExchange exchange, String allowed) {
        exchange.getResponseHeaders().set("Allow", allowed);
        return new Refused(405);
    }

    /** Sends what belongs to no request of a session. Without one, as in the modern era, there is nothing of that. */
    private static void stream(HttpExchange exchange, Route route, String id) throws IOException, Refused {
        if (id.isEmpty()) {
            throw notAllowed(exchange, "POST, DELETE");
        }
        ClientSession session = route.session(id);
        if (session == null) {
            throw new Refused(404);
        }
        if (!AcceptHeader.takes(exchange.getRequestHeaders().getOrDefault("Accept", List.of()), EVENTS)) {
            throw new Refused(406);
        }
        try {
            session.stream().write(events(exchange), TimeUnit.MILLISECONDS.toNanos(PULSE_MILLIS));
        } catch (IOException e) {
            // The client has left, and may come again.
        }
    }

    /** Begins an answer that is a stream of events. */
    private static OutputStream events(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", EVENTS);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private static String header(Headers headers, String name) {
        return MirroredHeaders.get(headers, name);
    }

    private static boolean isEqual(String expected, String got) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), got.getBytes(StandardCharsets.UTF_8));
    }

    private void post(HttpExchange exchange, Route route) throws IOException, Refused {
        Headers headers = exchange.getRequestHeaders();
        String type = header(headers, "Content-Type").toLowerCase(Locale.ROOT);
        if (!type.split(";", 2)[0].strip().equals(JSON)) {
            throw new Refused(415);
        }
        List<String> accepted = headers.getOrDefault("Accept", List.of());
        if (!AcceptHeader.takes(accepted, JSON) || !AcceptHeader.takes(accepted, EVENTS)) {
            throw new Refused(406);
        }
        byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
        if (body.length > MOST_BYTES) {
            throw new Refused(413);
        }
        Message message = Message.parse(RawJson.wrap(body, 0, body.length));
        switch (message.kind()) {
            case REQUEST -> request(exchange, route, message);
            case NOTIFICATION -> {
                ClientSession session = route.session(header(headers, "Mcp-Session-Id"));
                if (session != null) {
                    notification(route, session.face(), message);
                }
                exchange.sendResponseHeaders(202, -1);
            }
            case RESULT, ERROR -> {
                CompletableFuture<Message> question = route.asked.get(Objects.requireNonNull(message.id()));
                if (question != null) {
                    question.complete(message);
                }
                exchange.sendResponseHeaders(202, -1);
            }
            default -> throw Refused.of(400, message, RpcError.invalidRequest("expected a message of JSON-RPC"));
        }
    }

    private static void notification(Route route, Face client, Message message) {
        RawJson id = Members.of(message.params()).raw("requestId");
        if (message.method().equals(McpCancellation.THEIRS) && id != null) {
            route.calls.cancel(new Key(client, id.decode(RequestId.CODEC)));
        }
    }

    private void request(HttpExchange exchange, Route route, Message message) throws IOException, Refused {
        Headers headers = exchange.getRequestHeaders();
        Members params = Members.of(message.params());
        boolean isModern = Face.isModern(message.method(), params)
                || header(headers, "MCP-Protocol-Version").equals(Link.MODERN);
        Face client;
        if (isModern) {
            try {
                MirroredHeaders.check(headers, message, params);
            } catch (RpcError e) {
                throw Refused.of(400, message, e);
            }
            // What it wants to know of changes, it asks for.
            client = new Face(route.provider, route.subscriptions, (method, about) -> {});
        } else if (message.method().equals("initialize")) {
            ClientSession opened = ClientSession.of(route);
            client = opened.face();
            exchange.getResponseHeaders().set("Mcp-Session-Id", route.open(opened));
        } else {
            String id = header(headers, "Mcp-Session-Id");
            ClientSession session = route.session(id);
            if (session == null) {
                throw Refused.of(
                        id.isEmpty() ? 400 : 404, message, RpcError.invalidRequest("there is no such session"));
            }
            client = session.face();
        }
        answer(exchange, route, client, message, isModern);
    }

    private void answer(HttpExchange exchange, Route route, Face client, Message request, boolean isModern)
            throws IOException, Refused {
        RequestId id = Objects.requireNonNull(request.id());
        // Clients that give no ids cannot cancel one; what they ask meanwhile is another request.
        Object key = id.equals(RequestId.NULL) ? new Object() : new Key(client, id);
        // Leaving means that in the modern era only.
        Response response = new Response(exchange, isModern ? () -> route.calls.cancel(key) : () -> {});
        try {
            route.calls.begin(key);
        } catch (RpcError e) {
            int status = switch (e.code()) {
                case RunningCalls.LIMIT_REACHED -> 429;
                case RunningCalls.NO_SUCH_SERVER -> 404;
                default -> 400;
            };
            throw Refused.of(status, request, e);
        }
        Future<?> beat =
                pulse.scheduleAtFixedRate(() -> beat(response), PULSE_MILLIS, PULSE_MILLIS, TimeUnit.MILLISECONDS);
        int status = 200;
        Message answer;
        try {
            RawJson result =
                    client.answer(request.method(), Members.of(request.params()), new Reports(route, id, response));
            answer = Message.result(
                    id,
                    request.method().equals("tools/list")
                            ? MirroredHeaders.withoutDemands(result)
                            : Face.ofSubscription(id, result));
        } catch (InterruptedException e) {
            answer = Message.error(id, RpcError.cancelled());
        } catch (RpcError e) {
            status = isModern ? status(e) : 200;
            answer = Message.error(id, e);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a request of MCP failed: " + request.method(), e);
            answer = Message.error(id, new RpcError(RpcError.INTERNAL_ERROR, "Internal error"));
        } finally {
            beat.cancel(false);
            route.calls.end(key);
        }
        response.end(status, answer);
    }

    private static int status(RpcError answer) {
        return switch (answer.code()) {
            case RpcError.METHOD_NOT_FOUND -> 404;
            case Link.CAPABILITY_MISSING -> 400;
            default -> 200;
        };
    }

    /** On a thread of its own: a client that does not read must not hold up those that do. */
    private void beat(Response response) {
        if (!threads.isShutdown()) {
            threads.execute(response::beat);
        }
    }

    /** What is said while a request is answered, before its answer. */
    private record Reports(Route route, RequestId asker, Response response) implements Face.Notices {
        @Override
        public void send(String method, RawJson params) {
            response.send(Message.notification(method, Face.ofSubscription(asker, params)));
        }

        @Override
        public RawJson ask(String method, RawJson params) throws InterruptedException {
            RequestId id = RequestId.of(UUID.randomUUID().toString());
            CompletableFuture<Message> answer = new CompletableFuture<>();
            route.asked.put(id, answer);
            try {
                response.expect(answer);
                response.send(Message.request(id, method, params));
                Message got = answer.get();
                if (got.error() != null) {
                    throw RpcError.ofAnswer(got.error());
                }
                return Objects.requireNonNullElse(got.result(), RawJson.EMPTY_OBJECT)
                        .copy();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            } finally {
                route.asked.remove(id);
            }
        }
    }

    /** The answer to one POST: JSON, or events if something comes before the result. The lock guards its beginning. */
    private static final class Response {
        private final HttpExchange exchange;

        /** Runs when the client is found to be gone. */
        private final Runnable gone;

        private final ReentrantLock lock = new ReentrantLock();

        /** What waits for an answer of the client, which it cannot know of when it is gone. */
        private final Set<CompletableFuture<Message>> expected = ConcurrentHashMap.newKeySet();

        private volatile boolean isGone;

        @GuardedBy("lock")
        private @Nullable OutputStream events;

        @GuardedBy("lock")
        private boolean ended;

        Response(HttpExchange exchange, Runnable gone) {
            this.exchange = exchange;
            this.gone = gone;
        }

        /** Gives an error for an answer if the client is gone, now or before it has answered. */
        void expect(CompletableFuture<Message> answer) {
            expected.add(answer);
            if (isGone) {
                leave();
            }
        }

        private void leave() {
            isGone = true;
            gone.run();
            Message nobody =
                    Message.error(RequestId.NULL, new RpcError(RpcError.INTERNAL_ERROR, "the client has left"));
            expected.forEach(answer -> answer.complete(nobody));
        }

        /** Sends something before the answer. */
        void send(Message message) {
            try {
                event("data: " + message.raw().compact() + "\n\n");
            } catch (IOException e) {
                leave();
            }
        }

        /** Finds out if the client is still there. What is being written finds out as well. */
        void beat() {
            if (!lock.tryLock()) {
                return;
            }
            try {
                event(":\n\n");
            } catch (IOException e) {
                leave();
            } finally {
                lock.unlock();
            }
        }

        private void event(String text) throws IOException {
            lock.lock();
            try {
                if (ended) {
                    return;
                }
                OutputStream out = events;
                if (out == null) {
                    out = events(exchange);
                    events = out;
                }
                out.write(text.getBytes(StandardCharsets.UTF_8));
                out.flush();
            } finally {
                lock.unlock();
            }
        }

        void end(int status, Message answer) throws IOException {
            RawJson json = answer.raw().compact();
            lock.lock();
            try {
                if (events != null) {
                    event("data: " + json + "\n\n");
                } else {
                    exchange.getResponseHeaders().set("Content-Type", JSON);
                    exchange.sendResponseHeaders(status, json.length());
                    exchange.getResponseBody().write(json.bytes(), json.from(), json.length());
                }
                ended = true;
            } finally {
                lock.unlock();
            }
        }
    }
}
