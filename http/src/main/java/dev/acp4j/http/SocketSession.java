package dev.acp4j.http;

import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket of a client. Its first message is {@code initialize}, which makes the connection, or, when the upgrade
 * named one, {@code stream/resume}. Messages come one at a time: the next one when the one before has been taken.
 */
final class SocketSession {
    /** The server behind the socket. */
    interface Home extends RemoteConnection.Home {
        /** Makes the connection of this id, and hands it to an agent. Returns null when there is none to be had. */
        @Nullable
        RemoteConnection connect(String id, Principal principal) throws InterruptedException;

        boolean isDraining();

        /** Returns what principals may have in memory of messages that arrive. */
        BodyBudget bodies();

        /** Counts a message of a principal. Returns in how many seconds it may come again; 0 when it goes on. */
        long secondsUntilNext(Principal principal, Message message);

        void opened(SocketSession session);

        void closed(SocketSession session);

        /** Ends the connection of this id, whose client has left before its first answer. */
        void abandon(String id);
    }

    /** How long a client may take for its first message. */
    private static final Duration FIRST_TIME = Duration.ofSeconds(10);

    /** How large its first message may be: much larger than one with a cursor for each session. */
    private static final int FIRST_BYTES = 1024 * 1024;

    private final Home home;
    private final String id;
    private final Principal principal;
    private final BooleanSupplier valid;

    /** The connection that the upgrade named. */
    private final @Nullable RemoteConnection resumed;

    private final ArrivingText arriving;
    private volatile @Nullable RemoteConnection connection;
    private volatile @Nullable SocketWriter writer;
    private volatile Exchange.@Nullable Link link;
    private volatile boolean isInitializing;

    /** Since when the client has been expected to begin. */
    private volatile long since;

    /** Whether a message waits for room, so that nothing else is read. */
    private volatile boolean isHeld;

    /** The code that the socket was closed with; 0 while it is open. */
    private volatile int closedWith;

    /**
     * Where the streams were when the client was asked last; empty when it has answered, or nothing was to be asked.
     */
    private volatile Map<OutboundStream, Cursor> asked = Map.of();

    private volatile long heardAt;
    private volatile long pingedAt;

    SocketSession(
            Home home, String id, Principal principal, BooleanSupplier valid, @Nullable RemoteConnection resumed) {
        this.home = home;
        this.id = id;
        this.principal = principal;
        this.valid = valid;
        this.resumed = resumed;
        this.arriving = new ArrivingText(home.bodies().share(principal), home.time());
    }

    /** Returns the id of the connection. */
    String id() {
        return id;
    }

    /** The upgrade is done. */
    void open(Exchange.Link opened) {
        link = opened;
        writer = new SocketWriter(opened, home.time());
        heardAt = home.time().nanoTime();
        pingedAt = heardAt;
        since = heardAt;
        home.opened(this);
    }

    private SocketWriter writer() {
        SocketWriter open = writer;
        if (open == null) {
            throw new IllegalStateException("the WebSocket is not open yet");
        }
        return open;
    }

    /** Returns how many bytes a message may have. */
    private int messageBytes() {
        int limit = home.limits().messageBytes();
        return isUnopened() ? Math.min(FIRST_BYTES, limit) : limit;
    }

    /** Returns whether the client has not said yet which connection it wants. */
    boolean isUnopened() {
        return connection == null && !isInitializing;
    }

    boolean isOf(Principal other) {
        return principal.name().equals(other.name());
    }

    /**
     * A part of a text has come.
     *
     * @param next to be run when the next part may come, of this text or another one
     */
    void part(byte[] part, boolean isLast, Runnable next) throws InterruptedException {
        heard();
        try {
            arriving.add(part, messageBytes());
        } catch (Refusal refusal) {
            arriving.release();
            // What else comes of it is not read.
            switch (refusal.answer().status()) {
                case Body.TOO_LARGE ->
                    close(SocketCodes.TOO_LARGE, "a message has at most " + messageBytes() + " bytes");
                case Body.TOO_SLOW -> close(SocketCodes.POLICY, "the message came too slowly");
                default -> close(SocketCodes.TRY_AGAIN, "too many bytes of messages arrive at once");
            }
            return;
        }
        if (isLast) {
            // It goes to the queue of its connection, which is bounded, too.
            message(Message.parse(arriving.take()), next);
        } else {
            next.run();
        }
        if (closedWith != 0) {
            arriving.release();
        }
    }

