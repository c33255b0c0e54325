package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every rule of the transport: which request is answered how, and which connection it belongs to. Nothing here reads or
 * writes by itself.
 *
 * <p>The lock guards which connections there are. It is taken before the locks of connections.
 */
final class Endpoint implements SocketSession.Home {
    private static final int LONGEST_ID = 1024;

    /** So many of the largest messages of one principal may be read at once. */
    private static final int MESSAGES = 4;

    private static final Duration TOMBSTONE = Duration.ofSeconds(60);
    private static final String RETRY_SECONDS = "5";
    private static final Names SESSION = Names.of("sessionId");

    private final HttpServer configuration;
    private final Guard guard;
    private final Consumer<? super RemoteClient> agents;
    private final Time time;
    private final SecureRandom random;
    private final Rates requests;
    private final Rates bytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, RemoteConnection> connections = new HashMap<>();

    /** Connections that have ended, and whose readers are still being written something. */
    @GuardedBy("lock")
    private final Set<RemoteConnection> departing = new LinkedHashSet<>();

    /** Connections whose first answer was an error, until when their end is a success. */
    @GuardedBy("lock")
    private final Map<String, Long> failed = new LinkedHashMap<>();

    /** How many agents have not closed their transport yet. */
    @GuardedBy("lock")
    private int running;

    private final Set<SocketSession> sockets = ConcurrentHashMap.newKeySet();
    private final BodyBudget bodies;
    private final Tickets tickets;
    private volatile boolean draining;

    /** What was reported last. Of the thread of the clock. */
    private ServerEvent.BytesHeld held = new ServerEvent.BytesHeld(0, 0);

    Endpoint(HttpServer configuration, Guard guard, Consumer<? super RemoteClient> agents, SecureRandom random) {
        this.configuration = configuration;
        this.guard = guard;
        this.agents = agents;
        this.time = configuration.time();
        this.random = random;
        this.bodies = new BodyBudget(MESSAGES * (long) configuration.limits().messageBytes());
        this.tickets = new Tickets(random, time);
        this.requests = new Rates(configuration.limits().requestsPerMinute(), time);
        this.bytes = new Rates(60 * configuration.limits().bytesPerSecond(), time);
    }

    @Override
    public ServerLimits limits() {
        return configuration.limits();
    }

    @Override
    public boolean isDurable() {
        return configuration.isDurable();
    }

    @Override
    public Time time() {
        return time;
    }

    @Override
    public SecureRandom random() {
        return random;
    }

    @Override
    public boolean isDraining() {
        return draining;
    }

