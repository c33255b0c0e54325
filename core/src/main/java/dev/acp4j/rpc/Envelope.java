package dev.acp4j.rpc;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.json.RecentStrings;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one pass over a message tells: which of the JSON-RPC kinds it is, and where its parts are. Params, result and
 * error stay raw. Reading never throws; what is wrong with a message is part of the result.
 */
final class Envelope {
    enum Kind {
        REQUEST,
        NOTIFICATION,
        RESPONSE,
        /** Answer-shaped but broken: concerns the call with its id, if there is one, and is never answered. */
        BAD_RESPONSE,
        /** Not a message at all; {@link #errorCode} says how to answer it. */
        INVALID
    }

    /** The members of an envelope; {@link Frames} writes by them, too. */
    static final Names MEMBERS = Names.of("jsonrpc", "id", "method", "params", "result", "error");

    /** A part of a message is copied when the message holds so much more memory. */
    private static final int KEPT_BESIDE = 4 * 1024;

    static final int JSONRPC = 0;
    static final int ID = 1;
    static final int METHOD = 2;
    static final int PARAMS = 3;
    static final int RESULT = 4;
    static final int ERROR = 5;

    static final Names VERSION = Names.of("2.0");
    private static final Names ERROR_MEMBERS = Names.of("code", "message", "data");

    Kind kind = Kind.INVALID;

    @Nullable
    RequestId id;

    String method = "";

    @Nullable
    RawJson result;

    @Nullable
    RawJson error;

    /** The value of the lane member in params or result, or the empty string. */
    String lane = "";

    int errorCode = RpcError.INVALID_REQUEST;
    String problem = "";

    /** Whether an invalid message is a request in all but its contents, so that its id may be answered. */
    boolean answerable;

    /** Whether a message that cannot be read breaks in its params, as one does that is cut there. */
    boolean inParams;

    private boolean version;
    private boolean badId;
    private boolean hasMethod;
    private boolean badMethod;
    private boolean badParams;

    /** Where the params are; nowhere if there are none. */
    private int paramsFrom;

    private int paramsTo;

    /** The member that is being read. */
    private int member = JsonReader.END;

    private final Names laneMember;
    private final RecentStrings strings = new RecentStrings();
    private final JsonReader in = RawJson.NULL.reader();
    private RawJson frame = RawJson.NULL;

    /**
     * Makes an envelope that tells nothing yet.
     *
     * @param laneMember the one name of the member of params or result that names the lane
     */
    Envelope(Names laneMember) {
        this.laneMember = laneMember;
    }

    /** Reads one message; see {@link #read}. */
    static Envelope scan(RawJson frame, Names laneMember) {
        Envelope envelope = new Envelope(laneMember);
        envelope.read(frame);
        return envelope;
    }