    /**
     * A message has come.
     *
     * @param next to be run when the next one may come
     */
    void message(Message message, Runnable next) throws InterruptedException {
        heard();
        RemoteConnection open = connection;
        isHeld = true;
        Runnable released = () -> {
            heard();
            isHeld = false;
            next.run();
        };
        if (writer().isClosing()) {
            // Only the end of the socket counts now, which needs that it is read.
            released.run();
        } else if (open == null) {
            first(message, released);
        } else {
            later(open, message, released);
        }
    }

    private void close(int code, String reason, Runnable next) {
        close(code, reason);
        next.run();
    }

    /** Something has come that shows that the client lives. */
    void heard() {
        heardAt = home.time().nanoTime();
    }

    /** The client has got everything that was sent before it was asked with this number. */
    void pong(long number) {
        if (number == pingedAt) {
            asked.forEach(OutboundStream::confirm);
            asked = Map.of();
        }
    }

    private void first(Message message, Runnable next) throws InterruptedException {
        RequestId request = message.id();
        boolean isRequest = message.kind() == Message.Kind.REQUEST;
        if (isInitializing) {
            close(SocketCodes.PROTOCOL, "a message before the answer to initialize", next);
        } else if (message.kind().isResponse() || message.kind() == Message.Kind.INVALID_RESPONSE) {
            next.run();
        } else if (message.kind() == Message.Kind.NOISE || message.kind() == Message.Kind.INVALID) {
            // Nothing more is read until the client takes the answer.
            writer().send(complaint(message).raw(), next);
        } else if (request == null || request.isNull()) {
            close(SocketCodes.PROTOCOL, "the first message must be a request with an id", next);
        } else if (isRequest && resumed != null && message.method().equals(Wire.RESUME)) {
            resume(resumed, message, request, next);
        } else if (isRequest && resumed == null && message.method().equals("initialize")) {
            initialize(message, next);
        } else {
            close(
                    SocketCodes.PROTOCOL,
                    "the first message must be the request " + (resumed == null ? "initialize" : Wire.RESUME),
                    next);
        }
    }

    private void initialize(Message message, Runnable next) throws InterruptedException {
        if (home.isDraining()) {
            close(SocketCodes.GOING_AWAY, "the server is about to stop", next);
            return;
        }
        RemoteConnection made;
        try {
            made = home.connect(id, principal);
        } catch (UnavailableException e) {
            close(SocketCodes.TRY_AGAIN, e.reason());
            return;
        }
        if (made == null) {
            close(SocketCodes.POLICY, "there are too many connections", next);
            return;
        }
        isInitializing = true;
        made.begin(message, answer -> initialized(made, answer, next));
    }

    private void initialized(RemoteConnection made, @Nullable Message answer, Runnable next) {
        if (answer != null) {
            writer().send(answer.raw());
        }
        if (answer == null || answer.kind() != Message.Kind.RESULT) {
            made.end("initialize has failed");
            close(SocketCodes.INTERNAL, "initialize has failed", next);
            return;
        }
        connection = made;
        isInitializing = false;
        home.streamOpened(made, false);
        made.open(writer(), Map.of(), valid).begin();
        closeIfGone();
        if (made.state() == RemoteConnection.State.GONE) {
            close(SocketCodes.GOING_AWAY, home.isDraining() ? "the server stops" : "the agent has ended");
        }
        next.run();
    }

    /** The socket may have been closed before the connection knew it. */
    private void closeIfGone() {
        if (closedWith != 0) {
            closed(closedWith);
        }
    }