    /** Answers a request. May block for as long as the agent takes for its first answer, or to read. */
    void handle(Exchange exchange) throws InterruptedException {
        Map<String, String> sharing = Map.of();
        try {
            if (isHealth(exchange)) {
                answer(
                        exchange,
                        Answer.json(draining ? 503 : 200, RawJson.parse("{\"ready\":" + !draining + "}")),
                        sharing);
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
        } catch (IOException e) {
            // The client has left, so nobody waits for an answer.
            configuration.tell(new ServerEvent.Refused(0, "client_left"));
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
            configuration.tell(new ServerEvent.Refused(answer.status(), reason(answer)));
        }
        exchange.answer(shared);
    }

    /** Probes call a server by its address, which clients may not. */
    private boolean isHealth(Exchange exchange) {
        return exchange.path().equals(configuration.healthPath())
                && !exchange.path().equals(configuration.path())
                && exchange.method().equals("GET");
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
        boolean isTicket =
                configuration.hasWebSocket() && exchange.path().equals(configuration.path() + Tickets.PATH);
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
                throw new Refusal(Answer.refusal(405, "method_not_allowed", "POST is").with("Allow", "POST"));
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
                .answer(new PageRequest(exchange, guard, bodies))
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
        public byte[] body(int limit) throws IOException, InterruptedException {
            try (BodyBudget.Share share = bodies.share(principal())) {
                RawJson body = exchange.body(limit, share::add);
                return Arrays.copyOfRange(body.bytes(), body.from(), body.to());
            }
        }
    }

    // POST.

    private @Nullable Answer post(Exchange exchange, Authenticator.Allowed caller)
            throws IOException, InterruptedException {
        checkType(exchange);
        String id = exchange.header(Wire.CONNECTION_ID);
        // Before the body is read: who has no connection sends at most an initialize.
        RemoteConnection connection = id == null ? null : find(id, caller.principal());
        try (BodyBudget.Share share = bodies.share(caller.principal())) {
            return post(exchange, caller, connection, exchange.body(limits().messageBytes(), share::add));
        }
    }

    private @Nullable Answer post(
            Exchange exchange, Authenticator.Allowed caller, @Nullable RemoteConnection connection, RawJson body)
            throws InterruptedException {
        Message message = message(body);
        boolean isInitialize = message.method().equals("initialize");
        if (isInitialize) {
            return initialize(exchange, message, connection, caller);
        }
        if (connection == null) {
            throw new Refusal(400, "connection_missing", "the header " + Wire.CONNECTION_ID + " is missing");
        }
        String key = isDurable() ? exchange.header(Wire.IDEMPOTENCY_KEY) : null;
        if (key == null) {
            return take(exchange, connection, message);
        }
        if (key.length() > LONGEST_ID) {
            throw new Refusal(400, "key_too_long", "an Idempotency-Key has at most " + LONGEST_ID + " characters");
        }
        return takeOnce(exchange, connection, message, key);
    }

    private @Nullable Answer takeOnce(Exchange exchange, RemoteConnection connection, Message message, String key)
            throws InterruptedException {
        Keys keys = connection.keys();
        int before = keys.begin(key, message.raw());
        if (before == Keys.TAKING) {
            AtomicBoolean left = new AtomicBoolean();
            exchange.onGone(() -> {
                left.set(true);
                keys.wake();
            });
            before = keys.await(key, message.raw(), left::get);
        }
        if (before == Keys.ABANDONED) {
            return null;
        }
        if (before == Keys.REUSED) {
            throw new Refusal(422, "key_reused", "another message was sent with this Idempotency-Key");
        }
        if (before != Keys.FIRST) {
            return Answer.empty(before);
        }
        int status = 0;
        try {
            Answer answer = take(exchange, connection, message);
            status = answer == null ? 0 : answer.status();
            return answer;
        } finally {
            keys.end(key, status);
        }
    }

    private static void checkType(Exchange exchange) {
        String type = exchange.header("Content-Type");
        String[] parts =
                type == null ? new String[] {""} : type.toLowerCase(Locale.ROOT).split(";");
        boolean isJson = parts[0].strip().equals(Wire.JSON);
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().replace("\"", "");
            isJson &= !parameter.startsWith("charset=") || parameter.equals("charset=utf-8");
        }
        String encoding = exchange.header("Content-Encoding");
        if (!isJson || (encoding != null && !encoding.equalsIgnoreCase("identity"))) {
            throw new Refusal(415, "unsupported_media_type", "a message is " + Wire.JSON + " in UTF-8, not compressed");
        }
    }

    private static Message message(RawJson body) {
        Message message = Message.parse(body);
        if (message.kind() == Message.Kind.NOISE) {
            throw new Refusal(400, "invalid_json", "the body is not JSON: " + message.problem());
        }
        if (message.kind() != Message.Kind.INVALID) {
            return message;
        }
        if (first(body) == '[') {
            RpcError error = new RpcError(RpcError.INVALID_REQUEST, "Batches are not accepted");
            throw new Refusal(
                    Answer.json(501, Message.error(RequestId.NULL, error).raw()));
        }
        throw new Refusal(400, "invalid_message", "the body is not a message: " + message.problem());
    }

    private static byte first(RawJson body) {
        int at = body.from();
        while (at < body.to() && body.bytes()[at] <= ' ') {
            at++;
        }
        return at < body.to() ? body.bytes()[at] : 0;
    }

