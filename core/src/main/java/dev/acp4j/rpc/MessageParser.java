package dev.acp4j.rpc;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.json.RecentStrings;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of what a transport reads: one pass over the bytes finds the envelope. Reading never throws; what is
 * wrong with a message is part of it. Used by one thread.
 */
public final class MessageParser {
    /** The members of an envelope; {@link Message} writes by them, too. */
    static final Names MEMBERS = Names.of("jsonrpc", "id", "method", "params", "result", "error");

    static final int JSONRPC = 0;
    static final int ID = 1;
    static final int METHOD = 2;
    static final int PARAMS = 3;
    static final int RESULT = 4;
    static final int ERROR = 5;

    /** Those of what an envelope carries, and one that names another receiver than the next component. */
    private static final Names CARRIED = Names.of("jsonrpc", "id", "method", "params", "result", "error", "peer");

    private static final int PEER = 6;

    static final Names VERSION = Names.of("2.0");
    private static final int LONGEST_ID = 1024;
    private static final Names SESSION = Names.of("sessionId");

    private final RecentStrings strings = new RecentStrings();
    private final JsonReader in = RawJson.NULL.reader();

    // What is known of the message that is being read.

    private RawJson frame = RawJson.NULL;
    private Message.Kind kind = Message.Kind.INVALID;
    private @Nullable RequestId id;
    private String method = "";
    private @Nullable RawJson error;
    private boolean hasResult;
    private String session = "";
    private String problem = "";
    private boolean answerable;
    private boolean version;
    private boolean badId;
    private boolean longId;
    private boolean hasMethod;
    private boolean badMethod;
    private boolean badParams;

    /** Where the params, the result or the error are; nowhere if there are none. */
    private int bodyFrom;

    private int bodyTo;

    /** Where the id is; nowhere if there is none. */
    private int idFrom;

    private int idTo;

    /** The member that is being read. */
    private int member = JsonReader.END;

    /** Creates a parser. */
    public MessageParser() {}

    /** Makes a message of a line. The bytes are not copied and must not change. */
    public Message parse(RawJson line) {
        read(line);
        return message(
                problem.isEmpty()
                        ? null
                        : new Message.Flaw(problem, answerable, isMeantAsNotification(), error != null, 0));
    }

    /**
     * Takes a message out of its envelope: what the params of a request or notification carry, under the id of that.
     * What is not carried in the right way is {@link Message.Kind#INVALID}.
     */
    Message open(Message envelope) {
        frame = envelope.raw();
        id = envelope.id();
        kind = envelope.kind();
        if (envelope.bodyTo() == 0 || frame.bytes()[envelope.bodyFrom()] != '{') {
            problem = "\"params\" must be an object with \"method\"";
        } else {
            // The same bytes, so that places in them are places in the message.
            in.reset(RawJson.wrap(frame.bytes(), envelope.bodyFrom(), envelope.bodyTo()));
            in.beginObject();
            boolean hasPeer = false;
            while ((member = in.member(CARRIED)) != JsonReader.END) {
                switch (member) {
                    case METHOD -> readMethod();
                    case PARAMS -> readParams();
                    case PEER -> {
                        // To go on to the next component could be to the wrong one.
                        hasPeer = in.kind() != JsonReader.Kind.NULL;
                        in.skip();
                    }
                    default -> in.skip();
                }
            }
            problem = !hasMethod || badMethod
                    ? "\"params.method\" must be a string"
                    : badParams
                            ? "\"params.params\" must be an object or an array"
                            : hasPeer ? "\"params.peer\" is not supported: there is one next component only" : "";
        }
        if (problem.isEmpty()) {
            return message(null, true);
        }
        boolean isRequest = kind == Message.Kind.REQUEST;
        kind = Message.Kind.INVALID;
        method = envelope.method();
        return message(new Message.Flaw(problem, isRequest, !isRequest, false, 0), false);
    }

    /** Makes a message of bytes that cannot be read. */
    Message unreadable(String why) {
        return message(new Message.Flaw(why, false, false, false, 0));
    }