    private void later(RemoteConnection open, Message message, Runnable next) {
        RequestId request = message.id();
        Message refusal = null;
        if (message.kind() == Message.Kind.NOISE || message.kind() == Message.Kind.INVALID) {
            refusal = complaint(message);
        } else if (Routes.hasOtherSession(message)) {
            refusal = error(
                    request == null ? RequestId.NULL : request,
                    RpcError.INVALID_PARAMS,
                    "Invalid params: sessionId must be one string");
        } else if (message.kind() == Message.Kind.REQUEST && request != null) {
            refusal = message.method().equals("initialize")
                    ? error(request, RpcError.INVALID_REQUEST, "The connection is initialized already")
                    : home.isDraining() ? stopping(request) : tooMany(request, message);
        } else {
            long unused = home.secondsUntilNext(principal, message);
        }
        if (refusal == null) {
            open.deliver(writer(), message, session(open, message), next);
        } else {
            open.refuse(writer(), refusal, next);
        }
    }

    private @Nullable Message tooMany(RequestId request, Message message) {
        long seconds = home.secondsUntilNext(principal, message);
        return seconds == 0
                ? null
                : refused(
                        request,
                        "Too many requests or bytes in a minute; try again in " + seconds + " s",
                        "{\"reason\":\"" + Wire.TOO_MANY_REQUESTS + "\",\"retryAfterSeconds\":" + seconds + "}");
    }

    private static Message stopping(RequestId request) {
        return refused(request, "The server is about to stop", "{\"reason\":\"" + Wire.DRAINING + "\"}");
    }

    /** Returns an error of the server, by whose data a client knows that it is not the agent's. */
    private static Message refused(RequestId request, String text, String data) {
        return Message.error(request, new RpcError(RpcError.INTERNAL_ERROR, text, RawJson.parse(data)));
    }

    private static Message error(RequestId request, int code, String text) {
        return Message.error(request, new RpcError(code, text));
    }

    private static String session(RemoteConnection open, Message message) {
        if (message.kind().isResponse()) {
            String asked = open.sessionOfAnswered(message.id());
            return asked == null ? "" : asked;
        }
        return message.session();
    }

    private static Message complaint(Message message) {
        RequestId request = message.id();
        int code = message.kind() == Message.Kind.NOISE ? RpcError.PARSE_ERROR : RpcError.INVALID_REQUEST;
        String text = message.kind() == Message.Kind.NOISE ? "Parse error" : "Invalid request";
        return Message.error(
                request == null ? RequestId.NULL : request, new RpcError(code, text + ": " + message.problem()));
    }

    private void resume(RemoteConnection of, Message message, RequestId request, Runnable next) {
        Map<String, Cursor> cursors = new LinkedHashMap<>();
        Map<String, String> refused = new LinkedHashMap<>();
        if (!readCursors(message, of, cursors, refused)) {
            writer().send(failed(Streams.OWN, "connection_unknown"));
            close(SocketCodes.POLICY, "stream/resume names another connection than the upgrade", next);
            return;
        }
        connection = of;
        home.streamOpened(of, true);
        RemoteConnection.Resumed resumed = of.open(writer(), cursors, valid);
        refused.putAll(resumed.refused());
        writer().send(Message.result(request, result(resumed)).raw());
        for (Map.Entry<String, String> entry : refused.entrySet()) {
            writer().send(failed(entry.getKey(), entry.getValue()));
        }
        resumed.begin();
        closeIfGone();
        RemoteConnection.State state = of.state();
        if (state == RemoteConnection.State.ENDING) {
            writer().finish(SocketCodes.GOING_AWAY, "the agent has ended");
        } else if (state == RemoteConnection.State.GONE) {
            close(SocketCodes.POLICY, "the connection has ended");
        }
        next.run();
    }

    private static boolean readCursors(
            Message message, RemoteConnection of, Map<String, Cursor> cursors, Map<String, String> refused) {
        JsonObject params;
        try {
            RawJson raw = message.params();
            if (raw == null || !(raw.value() instanceof JsonObject object)) {
                return false;
            }
            params = object;
        } catch (JsonException e) {
            return false;
        }
        if (!params.text("connectionId").orElse("").equals(of.id())) {
            return false;
        }
        if (params.members().get("cursors") instanceof JsonObject named) {
            for (Map.Entry<String, JsonValue> entry : named.members().entrySet()) {
                Cursor cursor = entry.getValue() instanceof JsonString text ? Cursor.parse(text.value()) : null;
                if (cursor == null) {
                    refused.put(entry.getKey(), Wire.CURSOR_UNKNOWN);
                } else {
                    cursors.put(entry.getKey(), cursor);
                }
            }
        }
        return true;
    }