    private @Nullable Answer initialize(
            Exchange exchange, Message message, @Nullable RemoteConnection connection, Authenticator.Allowed caller)
            throws InterruptedException {
        if (connection != null) {
            throw new Refusal(400, "initialized_already", "initialize comes without " + Wire.CONNECTION_ID);
        }
        if (message.kind() != Message.Kind.REQUEST
                || message.id() == null
                || message.id().isNull()) {
            throw new Refusal(400, "invalid_message", "initialize must be a request with an id that is not null");
        }
        if (draining) {
            throw new Refusal(draining());
        }
        RemoteConnection made;
        try {
            made = connect(newId(), caller.principal());
        } catch (UnavailableException e) {
            throw new Refusal(e.answer());
        }
        if (made == null) {
            return full(count(null) >= limits().connections(), caller.principal());
        }
        AtomicBoolean left = new AtomicBoolean();
        exchange.onGone(() -> {
            left.set(true);
            made.wake();
        });
        made.begin(message, null);
        Message answer;
        try {
            answer = made.awaitInitialized(left::get);
        } catch (InterruptedException e) {
            made.end("the server stops");
            throw e;
        }
        if (left.get()) {
            made.end("the client has left");
            return null;
        }
        if (answer == null) {
            boolean tooSlow = made.state() == RemoteConnection.State.NEW;
            made.end(tooSlow ? "the agent did not answer initialize" : "the agent has ended");
            return noAnswer(message, tooSlow);
        }
        if (answer.kind() != Message.Kind.RESULT) {
            bury(made.id());
            made.end("initialize has failed");
        }
        return Answer.json(200, answer.raw()).with(Wire.CONNECTION_ID, made.id());
    }

    private static Answer noAnswer(Message message, boolean tooSlow) {
        RequestId id = message.id() == null ? RequestId.NULL : message.id();
        RpcError error = new RpcError(
                RpcError.INTERNAL_ERROR,
                tooSlow ? "The agent did not answer in time" : "The agent ended before it answered");
        return Answer.json(tooSlow ? 504 : 500, Message.error(id, error).raw());
    }

    private static Answer draining() {
        return Answer.refusal(503, "draining", "the server is about to stop").with("Retry-After", RETRY_SECONDS);
    }

    /**
     * Returns the refusal of a further WebSocket; null when it may be opened. Those that have not said yet what they
     * want count like connections.
     */
    private @Nullable Answer full(Principal principal, boolean isNew) {
        int unopened = 0;
        int ofPrincipal = 0;
        for (SocketSession socket : sockets) {
            if (socket.isUnopened()) {
                unopened++;
                ofPrincipal += socket.isOf(principal) ? 1 : 0;
            }
        }
        if (unopened + (isNew ? count(null) : 0) >= limits().connections()) {
            return full(true, principal);
        }
        return ofPrincipal + (isNew ? count(principal) : 0) >= limits().connectionsOfPrincipal()
                ? full(false, principal)
                : null;
    }

    private static Answer full(boolean inAll, Principal principal) {
        return Answer.refusal(
                        inAll ? 503 : 429,
                        "too_many_connections",
                        inAll
                                ? "the server has as many connections as it may have"
                                : principal.name() + " has as many connections as one may have")
                .with("Retry-After", RETRY_SECONDS);
    }

    private @Nullable Answer take(Exchange exchange, RemoteConnection connection, Message message)
            throws InterruptedException {
        String header = sessionHeader(exchange);
        Message taken = message;
        String session;
        if (message.kind() == Message.Kind.REQUEST || message.kind() == Message.Kind.NOTIFICATION) {
            if (message.kind() == Message.Kind.REQUEST && draining) {
                throw new Refusal(draining());
            }
            checkRate(connection.principal(), message);
            session = sessionOfCall(message, header);
            if (message.session().isEmpty() && !session.isEmpty()) {
                taken = withSession(message, session);
            }
        } else {
            String asked = connection.sessionOfAnswered(message.id());
            if (header != null && asked != null && !header.equals(asked)) {
                throw new Refusal(400, "session_differs", "the request that this answers is of another session");
            }
            session = asked == null ? RemoteConnection.OWN : asked;
        }
        RemoteConnection.Delivery delivery = connection.offer(taken, session);
        return switch (delivery == null ? hold(exchange, connection, taken, session) : delivery) {
            case ACCEPTED -> Answer.empty(202);
            case GONE -> throw unknownConnection();
            case ABANDONED -> null;
        };
    }

    private void checkRate(Principal principal, Message message) {
        long seconds = secondsUntilNext(principal, message);
        if (seconds > 0) {
            throw new Refusal(Answer.refusal(429, Wire.TOO_MANY_REQUESTS, "too many requests or bytes in a minute")
                    .with("Retry-After", Long.toString(seconds)));
        }
    }

    @Override
    public long secondsUntilNext(Principal principal, Message message) {
        if (message.kind() != Message.Kind.REQUEST) {
            bytes.charge(principal, message.length());
            return 0;
        }
        long seconds = bytes.take(principal, message.length());
        return seconds > 0 ? seconds : requests.take(principal, 1);
    }