    /** Makes a message of the beginning of one that is too large. */
    Message oversized(byte[] head, int limit) {
        read(RawJson.wrap(head, 0, head.length));
        boolean isRequest = id != null && (!method.isEmpty() || member == PARAMS);
        kind = Message.Kind.OVERSIZED;
        return message(new Message.Flaw(
                "message is larger than " + limit + " bytes",
                isRequest,
                false,
                error != null || member == ERROR,
                limit));
    }

    /** Whether a message that is none is a notification but for its flaw. A log line may have a method, too. */
    private boolean isMeantAsNotification() {
        return hasMethod && !badMethod && id == null && !badId && (version || bodyTo > 0);
    }

    private Message message(Message.@Nullable Flaw flaw) {
        return message(flaw, false);
    }

    private Message message(Message.@Nullable Flaw flaw, boolean inEnvelope) {
        Message message =
                new Message(frame, kind, id, method, session, idFrom, idTo, bodyFrom, bodyTo, inEnvelope, flaw);
        clear();
        return message;
    }

    private void read(RawJson line) {
        frame = line;
        try {
            in.reset(line);
            if (in.kind() == JsonReader.Kind.OBJECT) {
                readMembers();
                in.end();
                classify();
            } else {
                boolean array = in.kind() == JsonReader.Kind.ARRAY;
                in.skip();
                in.end();
                problem = array ? "batches are not accepted" : "a message is an object";
            }
        } catch (JsonException e) {
            unreadable(e);
        }
    }

    /** Forgets the message, so that its memory is not kept until the next one comes. */
    private void clear() {
        frame = RawJson.NULL;
        in.reset(frame);
        kind = Message.Kind.INVALID;
        id = null;
        method = "";
        idFrom = 0;
        idTo = 0;
        bodyFrom = 0;
        bodyTo = 0;
        hasResult = false;
        error = null;
        session = "";
        problem = "";
        answerable = false;
        version = false;
        badId = false;
        longId = false;
        hasMethod = false;
        badMethod = false;
        badParams = false;
        member = JsonReader.END;
    }

    /** Returns the session that params or a result name. */
    static String session(byte[] bytes, int from, int to) {
        String session = "";
        try {
            JsonReader in = RawJson.wrap(bytes, from, to).reader();
            if (to == 0 || in.kind() != JsonReader.Kind.OBJECT) {
                return session;
            }
            in.beginObject();
            int member;
            while ((member = in.member(SESSION)) != JsonReader.END) {
                if (member == 0 && in.kind() == JsonReader.Kind.STRING) {
                    session = in.string();
                } else {
                    session = member == 0 ? "" : session;
                    in.skip();
                }
            }
        } catch (JsonException e) {
            // Raw params of the program's own. The peer says what is wrong with them.
        }
        return session;
    }

    /** Nesting that is too deep is not noise: the request is answered, if it is known by then which one it is. */
    private void unreadable(JsonException e) {
        problem = String.valueOf(e.getMessage());
        boolean isAnswer = !hasMethod && (member == RESULT || member == ERROR);
        if (e.isTooDeep() && id != null && (hasMethod || isAnswer)) {
            kind = isAnswer ? Message.Kind.INVALID_RESPONSE : Message.Kind.INVALID;
            // Without the path, which is as long as the nesting is deep.
            problem = problem.substring(problem.lastIndexOf(": ") + 1).strip();
            answerable = !isAnswer;
        } else {
            kind = Message.Kind.NOISE;
        }
    }

    private void readMembers() {
        in.beginObject();
        while ((member = in.member(MEMBERS)) != JsonReader.END) {
            switch (member) {
                case JSONRPC -> {
                    version = in.kind() == JsonReader.Kind.STRING && in.constant(VERSION) == 0;
                    if (!version) {
                        in.skip();
                    }
                }
                case ID -> readId();
                case METHOD -> readMethod();
                case PARAMS -> readParams();
                case RESULT -> readResult();
                case ERROR -> readError();
                default -> in.skip();
            }
        }
    }

    // Of members that stand twice, the last one counts, as everywhere else.