    /** Forgets the message before and reads the next: one envelope serves for all that a thread reads. */
    void read(RawJson next) {
        clear();
        frame = next;
        try {
            in.reset(next);
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

    /** Returns the params, or null when there are none. */
    @Nullable
    RawJson params() {
        return paramsTo == 0 ? null : part(paramsFrom, paramsTo);
    }

    /** Returns a part of the message, which does not keep much more memory than it has bytes. */
    private RawJson part(int from, int to) {
        RawJson part = RawJson.wrap(frame.bytes(), from, to);
        return frame.bytes().length - part.length() > KEPT_BESIDE ? part.copy() : part;
    }

    /** Lets go of the message, so that it is not kept until the next one comes. Nothing may be asked until then. */
    void forget() {
        frame = RawJson.NULL;
        in.reset(frame);
        result = null;
        error = null;
    }

    private void clear() {
        kind = Kind.INVALID;
        id = null;
        method = "";
        paramsFrom = 0;
        paramsTo = 0;
        result = null;
        error = null;
        lane = "";
        errorCode = RpcError.INVALID_REQUEST;
        problem = "";
        answerable = false;
        inParams = false;
        version = false;
        badId = false;
        hasMethod = false;
        badMethod = false;
        badParams = false;
        member = JsonReader.END;
    }

    /** Returns the lane of a message of ours. Reads no further than its name, which stands near the beginning. */
    static String laneOf(RawJson frame, Names laneMember) {
        try {
            JsonReader in = frame.reader();
            in.beginObject();
            int member;
            while ((member = in.member(MEMBERS)) != JsonReader.END) {
                if (member == PARAMS && in.kind() == JsonReader.Kind.OBJECT) {
                    return laneIn(in, laneMember);
                }
                in.skip();
            }
        } catch (JsonException e) {
            // Params that somebody gave us raw. What is wrong with them is for the peer to say.
        }
        return "";
    }

    private static String laneIn(JsonReader params, Names laneMember) {
        params.beginObject();
        int member;
        while ((member = params.member(laneMember)) != JsonReader.END) {
            if (member == 0 && params.kind() == JsonReader.Kind.STRING) {
                return params.string();
            }
            params.skip();
        }
        return "";
    }

    /**
     * Nesting that is too deep is no noise: whoever waits for an answer is told, if it is known by then who that is.
     */
    private void unreadable(JsonException e) {
        problem = String.valueOf(e.getMessage());
        inParams = member == PARAMS;
        boolean isAnswer = !hasMethod && (member == RESULT || member == ERROR);
        if (e.isTooDeep() && id != null && (hasMethod || isAnswer)) {
            kind = isAnswer ? Kind.BAD_RESPONSE : Kind.INVALID;
            // Without the path, which is as long as the nesting is deep.
            problem = problem.substring(problem.lastIndexOf(": ") + 1).strip();
            answerable = !isAnswer;
        } else {
            kind = Kind.INVALID;
            errorCode = RpcError.PARSE_ERROR;
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
                case ERROR -> error = in.raw();
                default -> in.skip();
            }
        }
    }

    // Of members that stand twice, the last one counts, as everywhere else.

    private void readId() {
        id = null;
        badId = false;
        JsonReader.Kind found = in.kind();
        if (found == JsonReader.Kind.NUMBER) {
            readNumber();
        } else if (found == JsonReader.Kind.STRING || found == JsonReader.Kind.NULL) {
            id = RequestId.CODEC.decode(in);
        } else {
            badId = true;
            in.skip();
        }
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
        paramsFrom = 0;
        paramsTo = 0;
        badParams = false;
        JsonReader.Kind found = in.kind();
        if (found == JsonReader.Kind.OBJECT || found == JsonReader.Kind.ARRAY) {
            paramsFrom = in.offset();
            passValue();
            paramsTo = in.offset();
        } else {
            badParams = found != JsonReader.Kind.NULL;
            in.skip();
        }
    }

    private void readResult() {
        int from = in.offset();
        passValue();
        result = part(from, in.offset());
    }

    /** Passes a value, which may name the lane. */
    private void passValue() {
        if (in.kind() != JsonReader.Kind.OBJECT) {
            in.skip();
            return;
        }
        in.beginObject();
        int inner;
        while ((inner = in.member(laneMember)) != JsonReader.END) {
            if (inner == 0 && in.kind() == JsonReader.Kind.STRING) {
                lane = in.string(strings);
            } else {
                in.skip();
            }
        }
    }

    private void classify() {
        boolean answerShaped = !hasMethod && (id != null || badId || result != null || error != null);
        if (answerShaped) {
            classifyResponse();
        } else if (!version) {
            problem = "the member \"jsonrpc\" must be \"2.0\"";
        } else if (!hasMethod) {
            problem = "neither a request nor an answer: no \"method\"";
        } else if (badMethod) {
            problem = "\"method\" must be a string";
        } else if (badId) {
            problem = "\"id\" must be a string, an integer or null";
        } else if (result != null || error != null) {
            problem = "\"method\" together with \"result\" or \"error\"";
            answerable = id != null;
        } else if (badParams) {
            problem = "\"params\" must be an object or an array";
            answerable = id != null;
        } else {
            kind = id == null ? Kind.NOTIFICATION : Kind.REQUEST;
        }
    }

    private void classifyResponse() {
        kind = Kind.BAD_RESPONSE;
        if (!version) {
            problem = "the member \"jsonrpc\" must be \"2.0\"";
        } else if (id == null) {
            problem = "an answer without a usable \"id\"";
        } else if ((result == null) == (error == null)) {
            problem = result == null ? "neither \"result\" nor \"error\"" : "both \"result\" and \"error\"";
        } else if (error != null && !isErrorObject(error)) {
            problem = "\"error\" needs an integer \"code\" and a string \"message\"";
        } else {
            kind = Kind.RESPONSE;
        }
    }

    private static boolean isErrorObject(RawJson error) {
        try {
            peerError("", error, UnaryOperator.identity());
            return true;
        } catch (JsonException e) {
            return false;
        }
    }

    /** Reads an error object. */
    static PeerErrorException peerError(String method, RawJson error, UnaryOperator<String> secrets) {
        JsonReader in = error.reader("error");
        int start = in.offset();
        @Nullable Integer code = null;
        @Nullable String message = null;
        @Nullable RawJson data = null;
        in.beginObject();
        int member;
        while ((member = in.member(ERROR_MEMBERS)) != JsonReader.END) {
            switch (member) {
                case 0 -> code = in.int32();
                case 1 -> message = in.string();
                case 2 -> data = in.raw();
                default -> in.skip();
            }
        }
        if (code == null) {
            throw in.missing("code", start);
        }
        if (message == null) {
            throw in.missing("message", start);
        }
        return new PeerErrorException(method, code, message, data, secrets);
    }
}