    private static RawJson result(RemoteConnection.Resumed resumed) {
        Map<String, JsonValue> streams = new LinkedHashMap<>();
        for (Map.Entry<String, String> entry : resumed.states().entrySet()) {
            Map<String, JsonValue> stream = new LinkedHashMap<>();
            stream.put("resumed", JsonBoolean.of(true));
            if (!entry.getValue().isEmpty()) {
                stream.put("turnState", new JsonString(entry.getValue()));
            }
            streams.put(entry.getKey(), JsonObject.of(stream));
        }
        Map<String, JsonValue> result = new LinkedHashMap<>();
        result.put("streams", JsonObject.of(streams));
        result.put("received", JsonNumber.of(resumed.received()));
        return RawJson.of(JsonObject.of(result));
    }

    /** The notification that a stream does not go on behind its cursor. */
    static RawJson failed(String session, String reason) {
        Map<String, JsonValue> params = new LinkedHashMap<>();
        if (!session.equals(Streams.OWN)) {
            params.put("sessionId", new JsonString(session));
        }
        params.put("reason", new JsonString(reason));
        return Message.notification(Wire.RESUME_FAILED, RawJson.of(JsonObject.of(params)))
                .raw();
    }

    /** Closes the socket when all its streams have ended. */
    void finish(int code, String reason) {
        writer().finish(code, reason);
    }

    /** Closes the socket behind what is being written. */
    void close(int code, String reason) {
        writer().close(code, reason);
    }

    /**
     * The socket is gone.
     *
     * @param code the code of the close frame; {@link SocketCodes#CUT} when there was none
     */
    void closed(int code) {
        home.closed(this);
        closedWith = code;
        arriving.release();
        SocketWriter open = writer;
        RemoteConnection of = connection;
        if (of != null && open != null) {
            of.lost(open, code == SocketCodes.NORMAL || code == SocketCodes.NO_CODE);
        }
        if (open != null) {
            open.fail(new IOException("the WebSocket is closed"));
        }
        if (of == null && isInitializing) {
            home.abandon(id);
        }
    }

    private Map<OutboundStream, Cursor> unconfirmed() {
        RemoteConnection of = connection;
        return of == null ? Map.of() : of.unconfirmed(writer());
    }

    /** Looks at the clock: asks for a sign of life, and drops a client that gives none or takes nothing. */
    void tick() {
        Exchange.Link open = link;
        if (open == null) {
            return;
        }
        long now = home.time().nanoTime();
        long keepAlive = home.limits().keepAlive().toNanos();
        long stall = home.limits().stall().toNanos();
        long alive = Math.max(heardAt, writer().tookAt());
        boolean isAsked = pingedAt > alive;
        if (writer().isStuck(stall) || (!isHeld && isAsked && now - pingedAt >= stall)) {
            open.abort();
            closed(SocketCodes.CUT);
        } else if (!isAsked && now - pingedAt >= keepAlive) {
            Map<OutboundStream, Cursor> positions = unconfirmed();
            // A client hears nothing but pings while it sends something large.
            if (now - alive >= keepAlive || arriving.isArriving() || !positions.isEmpty()) {
                asked = positions;
                pingedAt = now;
                open.ping(now);
            }
        }
        if (isUnopened() && now - since >= FIRST_TIME.toNanos()) {
            close(SocketCodes.POLICY, "no first message within " + FIRST_TIME.toSeconds() + " s");
        }
        if (arriving.isTooSlow()) {
            close(SocketCodes.POLICY, "the message came too slowly");
        }
        if (!valid.getAsBoolean()) {
            close(SocketCodes.UNAUTHORIZED, "the credentials are no longer valid");
        }
    }
}