    /** Holds a request until there is room, for as long as its client waits. */
    private static RemoteConnection.Delivery hold(
            Exchange exchange, RemoteConnection connection, Message message, String session)
            throws InterruptedException {
        AtomicBoolean left = new AtomicBoolean();
        exchange.onGone(() -> {
            left.set(true);
            connection.wake();
        });
        return connection.deliver(message, session, left::get);
    }

    private static @Nullable String sessionHeader(Exchange exchange) {
        String header = exchange.header(Wire.SESSION_ID);
        if (header != null && header.length() > LONGEST_ID) {
            throw new Refusal(400, "session_too_long", "an id has at most " + LONGEST_ID + " characters");
        }
        return header == null || header.isEmpty() ? null : header;
    }

    private static String sessionOfCall(Message message, @Nullable String header) {
        if (message.method().startsWith("$/")) {
            return RemoteConnection.OWN;
        }
        boolean needs = Routes.needsSession(message.method());
        RawJson params = message.params();
        boolean isList = params != null && params.bytes()[params.from()] == '[';
        if (needs && isList) {
            throw new Refusal(400, "invalid_params", "the params of " + message.method() + " must be an object");
        }
        String named = message.session();
        if (named.isEmpty() && params != null && !isList && hasOtherSession(params)) {
            throw new Refusal(400, "invalid_params", "params.sessionId must be a string");
        }
        if (named.length() > LONGEST_ID) {
            throw new Refusal(400, "session_too_long", "an id has at most " + LONGEST_ID + " characters");
        }
        if (!named.isEmpty() && header != null && !header.equals(named)) {
            throw new Refusal(400, "session_differs", "the header " + Wire.SESSION_ID + " and params.sessionId differ");
        }
        if (needs && named.isEmpty() && header == null) {
            throw new Refusal(400, "session_missing", message.method() + " needs a session");
        }
        return !named.isEmpty() ? named : needs && header != null ? header : RemoteConnection.OWN;
    }

    /** Returns whether there is a session that is no string. */
    private static boolean hasOtherSession(RawJson params) {
        try {
            JsonReader in = params.reader();
            in.beginObject();
            for (int member = in.member(SESSION); member != JsonReader.END; member = in.member(SESSION)) {
                if (member == 0 && in.kind() != JsonReader.Kind.STRING && in.kind() != JsonReader.Kind.NULL) {
                    return true;
                }
                in.skip();
            }
            return false;
        } catch (JsonException e) {
            return false;
        }
    }