    private void readId() {
        id = null;
        badId = false;
        longId = false;
        JsonReader.Kind found = in.kind();
        idFrom = in.offset();
        if (found == JsonReader.Kind.NUMBER) {
            readNumber();
        } else if (found == JsonReader.Kind.STRING || found == JsonReader.Kind.NULL) {
            id = RequestId.CODEC.decode(in);
        } else {
            badId = true;
            in.skip();
        }
        if (id != null && id.json().length() > LONGEST_ID) {
            // Each answer, log line and table would have a copy.
            id = null;
            badId = true;
            longId = true;
        }
        idTo = in.offset();
    }

    private void readNumber() {
        long start = in.mark();
        try {
            id = RequestId.CODEC.decode(in);
        } catch (JsonException e) {
            // No integer, though it may be JSON.
            in.rewind(start);
            badId = true;
            in.skip();
        }
    }

    private void readMethod() {
        hasMethod = true;
        badMethod = in.kind() != JsonReader.Kind.STRING;
        if (badMethod) {
            in.skip();
        } else {
            method = in.string(strings);
        }
    }

    private void readParams() {
        bodyFrom = 0;
        bodyTo = 0;
        session = "";
        badParams = false;
        JsonReader.Kind found = in.kind();
        if (found == JsonReader.Kind.OBJECT || found == JsonReader.Kind.ARRAY) {
            bodyFrom = in.offset();
            passValue();
            bodyTo = in.offset();
        } else {
            badParams = found != JsonReader.Kind.NULL;
            in.skip();
        }
    }

    private void readResult() {
        hasResult = true;
        bodyFrom = in.offset();
        passValue();
        bodyTo = in.offset();
    }

    private void readError() {
        bodyFrom = in.offset();
        error = in.raw();
        bodyTo = in.offset();
    }

    /** Passes a value, which may name the session. */
    private void passValue() {
        session = "";
        if (in.kind() != JsonReader.Kind.OBJECT) {
            in.skip();
            return;
        }
        in.beginObject();
        int inner;
        while ((inner = in.member(SESSION)) != JsonReader.END) {
            if (inner == 0 && in.kind() == JsonReader.Kind.STRING) {
                session = in.string(strings);
            } else {
                session = inner == 0 ? "" : session;
                in.skip();
            }
        }
    }

    private void classify() {
        boolean answerShaped = !hasMethod && (id != null || badId || hasResult || error != null);
        if (answerShaped) {
            classifyResponse();
        } else if (!version) {
            problem = "the member \"jsonrpc\" must be \"2.0\"";
        } else if (!hasMethod) {
            problem = "neither a request nor an answer: no \"method\"";
        } else if (badMethod) {
            problem = "\"method\" must be a string";
        } else if (badId) {
            problem = longId
                    ? "\"id\" must have at most " + LONGEST_ID + " bytes"
                    : "\"id\" must be a string, an integer or null";
        } else if (hasResult || error != null) {
            problem = "\"method\" together with \"result\" or \"error\"";
            answerable = id != null;
        } else if (badParams) {
            problem = "\"params\" must be an object or an array";
            answerable = id != null;
        } else {
            kind = id == null ? Message.Kind.NOTIFICATION : Message.Kind.REQUEST;
        }
    }

    private void classifyResponse() {
        kind = Message.Kind.INVALID_RESPONSE;
        if (!version) {
            problem = "the member \"jsonrpc\" must be \"2.0\"";
        } else if (id == null) {
            problem = "an answer without a usable \"id\"";
        } else if (hasResult == (error != null)) {
            problem = !hasResult ? "neither \"result\" nor \"error\"" : "both \"result\" and \"error\"";
        } else if (error != null && !isErrorObject(error)) {
            problem = "\"error\" needs an integer \"code\" and a string \"message\"";
        } else {
            kind = error == null ? Message.Kind.RESULT : Message.Kind.ERROR;
        }
    }

    private static boolean isErrorObject(RawJson error) {
        try {
            RpcError.read("", error, UnaryOperator.identity());
            return true;
        } catch (JsonException e) {
            return false;
        }
    }
}
