package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One message as it stands on the wire, and what its envelope says: kind, id, method, session. The envelope is read
 * once, when the message is made; params, result and error stay raw. Immutable.
 *
 * <p>Text that is not a message is a message of the kind {@link Kind#NOISE}, {@link Kind#INVALID} or
 * {@link Kind#OVERSIZED}: a {@link Transport} hands out everything that it reads.
 *
 * @see <a href="https://www.jsonrpc.org/specification">JSON-RPC 2.0</a>
 */
public final class Message {
    /** What a message is, told by its members alone. */
    public enum Kind {
        /** A request: it has a method and an id. */
        REQUEST,
        /** A notification: it has a method and no id. */
        NOTIFICATION,
        /** The answer to a request: a result. */
        RESULT,
        /** The answer to a request: an error. */
        ERROR,
        /** An answer that breaks JSON-RPC. It ends the call with its id, if there is one, and is never answered. */
        INVALID_RESPONSE,
        /** JSON that is not a message. */
        INVALID,
        /** Text that is not JSON. */
        NOISE,
        /** A message larger than the limit; only its beginning is kept. */
        OVERSIZED;

        /** Returns true for a request and for a notification. */
        boolean isCall() {
            return this == REQUEST || this == NOTIFICATION;
        }

        /** Returns true for the answer to a request, be it a result or an error. */
        public boolean isResponse() {
            return this == RESULT || this == ERROR;
        }
    }

    /**
     * What is wrong with a message.
     *
     * @param text what was expected and what came
     * @param isRequest whether it is a request in all but its contents, so that its id may be answered
     * @param isError whether it answers with an error, as far as it was read
     * @param limit for a message that is too large, the most bytes that are allowed; else 0
     */
    record Flaw(String text, boolean isRequest, boolean isNotification, boolean isError, int limit) {}

    /** How much of a message that is too large is kept. */
    private static final int HEAD_BYTES = 1024;

    /** A part of a message is copied when the message holds so much more memory. */
    private static final int KEPT_BESIDE = 4 * 1024;

    /** The notification by which either side asks the other to cancel a request. */
    static final String CANCEL_REQUEST = "$/cancel_request";

    /** The member of an envelope that is for one hop. */
    private static final String ENVELOPE_META = "_meta";

    /** The params of that notification. */
    static final Names CANCEL_MEMBERS = Names.of("requestId");

    static final int REQUEST_ID = 0;

    /** Messages up to this size are copied out of a buffer that is used again; larger ones keep theirs. */
    private static final int COPIED_BYTES = 16 * 1024;

    /** Where the id stands in what is made here. */
    private static final int ID_FROM = 22;

    /** A writer that nobody uses at the moment: a new one costs as much as a message. */
    private static final AtomicReference<@Nullable JsonWriter> SPARE = new AtomicReference<>();

    private final RawJson raw;
    private final Kind kind;
    private final @Nullable RequestId id;
    private final String method;
    private final int idFrom;
    private final int idTo;
    private final int bodyFrom;
    private final int bodyTo;
    private final boolean inEnvelope;
    private final @Nullable Flaw flaw;

    /** Null until somebody asks for it, if nobody has read the body yet. Racing threads find the same. */
    private @Nullable String session;

    /**
     * Takes what is known.
     *
     * @param idFrom where the id begins in the array of the message
     * @param idTo where it ends; 0 when there is none
     * @param bodyFrom where params, result or error begin
     * @param bodyTo where they end; 0 when there are none
     */
    Message(
            RawJson raw,
            Kind kind,
            @Nullable RequestId id,
            String method,
            @Nullable String session,
            int idFrom,
            int idTo,
            int bodyFrom,
            int bodyTo,
            boolean inEnvelope,
            @Nullable Flaw flaw) {
        this.raw = raw;
        this.kind = kind;
        this.id = id;
        this.method = method;
        this.session = session;
        this.idFrom = idFrom;
        this.idTo = idTo;
        this.bodyFrom = bodyFrom;
        this.bodyTo = bodyTo;
        this.inEnvelope = inEnvelope;
        this.flaw = flaw;
    }

    /**
     * Reads a message. What is wrong with it is part of the result: this never throws. The bytes are not copied and
     * must not change. A transport, which reads many, keeps a {@link MessageParser}.
     */
    public static Message parse(RawJson raw) {
        return new MessageParser().parse(raw);
    }

    /** Reads a message from text; see {@link #parse(RawJson)}. */
    public static Message parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return parse(RawJson.wrap(bytes, 0, bytes.length));
    }

    /**
     * Makes a message of the beginning of one that was too large and was skipped.
     *
     * @param head the first bytes, up to about a kibibyte, in which an id may be visible
     * @param limit the largest size allowed, in bytes
     */
    public static Message oversized(byte[] head, int limit) {
        return new MessageParser().oversized(head, limit);
    }

    /** Returns the beginning of a message that is too large, in which its id may be visible. */
    static byte[] head(RawJson message) {
        int length = Math.min(message.length(), HEAD_BYTES);
        return Arrays.copyOfRange(message.bytes(), message.from(), message.from() + length);
    }

    /** Makes a request. */
    public static Message request(RequestId id, String method, @Nullable RawJson params) {
        return request(id, method, params, RawJson.CODEC);
    }

    /** Makes a notification. */
    public static Message notification(String method, @Nullable RawJson params) {
        return notification(method, params, RawJson.CODEC);
    }

    /** Makes the answer to a request. */
    public static Message result(RequestId id, RawJson result) {
        return answer(id, result, null);
    }

    /** Makes the answer to a request that failed. */
    public static Message error(RequestId id, RpcError error) {
        return answer(id, null, error);
    }

    /** Makes a request of params that are not JSON yet. */
    static <P> Message request(RequestId id, String method, @Nullable P params, Codec<P> codec) {
        JsonWriter out = begin(id);
        out.name(MessageParser.MEMBERS, MessageParser.METHOD);
        out.string(method);
        return end(out, id, method, params, codec);
    }

    /**
     * Makes a message that carries another in its params.
     *
     * @param id the id of the request; null for a notification
     * @param envelope the method of the message
     * @param method the method of what it carries
     * @param params the params of that, or null for none
     * @param meta the metadata of the envelope, or null for none
     */
    static <P> Message inEnvelope(
            @Nullable RequestId id,
            String envelope,
            String method,
            @Nullable P params,
            Codec<P> codec,
            @Nullable RawJson meta) {
        JsonWriter out = begin(id);
        out.name(MessageParser.MEMBERS, MessageParser.METHOD);
        out.string(envelope);
        out.name(MessageParser.MEMBERS, MessageParser.PARAMS);
        out.beginObject();
        out.name(MessageParser.MEMBERS, MessageParser.METHOD);
        out.string(method);
        int from = 0;
        int to = 0;
        if (params != null) {
            out.name(MessageParser.MEMBERS, MessageParser.PARAMS);
            from = out.size();
            codec.encode(params, out);
            to = out.size();
        }
        if (meta != null) {
            out.name(ENVELOPE_META);
            out.raw(meta);
        }
        out.endObject();
        out.endObject();
        Kind kind = id == null ? Kind.NOTIFICATION : Kind.REQUEST;
        return new Message(end(out), kind, id, method, null, 0, 0, from, to, true, null);
    }

    /** Makes a notification of params that are not JSON yet. */
    public static <P> Message notification(String method, @Nullable P params, Codec<P> codec) {
        JsonWriter out = begin(null);
        out.name(MessageParser.MEMBERS, MessageParser.METHOD);
        out.string(method);
        return end(out, null, method, params, codec);
    }

    /**
     * Makes a notification of a method that is sent often: the only one of these names, which are encoded beforehand.
     */
    public static <P> Message notification(Names method, P params, Codec<P> codec) {
        JsonWriter out = begin(null);
        out.name(MessageParser.MEMBERS, MessageParser.METHOD);
        out.string(method, 0);
        return end(out, null, method.get(0), params, codec);
    }

    /** Makes the notification by which the peer is asked to cancel a request. */
    static Message cancel(RequestId id) {
        JsonWriter params = new JsonWriter();
        params.beginObject();
        params.name(CANCEL_MEMBERS, REQUEST_ID);
        RequestId.CODEC.encode(id, params);
        params.endObject();
        return notification(CANCEL_REQUEST, params.toRawJson(), RawJson.CODEC);
    }

    /** Makes the answer to a request: the error if there is one, else the result. */
    static Message answer(RequestId id, @Nullable RawJson result, @Nullable RpcError error) {
        JsonWriter out = begin(id);
        int idTo = out.size();
        out.name(MessageParser.MEMBERS, error == null ? MessageParser.RESULT : MessageParser.ERROR);
        int from = out.size();
        if (error == null) {
            out.raw(result == null ? RawJson.NULL : result);
        } else {
            error.writeTo(out);
        }
        int to = out.size();
        out.endObject();
        Kind kind = error == null ? Kind.RESULT : Kind.ERROR;
        return new Message(end(out), kind, id, "", null, ID_FROM, idTo, from, to, false, null);
    }

    private static JsonWriter begin(@Nullable RequestId id) {
        JsonWriter spare = SPARE.getAndSet(null);
        JsonWriter out = spare == null ? new JsonWriter() : spare;
        out.beginObject();
        out.name(MessageParser.MEMBERS, MessageParser.JSONRPC);
        out.string(MessageParser.VERSION, 0);
        if (id != null) {
            out.name(MessageParser.MEMBERS, MessageParser.ID);
            RequestId.CODEC.encode(id, out);
        }
        return out;
    }

    private static <P> Message end(
            JsonWriter out, @Nullable RequestId id, String method, @Nullable P params, Codec<P> codec) {
        int from = 0;
        int to = 0;
        if (params != null) {
            out.name(MessageParser.MEMBERS, MessageParser.PARAMS);
            from = out.size();
            codec.encode(params, out);
            to = out.size();
        }
        out.endObject();
        RawJson message = end(out);
        if (to > 0 && message.bytes()[from] != '{') {
            // Raw params that are no object: absent, a list, or something that the peer will refuse.
            return Message.parse(message);
        }
        if (id == null) {
            return new Message(message, Kind.NOTIFICATION, null, method, null, 0, 0, from, to, false, null);
        }
        int idTo = ID_FROM + id.json().length();
        return new Message(message, Kind.REQUEST, id, method, null, ID_FROM, idTo, from, to, false, null);
    }

    /** Returns what was written. Many messages may wait to be sent, so the small ones take no more than they need. */
    private static RawJson end(JsonWriter out) {
        if (out.size() > COPIED_BYTES) {
            return out.takeRawJson();
        }
        RawJson message = out.toRawJson();
        if (out.buffer().length <= 2 * COPIED_BYTES) {
            out.reset();
            SPARE.set(out);
        }
        return message;
    }

    /** Returns what the message is. */
    public Kind kind() {
        return kind;
    }

    /** Returns the id of the request that this is or answers, or null when there is none. */
    public @Nullable RequestId id() {
        return id;
    }

    /** Returns the method of a request or notification; empty for all others. */
    public String method() {
        return method;
    }

    /**
     * Returns the id of the session that the message belongs to: the string {@code sessionId} in its params or result.
     * Of several such members, the last one counts. Empty when there is none.
     */
    public String session() {
        String known = session;
        if (known == null) {
            known = MessageParser.session(raw.bytes(), bodyFrom, bodyTo);
            session = known;
        }
        return known;
    }

    /**
     * Returns whether the message was carried by another: its kind, id, method, params and session are those of what is
     * inside, {@link #raw()} is the whole.
     */
    public boolean isInEnvelope() {
        return inEnvelope;
    }

    /**
     * Returns the metadata of the envelope that has carried the message here, an object; null when there is none. It is
     * for this hop only, and no part of the message.
     */
    public @Nullable RawJson envelopeMeta() {
        if (!inEnvelope) {
            return null;
        }
        JsonReader in = raw.reader();
        in.beginObject();
        RawJson found = null;
        while (in.nextMember()) {
            if (in.name().equals("params")) {
                found = meta(in);
            } else {
                in.skip();
            }
        }
        return found;
    }

    /** Reads the metadata of an envelope; older conductors leave out the underscore. */
    private static @Nullable RawJson meta(JsonReader in) {
        RawJson found = null;
        in.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            boolean isMeta = name.equals(ENVELOPE_META) || (found == null && name.equals("meta"));
            if (isMeta && in.kind() == JsonReader.Kind.OBJECT) {
                found = in.raw();
            } else {
                in.skip();
            }
        }
        return found;
    }

    int bodyFrom() {
        return bodyFrom;
    }

    int bodyTo() {
        return bodyTo;
    }

    /** Returns the key of the lane in which what belongs to the same session waits for its handlers. */
    Object lane() {
        return lane(session(), inEnvelope);
    }

    static Object lane(String session, boolean inEnvelope) {
        return inEnvelope ? new EnvelopeLane(session) : session;
    }

    /** The lane of what comes in envelopes: it has nothing to do with other messages of the session. */
    private record EnvelopeLane(String session) {}

    /**
     * Returns this request, notification or answer with another id, to be sent over another connection. All other bytes
     * are as they came, but for those of an envelope.
     *
     * @param newId the id; null for a notification
     * @param envelope the method of the envelope to put the message in; null for none
     */
    Message forwarded(@Nullable RequestId newId, @Nullable String envelope) {
        return forwarded(newId, envelope, null);
    }

    /** Returns the same in an envelope with metadata, if it is put into one. */
    Message forwarded(@Nullable RequestId newId, @Nullable String envelope, @Nullable RawJson meta) {
        if (!kind.isResponse() && (envelope != null || inEnvelope)) {
            RawJson params = bodyTo == 0 ? null : RawJson.wrap(raw.bytes(), bodyFrom, bodyTo);
            if (envelope != null) {
                return inEnvelope(newId, envelope, method, params, RawJson.CODEC, meta);
            }
            return newId == null
                    ? notification(method, params, RawJson.CODEC)
                    : request(newId, method, params, RawJson.CODEC);
        }
        if (newId == null) {
            return this;
        }
        if (idTo == 0) {
            throw new IllegalStateException("a message without an id gets none");
        }
        RawJson newJson = newId.json();
        int growth = newJson.length() - (idTo - idFrom);
        int from = raw.from();
        byte[] old = raw.bytes();
        byte[] bytes = new byte[raw.length() + growth];
        System.arraycopy(old, from, bytes, 0, idFrom - from);
        System.arraycopy(newJson.bytes(), newJson.from(), bytes, idFrom - from, newJson.length());
        int tail = raw.length() - (idTo - from);
        System.arraycopy(old, idTo, bytes, bytes.length - tail, tail);
        int shift = bodyFrom > idFrom ? growth - from : -from;
        return new Message(
                RawJson.wrap(bytes, 0, bytes.length),
                kind,
                newId,
                method,
                session,
                idFrom - from,
                idTo - from + growth,
                bodyTo == 0 ? 0 : bodyFrom + shift,
                bodyTo == 0 ? 0 : bodyTo + shift,
                false,
                null);
    }

    /** Returns the whole message as it stands on the wire. */
    public RawJson raw() {
        return raw;
    }

    /** Returns the number of bytes of the message. */
    public int length() {
        return raw.length();
    }

    /** Returns the params of a request or notification, or null when there are none. */
    public @Nullable RawJson params() {
        return kind == Kind.REQUEST || kind == Kind.NOTIFICATION ? body() : null;
    }

    /** Returns the result of an answer, or null when this is none. */
    public @Nullable RawJson result() {
        return kind == Kind.RESULT ? body() : null;
    }

    /** Returns the error object of an answer with all its members, or null when this is none. */
    public @Nullable RawJson error() {
        return kind == Kind.ERROR ? body() : null;
    }

    /** Returns the part, which does not keep much more memory than it has bytes. */
    private @Nullable RawJson body() {
        if (bodyTo == 0) {
            return null;
        }
        RawJson body = RawJson.wrap(raw.bytes(), bodyFrom, bodyTo);
        return raw.bytes().length - body.length() > KEPT_BESIDE ? body.copy() : body;
    }

    /** Returns what is wrong with the message; empty when nothing is. */
    public String problem() {
        return flaw == null ? "" : flaw.text();
    }

    /**
     * Returns this request or notification with other params, and else as it came, unknown members included; without
     * the envelope if it came in one.
     */
    public Message withParams(@Nullable RawJson params) {
        require(kind == Kind.REQUEST || kind == Kind.NOTIFICATION, "params");
        return with("params", params);
    }

    /** Returns this answer with another result. */
    public Message withResult(RawJson result) {
        require(kind == Kind.RESULT, "a result");
        return with("result", Objects.requireNonNull(result));
    }

    private void require(boolean fits, String what) {
        if (!fits) {
            throw new IllegalStateException("this message has no place for " + what + ": " + kind);
        }
    }

    private Message with(String member, @Nullable RawJson value) {
        if (inEnvelope) {
            return id == null ? notification(method, value) : request(id, method, value);
        }
        JsonWriter out = new JsonWriter();
        var in = raw.reader();
        in.beginObject();
        out.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            RawJson old = in.raw();
            if (!name.equals(member)) {
                out.name(name);
                out.raw(old);
            }
        }
        if (value != null) {
            out.name(member);
            out.raw(value);
        }
        out.endObject();
        return parse(out.toRawJson());
    }

    /**
     * Returns true for the answer of a request that failed; of a message that is too large, if its beginning shows it.
     */
    public boolean isError() {
        return kind == Kind.ERROR || (flaw != null && flaw.isError());
    }

    /** Whether this is an invalid message whose id may be answered. */
    boolean isAnswerable() {
        return flaw != null && flaw.isRequest();
    }

    /** Returns whether this would be a notification but for {@link #problem}: then what it says is lost. */
    boolean isBrokenNotification() {
        return flaw != null && flaw.isNotification();
    }

    /** Returns the bytes that were allowed for a message that is too large; 0 for any other. */
    public int limit() {
        return flaw == null ? 0 : flaw.limit();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Message message && raw.equals(message.raw);
    }

    @Override
    public int hashCode() {
        return raw.hashCode();
    }

    /**
     * Returns the text of the message without secrets, as {@link Redaction#SECRETS} finds them: for logs and tests. The
     * message as it is on the wire is {@link #raw()}.
     */
    @Override
    public String toString() {
        return flaw == null ? Redaction.SECRETS.redact(raw).toString() : Redaction.SECRETS.redact(raw.toString());
    }

    /**
     * What is remembered of a message for failure reports: nothing of its params.
     *
     * @param sent true when we sent it, false when the peer did
     * @param method the method, or null for an answer or for what was not a message
     * @param id the request's id, or null for a notification
     * @param bytes the size of the message
     */
    public record Summary(
            boolean sent, @Nullable String method, @Nullable RequestId id, int bytes) {
        /** Returns for example {@code --> session/prompt 3 (218 bytes)}. */
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(sent ? "--> " : "<-- ");
            text.append(method != null ? method : id != null ? "answer" : "not a message");
            if (id != null) {
                text.append(' ').append(id);
            }
            return text.append(" (").append(bytes).append(" bytes)").toString();
        }
    }
}
