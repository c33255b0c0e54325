package dev.acp4j.http;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What clients send by POST: one message each, which begins a connection or belongs to one. Nothing here reads or
 * writes by itself.
 */
final class Posts {
    private static final int LONGEST_ID = 1024;

    private final ServerLimits limits;
    private final Connections connections;

    Posts(ServerLimits limits, Connections connections) {
        this.limits = limits;
        this.connections = connections;
    }

    /** Answers a request. Returns null when nobody waits for the answer any more. */
    @Nullable
    Answer answer(Exchange exchange, Authenticator.Allowed caller) throws IOException, InterruptedException {
        checkType(exchange);
        String id = exchange.header(Wire.CONNECTION_ID);
        // Before the body is read: who has no connection sends at most an initialize.
        RemoteConnection connection = id == null ? null : connections.find(id, caller.principal());
        try (BodyBudget.Share share = connections.bodies().share(caller.principal())) {
            return post(exchange, caller, connection, exchange.body(limits.messageBytes(), share::add));
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
        String key = connections.isDurable() ? exchange.header(Wire.IDEMPOTENCY_KEY) : null;
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
        if (connections.isDraining()) {
            throw new Refusal(Connections.draining());
        }
        RemoteConnection made;
        try {
            made = connections.connect(connections.newId(), caller.principal());
        } catch (UnavailableException e) {
            throw new Refusal(e.answer());
        }
        if (made == null) {
            return connections.full(caller.principal());
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
            return noAnswer(message, made.isLate());
        }
        if (answer.kind() != Message.Kind.RESULT) {
            connections.bury(made.id());
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

    private @Nullable Answer take(Exchange exchange, RemoteConnection connection, Message message)
            throws InterruptedException {
        String header = sessionHeader(exchange);
        Message taken = message;
        String session;
        if (message.kind() == Message.Kind.REQUEST || message.kind() == Message.Kind.NOTIFICATION) {
            if (message.kind() == Message.Kind.REQUEST && connections.isDraining()) {
                throw new Refusal(Connections.draining());
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
            session = asked == null ? Streams.OWN : asked;
        }
        RemoteConnection.Delivery delivery = connection.offer(taken, session);
        return switch (delivery == null ? hold(exchange, connection, taken, session) : delivery) {
            case ACCEPTED -> Answer.empty(202);
            case GONE -> throw Connections.unknownConnection();
            case ABANDONED -> null;
        };
    }

    private void checkRate(Principal principal, Message message) {
        long seconds = connections.secondsUntilNext(principal, message);
        if (seconds > 0) {
            throw new Refusal(Answer.refusal(429, Wire.TOO_MANY_REQUESTS, "too many requests or bytes in a minute")
                    .with("Retry-After", Long.toString(seconds)));
        }
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

    static @Nullable String sessionHeader(Exchange exchange) {
        String header = exchange.header(Wire.SESSION_ID);
        if (header != null && header.length() > LONGEST_ID) {
            throw new Refusal(400, "session_too_long", "an id has at most " + LONGEST_ID + " characters");
        }
        return header == null || header.isEmpty() ? null : header;
    }

    private static String sessionOfCall(Message message, @Nullable String header) {
        if (message.method().startsWith("$/")) {
            return Streams.OWN;
        }
        boolean needs = Routes.needsSession(message.method());
        RawJson params = message.params();
        boolean isList = params != null && params.bytes()[params.from()] == '[';
        if (needs && isList) {
            throw new Refusal(400, "invalid_params", "the params of " + message.method() + " must be an object");
        }
        String named = message.session();
        if (Routes.hasOtherSession(message)) {
            throw new Refusal(400, "invalid_params", "params.sessionId must be one string");
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
        return !named.isEmpty() ? named : needs && header != null ? header : Streams.OWN;
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
}