    private static Message withSession(Message message, String session) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessionId");
        out.string(session);
        RawJson params = message.params();
        if (params != null) {
            JsonReader in = params.reader();
            in.beginObject();
            while (in.nextMember()) {
                String name = in.name();
                RawJson value = in.raw();
                if (!name.equals("sessionId")) {
                    out.name(name);
                    out.raw(value);
                }
            }
        }
        out.endObject();
        return message.withParams(out.toRawJson());
    }

    // GET, DELETE and upgrades.

    private @Nullable Answer get(Exchange exchange, Authenticator.Allowed caller, Map<String, String> sharing) {
        String accept = exchange.header("Accept");
        if (accept == null || !accept.toLowerCase(Locale.ROOT).contains(Wire.EVENTS)) {
            throw new Refusal(406, "not_acceptable", "a stream is " + Wire.EVENTS + ", which Accept must name");
        }
        RemoteConnection connection = requireConnection(exchange, caller.principal());
        String session = sessionHeader(exchange);
        String key = session == null ? RemoteConnection.OWN : session;
        SseWriter writer = new SseWriter();
        RemoteConnection.Attached attached =
                connection.attach(key, cursor(exchange), writer, caller.valid(), configuration.isStrict());
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
        reads(connection, true);
        try {
            writer.open(exchange.events(headers), reader::opened);
        } catch (RuntimeException e) {
            reader.opened(e);
            throw e;
        }
        return null;
    }

    private @Nullable Cursor cursor(Exchange exchange) {
        String text = isDurable() ? exchange.header(Wire.LAST_EVENT_ID) : null;
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
            case RemoteConnection.NO_SESSION -> new Refusal(404, reason, "this connection has no such session");
            default -> new Refusal(409, reason, "another client reads this stream");
        };
    }

    /** @param named the connection to go on with; null for a new one */
    private void upgrade(
            Exchange exchange,
            Authenticator.Allowed caller,
            @Nullable String named,
            Map<String, String> sharing) {
        if (!configuration.hasWebSocket()) {
            throw new Refusal(426, "no_websocket", "this server has no WebSocket: use POST and GET");
        }
        if (draining && named == null) {
            throw new Refusal(draining());
        }
        Answer full = full(caller.principal(), named == null);
        if (full != null) {
            throw new Refusal(full);
        }
        RemoteConnection resumed = named == null ? null : find(named, caller.principal());
        String id = resumed == null ? newId() : resumed.id();
        Map<String, String> headers = new LinkedHashMap<>(sharing);
        headers.put(Wire.CONNECTION_ID, id);
        exchange.upgrade(headers, new SocketSession(this, id, caller.principal(), caller.valid(), resumed));
    }

    private Answer delete(Exchange exchange, Authenticator.Allowed caller) {
        String id = exchange.header(Wire.CONNECTION_ID);
        if (id != null && isBuried(id)) {
            return Answer.empty(202);
        }
        RemoteConnection connection = requireConnection(exchange, caller.principal());
        connection.end("the client has ended it");
        return Answer.empty(202);
    }

    // Connections.

    private RemoteConnection requireConnection(Exchange exchange, Principal principal) {
        String id = exchange.header(Wire.CONNECTION_ID);
        if (id == null) {
            throw new Refusal(400, "connection_missing", "the header " + Wire.CONNECTION_ID + " is missing");
        }
        return find(id, principal);
    }

    /** Connections of others look like those that never were. */
    private RemoteConnection find(String id, Principal principal) {
        lock.lock();
        try {
            RemoteConnection connection = connections.get(id);
            if (connection == null || !isOf(connection, principal)) {
                throw unknownConnection();
            }
            return connection;
        } finally {
            lock.unlock();
        }
    }

    /** The name says who it is: groups may be others when a token is renewed. */
    private static boolean isOf(RemoteConnection connection, Principal principal) {
        return connection.principal().name().equals(principal.name());
    }

    private static Refusal unknownConnection() {
        return new Refusal(404, "connection_unknown", "there is no such connection: begin with initialize");
    }

    private String newId() {
        byte[] bytes = new byte[24];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public @Nullable RemoteConnection connect(String id, Principal principal) {
        RemoteConnection made = new RemoteConnection(id, principal, this);
        lock.lock();
        try {
            if (count(null) >= limits().connections() || count(principal) >= limits().connectionsOfPrincipal()) {
                return null;
            }
            connections.put(id, made);
            running++;
        } finally {
            lock.unlock();
        }
        configuration.tell(new ServerEvent.ConnectionOpened(principal, made.name()));
        try {
            agents.accept(made);
        } catch (UnavailableException e) {
            made.end(e.reason());
            made.close();
            throw e;
        } catch (RuntimeException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.DEBUG, "no agent could be started", e);
            // The client hears that the agent has ended before its first answer.
            made.close();
        }
        return made;
    }

    private int count(@Nullable Principal principal) {
        lock.lock();
        try {
            int count = 0;
            for (RemoteConnection connection : connections.values()) {
                count += principal == null || isOf(connection, principal) ? 1 : 0;
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(RemoteConnection connection, String reason) {
        if (connection.state() == RemoteConnection.State.GONE) {
            lock.lock();
            try {
                if (connections.remove(connection.id(), connection)) {
                    departing.add(connection);
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
        if (!reason.isEmpty()) {
            configuration.tell(
                    new ServerEvent.ConnectionEnded(connection.principal(), ServerEvent.hash(connection.id()), reason));
        }
    }

    @Override
    public void released(RemoteConnection connection) {
        lock.lock();
        try {
            running--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reads(RemoteConnection connection, boolean begins) {
        String name = ServerEvent.hash(connection.id());
        configuration.tell(begins ? new ServerEvent.StreamOpened(name) : new ServerEvent.StreamClosed(name));
    }

    @Override
    public void progressed() {
        if (draining) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void abandon(String id) {
        RemoteConnection connection;
        lock.lock();
        try {
            connection = connections.get(id);
        } finally {
            lock.unlock();
        }
        if (connection != null) {
            connection.end("the client has left");
        }
    }

    private void bury(String id) {
        lock.lock();
        try {
            failed.put(id, time.nanoTime() + TOMBSTONE.toNanos());
        } finally {
            lock.unlock();
        }
    }

    private boolean isBuried(String id) {
        lock.lock();
        try {
            return failed.containsKey(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void opened(SocketSession session) {
        sockets.add(session);
    }

    @Override
    public void closed(SocketSession session) {
        sockets.remove(session);
        progressed();
    }

    // Time.

    /** Looks at the clock; to be called about once a second. */
    void tick() {
        List<RemoteConnection> all;
        lock.lock();
        try {
            long now = time.nanoTime();
            failed.values().removeIf(until -> now - until >= 0);
            departing.removeIf(RemoteConnection::isQuiet);
            all = new ArrayList<>(connections.values());
            all.addAll(departing);
        } finally {
            lock.unlock();
        }
        all.forEach(connection -> attempt(connection::tick));
        sockets.forEach(socket -> attempt(socket::tick));
        attempt(requests::tick);
        attempt(bytes::tick);
        attempt(() -> trim(all));
    }

    /** What goes wrong for one connection is no reason to forget the others: the clock goes on. */
    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.ERROR, "looking at the clock has failed", e);
        }
    }

    /** Keeps what all streams keep within its bounds, of each principal and in all, and reports how much that is. */
    private void trim(List<RemoteConnection> all) {
        long queued = 0;
        List<StreamLog> logs = new ArrayList<>();
        Map<Principal, List<StreamLog>> ofPrincipals = new HashMap<>();
        for (RemoteConnection connection : all) {
            queued += connection.queuedBytes();
            for (OutboundStream stream : connection.streams()) {
                logs.add(stream.log);
                ofPrincipals
                        .computeIfAbsent(connection.principal(), principal -> new ArrayList<>())
                        .add(stream.log);
            }
        }
        ofPrincipals.values().forEach(own -> trim(own, limits().retainedBytesOfPrincipal()));
        trim(logs, limits().retainedBytesInAll());
        ServerEvent.BytesHeld now = new ServerEvent.BytesHeld(queued, kept(logs));
        if (!now.equals(held)) {
            held = now;
            configuration.tell(now);
        }
    }

    private static long kept(List<StreamLog> logs) {
        return logs.stream().mapToLong(StreamLog::keptBytes).sum();
    }

    /** Those that keep the most give the most. */
    private static void trim(List<StreamLog> logs, long limit) {
        long kept = kept(logs);
        if (kept > limit) {
            double part = (double) limit / kept;
            for (StreamLog log : logs) {
                log.trimTo((long) (log.keptBytes() * part));
            }
        }
    }

    // The end.

    /** Accepts no more connections and no more requests. */
    void drain() {
        draining = true;
        configuration.tell(new ServerEvent.Draining());
    }

    /** Waits until no turn runs, and who reads has got everything. Returns false when the time is over. */
    boolean awaitIdle(long nanos) throws InterruptedException {
        return await(nanos, this::isIdle);
    }

    /** Ends all connections; what there is for clients that read is still written. */
    void stop() {
        List<RemoteConnection> all;
        lock.lock();
        try {
            all = new ArrayList<>(connections.values());
        } finally {
            lock.unlock();
        }
        for (RemoteConnection connection : all) {
            connection.stop("the server stops");
        }
        for (SocketSession socket : sockets) {
            socket.finish(SocketCodes.GOING_AWAY, "the server stops");
        }
    }

    /** Waits until all agents have ended, and everything is written. Returns false when the time is over. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return await(nanos, this::isOver);
    }

    /** Writes nothing more. */
    void cut() {
        List<RemoteConnection> all;
        lock.lock();
        try {
            all = new ArrayList<>(departing);
        } finally {
            lock.unlock();
        }
        all.forEach(RemoteConnection::cut);
        for (SocketSession socket : sockets) {
            socket.close(SocketCodes.GOING_AWAY, "the server stops");
        }
    }

    private boolean isIdle() {
        lock.lock();
        try {
            return connections.values().stream().noneMatch(RemoteConnection::isBusy);
        } finally {
            lock.unlock();
        }
    }

    private boolean isOver() {
        lock.lock();
        try {
            return running == 0 && sockets.isEmpty() && departing.stream().allMatch(RemoteConnection::isQuiet);
        } finally {
            lock.unlock();
        }
    }

    private boolean await(long nanos, BooleanSupplier condition) throws InterruptedException {
        long deadline = time.nanoTime() + nanos;
        lock.lockInterruptibly();
        try {
            while (!condition.getAsBoolean()) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return false;
                }
                time.await(lock, changed, left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
