package dev.acp4j.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One JSON value as a slice of UTF-8 bytes, not decoded. Used for values that are not understood and for values that
 * are forwarded unchanged.
 *
 * <p>Immutable by convention: arrays are not copied on the way in or out, and must not be modified. Values are equal if
 * their bytes are, so {@code 1.0} and {@code 1.00} are not equal.
 */
public final class RawJson {
    /** The value {@code null}. */
    public static final RawJson NULL = ascii("null");

    /** The value {@code {}}. */
    public static final RawJson EMPTY_OBJECT = ascii("{}");

    /** Reads and writes a value unchanged. */
    public static final Codec<RawJson> CODEC = new RawCodec();

    /**
     * The number of bytes left to scan one at a time before {@link Words} is loaded. Races are benign: they only move
     * the time of loading.
     */
    private static int nearBytes = 8 * 1024;

    private final byte[] bytes;
    private final int from;
    private final int to;
    private final boolean oneLine;

    private RawJson(byte[] bytes, int from, int to) {
        this(bytes, from, to, false);
    }

    /** Creates a value from a slice without checking it. */
    RawJson(byte[] bytes, int from, int to, boolean oneLine) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.oneLine = oneLine;
    }

    /**
     * Checks that a text is JSON and wraps it, without the white space around it.
     *
     * @throws JsonException if it is not
     */
    public static RawJson parse(String text) {
        return parse(utf8(text));
    }

    /**
     * Checks that a text is JSON and wraps it, without the white space around it. The array is not copied.
     *
     * @throws JsonException if it is not
     */
    public static RawJson parse(byte[] utf8) {
        return decode(new JsonReader(utf8, 0, utf8.length), CODEC);
    }

    /** Wraps a slice that is known to be exactly one JSON value. Nothing is copied and only the bounds are checked. */
    public static RawJson wrap(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, bytes.length);
        return new RawJson(bytes, from, to);
    }

    /** Writes a tree. */
    public static RawJson of(JsonValue value) {
        return encode(value, JsonValue.CODEC);
    }

    /** Writes a string. */
    public static RawJson string(String value) {
        JsonWriter out = new JsonWriter(value.length() + 2);
        out.string(value);
        return out.toRawJson();
    }

    /** Writes an integer. */
    public static RawJson number(long value) {
        return ascii(Long.toString(value));
    }

    /** Writes a Java value. */
    public static <T> RawJson encode(T value, Codec<T> codec) {
        JsonWriter out = new JsonWriter();
        codec.encode(value, out);
        // The buffer is not shared; it is copied only if much of it would be unused.
        return out.size() < out.buffer().length / 2 ? out.toRawJson() : out.takeRawJson();
    }

    /** Returns the array that holds the slice. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the index of the first byte. */
    public int from() {
        return from;
    }

    /** Returns the index after the last byte. */
    public int to() {
        return to;
    }

    /** Returns the number of bytes. */
    public int length() {
        return to - from;
    }

    /**
     * Returns whether the value is known to contain no line feed or carriage return, so that it need not be searched:
     * output of a {@link JsonWriter} has none. False means unknown.
     */
    public boolean isKnownToBeOneLine() {
        return oneLine;
    }

    /** Returns a cursor at the value. */
    public JsonReader reader() {
        return new JsonReader(bytes, from, to);
    }

    /**
     * Returns a cursor at the value.
     *
     * @param label the beginning of the paths in error messages, such as {@code params}
     */
    public JsonReader reader(String label) {
        return new JsonReader(bytes, from, to, label);
    }

    /** Returns the value as a tree. */
    public JsonValue value() {
        return decode(JsonValue.CODEC);
    }

    /**
     * Reads the value.
     *
     * @throws JsonException if it is not of the type
     */
    public <T> T decode(Codec<T> codec) {
        return decode(codec, "");
    }

    /**
     * Reads the value.
     *
     * @param label the beginning of the paths in error messages, such as {@code params}
     * @throws JsonException if it is not of the type
     */
    public <T> T decode(Codec<T> codec, String label) {
        return decode(reader(label), codec);
    }

    private static <T> T decode(JsonReader reader, Codec<T> codec) {
        try {
            T value = codec.decode(reader);
            reader.end();
            return value;
        } catch (JsonException e) {
            throw e.traced();
        }
    }

    /** Returns the same value without white space between its tokens; this one if there is none. */
    public RawJson compact() {
        int pos = from;
        while (pos < to && !JsonText.isWhitespace(bytes[pos])) {
            pos = bytes[pos] == '"' ? stringEnd(pos) : pos + 1;
        }
        return pos == to ? this : withoutWhitespace(pos);
    }

    private RawJson withoutWhitespace(int first) {
        byte[] compact = Arrays.copyOfRange(bytes, from, to);
        int length = first - from;
        int pos = first;
        while (pos < to) {
            int end = bytes[pos] == '"' ? stringEnd(pos) : pos + 1;
            if (!JsonText.isWhitespace(bytes[pos])) {
                System.arraycopy(bytes, pos, compact, length, end - pos);
                length += end - pos;
            }
            pos = end;
        }
        return new RawJson(compact, 0, length);
    }

    private int stringEnd(int at) {
        int pos = at + 1;
        while (pos < to && bytes[pos] != '"') {
            pos += bytes[pos] == '\\' ? 2 : 1;
        }
        return Math.min(pos + 1, to);
    }

    /** Returns the same value in an array of its own, so that it does not retain a larger one. */
    public RawJson copy() {
        return new RawJson(Arrays.copyOfRange(bytes, from, to), 0, to - from, oneLine);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RawJson that && Arrays.equals(bytes, from, to, that.bytes, that.from, that.to);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    /** Returns the text. */
    @Override
    public String toString() {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    /** Returns the index of the first line feed or carriage return in an array from {@code at}, or {@code to}. */
    public static int lineBreak(byte[] bytes, int at, int to) {
        int near = Math.min(to, at + nearBytes);
        int pos = at;
        while (pos < near && bytes[pos] != '\n' && bytes[pos] != '\r') {
            pos++;
        }
        if (near > at) {
            nearBytes -= pos - at;
        }
        return pos < near || pos == to ? pos : Words.lineBreak(bytes, pos, to);
    }

    private static RawJson ascii(String text) {
        return new RawJson(text.getBytes(StandardCharsets.ISO_8859_1), 0, text.length());
    }

    /** UTF-8 cannot encode an unpaired surrogate; inside a string, the only place for one, an escape is equivalent. */
    private static byte[] utf8(String text) {
        @Nullable StringBuilder escaped = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (Character.isSurrogate(c) && !pair) {
                escaped = escaped == null ? new StringBuilder(text.length() + 16).append(text, 0, i) : escaped;
                escaped.append("\\u").append(Integer.toHexString(c));
                continue;
            }
            int end = pair ? i + 2 : i + 1;
            if (escaped != null) {
                escaped.append(text, i, end);
            }
            i = end - 1;
        }
        return (escaped == null ? text : escaped.toString()).getBytes(StandardCharsets.UTF_8);
    }

    private static final class RawCodec implements Codec<RawJson> {
        @Override
        public RawJson decode(JsonReader in) {
            return in.raw();
        }

        @Override
        public void encode(RawJson value, JsonWriter out) {
            out.raw(value);
        }
    }
}
