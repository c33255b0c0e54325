package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * The id of a JSON-RPC request: a string, an integer of any size, or null. It is written back exactly as it came, since
 * an answer must repeat it, type and all: {@code 1} and {@code "1"} are two ids. A message whose id has more than 1,024
 * bytes is refused.
 */
public final class RequestId {
    /** The id null, which answers a message whose own id could not be read. */
    public static final RequestId NULL = new RequestId(JsonReader.Kind.NULL, "null", RawJson.NULL);

    /** Reads and writes ids. */
    public static final Codec<RequestId> CODEC = new RequestIdCodec();

    private final JsonReader.Kind kind;
    private final String value;
    private final RawJson json;

    private RequestId(JsonReader.Kind kind, String value, RawJson json) {
        this.kind = kind;
        this.value = value;
        this.json = json;
    }

    /** Returns the id that is this number. */
    public static RequestId of(long number) {
        return new RequestId(JsonReader.Kind.NUMBER, Long.toString(number), RawJson.number(number));
    }

    /** Returns the id that is this string. */
    public static RequestId of(String string) {
        return new RequestId(JsonReader.Kind.STRING, string, RawJson.string(string));
    }

    /** Returns whether this is the id null. */
    public boolean isNull() {
        return kind == JsonReader.Kind.NULL;
    }

    /** Returns whether this is an integer. */
    public boolean isNumber() {
        return kind == JsonReader.Kind.NUMBER;
    }

    /** Returns whether this is a string. */
    public boolean isString() {
        return kind == JsonReader.Kind.STRING;
    }

    /** Returns the string itself, the digits of the number, or {@code null} as text. */
    public String value() {
        return value;
    }

    /** Returns the id as it stands on the wire. */
    public RawJson json() {
        return json;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RequestId id && kind == id.kind && value.equals(id.value);
    }

    @Override
    public int hashCode() {
        return isString() ? value.hashCode() : ~value.hashCode();
    }

    /** Returns the id as JSON, so that a string is told from a number. */
    @Override
    public String toString() {
        return json.toString();
    }

    private static final class RequestIdCodec implements Codec<RequestId> {
        @Override
        public RequestId decode(JsonReader in) {
            JsonReader.Kind kind = in.kind();
            if (kind == JsonReader.Kind.NULL) {
                in.skip();
                return NULL;
            }
            if (kind == JsonReader.Kind.STRING) {
                return string(in);
            }
            if (kind == JsonReader.Kind.NUMBER) {
                return number(in);
            }
            throw in.mismatch("a string, an integer or null");
        }

        // Read twice, as one string may be spelled in many ways and must come back in its own.
        private static RequestId string(JsonReader in) {
            long start = in.mark();
            String value = in.string();
            in.rewind(start);
            return new RequestId(JsonReader.Kind.STRING, value, in.raw().copy());
        }

        private static RequestId number(JsonReader in) {
            long start = in.mark();
            RawJson json = in.raw().copy();
            String digits = json.toString();
            for (int i = 0; i < digits.length(); i++) {
                char c = digits.charAt(i);
                if (c == '.' || c == 'e' || c == 'E') {
                    in.rewind(start);
                    throw in.mismatch("a string, an integer or null");
                }
            }
            return new RequestId(JsonReader.Kind.NUMBER, digits, json);
        }

        @Override
        public void encode(RequestId id, JsonWriter out) {
            out.raw(id.json);
        }
    }
}
