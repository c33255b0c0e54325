package dev.acp4j.json;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A cursor over one JSON text. It is positioned at a value; reading or skipping the value moves it past the value. Text
 * that it passes is checked against the grammar of RFC 8259 and for valid UTF-8; text after the cursor is not. Every
 * method throws {@link JsonException} if the text is not as expected.
 *
 * <pre>{@code
 * reader.beginObject();
 * for (int member = reader.member(NAMES); member != JsonReader.END; member = reader.member(NAMES)) {
 *     switch (member) {
 *         case 0 -> path = reader.string();
 *         case 1 -> line = reader.int64();
 *         default -> reader.skip();   // each value must be read or skipped
 *     }
 * }
 * }</pre>
 *
 * <p>For use by one thread.
 */
public final class JsonReader {
    /** From {@link #member}: the object has no further member. */
    public static final int END = -1;

    /** From {@link #member} and {@link #constant}: a name that is not in the table. */
    public static final int UNKNOWN = -2;

    /** The kinds of JSON values. */
    public enum Kind {
        /** {@code {…}}. */
        OBJECT,
        /** {@code […]}. */
        ARRAY,
        /** {@code "…"}. */
        STRING,
        /** A number of any form. */
        NUMBER,
        /** {@code true} or {@code false}. */
        BOOLEAN,
        /** {@code null}. */
        NULL
    }

    private static final long FRESH = 1L << 62;
    private static final long MAX_UINT32 = 0xffff_ffffL;

    private final JsonText text;
    private byte[] bytes;
    private int to;
    private int pos;
    private int depth;

    /** Whether the innermost container has just been entered, so that no comma precedes its next value. */
    private boolean fresh;

    private int nameFrom;
    private int nameTo;
    private boolean nameEscaped;

    /** Reads the text from {@code from} up to, not including, {@code to}. The array must not change meanwhile. */
    public JsonReader(byte[] bytes, int from, int to) {
        this(bytes, from, to, "");
    }

    /**
     * Reads the text from {@code from} up to, not including, {@code to}.
     *
     * @param label the beginning of the paths in error messages, such as {@code params}
     */
    public JsonReader(byte[] bytes, int from, int to, String label) {
        this(bytes, from, to, label, JsonText.MAX_DEPTH);
    }

    /**
     * Reads the text from {@code from} up to, not including, {@code to}.
     *
     * @param label the beginning of the paths in error messages, such as {@code params}
     * @param maxDepth the maximum nesting depth of arrays and objects
     */
    public JsonReader(byte[] bytes, int from, int to, String label, int maxDepth) {
        Objects.checkFromToIndex(from, to, bytes.length);
        this.text = new JsonText(bytes, from, to, label, maxDepth);
        this.bytes = bytes;
        this.to = to;
        this.pos = text.whitespace(from);
    }

    /** Switches to another text, so that one cursor can be reused. Exceptions thrown before must no longer be used. */
    public void reset(RawJson value) {
        bytes = value.bytes();
        to = value.to();
        text.reset(bytes, value.from(), to);
        pos = text.whitespace(value.from());
        depth = 0;
        fresh = false;
    }

    /** Returns the kind of the value at the cursor, judged by its first character. */
    public Kind kind() {
        return switch (text.at(pos)) {
            case '{' -> Kind.OBJECT;
            case '[' -> Kind.ARRAY;
            case '"' -> Kind.STRING;
            case 't', 'f' -> Kind.BOOLEAN;
            case 'n' -> Kind.NULL;
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> Kind.NUMBER;
            default -> throw text.syntax("a value", pos);
        };
    }

    /** Skips a null and returns true, or stays before any other value and returns false. */
    public boolean tryNull() {
        if (text.at(pos) != 'n') {
            return false;
        }
        pos = text.literal(pos, "null");
        return true;
    }

    /** Enters an object. */
    public void beginObject() {
        enter('{', "an object");
    }

    /** Enters an array. */
    public void beginArray() {
        enter('[', "an array");
    }

    private void enter(char bracket, String expected) {
        if (text.at(pos) != bracket) {
            throw mismatch(expected);
        }
        text.checkDepth(depth + 1, pos);
        depth++;
        pos++;
        fresh = true;
    }

    /**
     * Moves to the next value of the object.
     *
     * @return the index of its name; {@link #UNKNOWN} for a name not in the table, which {@link #name} gives;
     *     {@link #END} if there is none, and the cursor is past the object
     */
    public int member(Names names) {
        if (!nextMember()) {
            return END;
        }
        return nameEscaped ? names.indexOf(name()) : names.indexOf(bytes, nameFrom, nameTo);
    }

    /** Moves to the next value of the object and returns true, or leaves the object and returns false. */
    public boolean nextMember() {
        if (!next('}', "',' or '}'")) {
            return false;
        }
        if (text.at(pos) != '"') {
            throw text.syntax("a member name", pos);
        }
        nameFrom = pos + 1;
        int end = text.plainEnd(nameFrom);
        if (text.at(end) == '"') {
            nameEscaped = false;
            nameTo = end;
        } else {
            nameTo = text.string(pos) - 1;
            nameEscaped = JsonStrings.indexOfEscape(bytes, nameFrom, nameTo) < nameTo;
        }
        pos = text.colon(nameTo + 1);
        return true;
    }

    /** Returns the name of the current member. Must be called before the member's value is read. */
    public String name() {
        return JsonStrings.decode(bytes, nameFrom, nameTo);
    }

    /** Moves to the next value of the array and returns true, or leaves the array and returns false. */
    public boolean nextElement() {
        if (!next(']', "',' or ']'")) {
            return false;
        }
        if (text.at(pos) == ']') {
            throw text.syntax("a value", pos);
        }
        return true;
    }

    private boolean next(char bracket, String expected) {
        int at = text.whitespace(pos);
        byte b = text.at(at);
        if (b == bracket) {
            pos = at + 1;
            depth--;
            fresh = false;
            return false;
        }
        if (fresh) {
            fresh = false;
            pos = at;
        } else if (b == ',') {
            pos = text.whitespace(at + 1);
        } else {
            throw text.syntax(expected, at);
        }
        return true;
    }

    /** Reads a string. */
    public String string() {
        if (text.at(pos) != '"') {
            throw mismatch("a string");
        }
        int start = pos + 1;
        int end = text.plainEnd(start);
        if (text.at(end) == '"') {
            pos = end + 1;
            return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
        }
        pos = text.string(start - 1);
        return JsonStrings.decode(bytes, start, pos - 1);
    }

    /** Reads a string, reusing a recent instance if there is one. */
    public String string(RecentStrings recent) {
        if (text.at(pos) != '"') {
            throw mismatch("a string");
        }
        int start = pos + 1;
        int end = text.plainEnd(start);
        if (text.at(end) != '"') {
            return string();
        }
        pos = end + 1;
        return recent.get(bytes, start, end);
    }

    /**
     * Reads a string that is one of a known set.
     *
     * @return its index, or {@link #UNKNOWN}; the cursor then stays before the string
     */
    public int constant(Names names) {
        if (text.at(pos) != '"') {
            throw mismatch("a string");
        }
        int start = pos + 1;
        int end = text.plainEnd(start);
        int index;
        if (text.at(end) == '"') {
            index = names.indexOf(bytes, start, end);
        } else {
            end = text.string(pos) - 1;
            index = names.indexOf(JsonStrings.decode(bytes, start, end));
        }
        if (index != UNKNOWN) {
            pos = end + 1;
        }
        return index;
    }

    /** Reads a boolean. */
    public boolean bool() {
        byte first = text.at(pos);
        if (first != 't' && first != 'f') {
            throw mismatch("a boolean");
        }
        pos = text.literal(pos, first == 't' ? "true" : "false");
        return first == 't';
    }

    /** Reads an integer of 32 bits. {@code 1.0} and {@code 1e3} are integers. */
    public int int32() {
        return (int) integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** Reads an integer of 64 bits, exactly. {@code 1.0} and {@code 1e3} are integers. */
    public long int64() {
        return integer(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** Reads an integer from 0 to 4294967295. */
    public long uint32() {
        return integer(0, MAX_UINT32);
    }

    private long integer(long min, long max) {
        int end = numberEnd("an integer");
        long value;
        try {
            value = Numbers.int64(bytes, pos, end);
        } catch (ArithmeticException notOne) {
            throw Numbers.isPlainInteger(bytes, pos, end) ? outOfRange(min, max) : mismatch("an integer");
        }
        if (value < min || value > max) {
            throw outOfRange(min, max);
        }
        pos = end;
        return value;
    }

    private JsonException outOfRange(long min, long max) {
        return mismatch("an integer from " + min + " to " + max);
    }

    /** Reads a number as the nearest {@code double}; a number beyond the range of a double is rejected. */
    public double number() {
        int end = numberEnd("a number");
        double value = Numbers.number(bytes, pos, end);
        if (Double.isInfinite(value)) {
            throw mismatch("a number in the range of a double");
        }
        pos = end;
        return value;
    }

    private int numberEnd(String expected) {
        byte first = text.at(pos);
        if (first != '-' && (first < '0' || first > '9')) {
            throw mismatch(expected);
        }
        return text.number(pos);
    }

    /** Skips the value at the cursor, checks all of it, and returns its bytes, which are not copied. */
    public RawJson raw() {
        int start = pos;
        skip();
        return RawJson.wrap(bytes, start, pos);
    }

    /** Skips the value at the cursor and checks all of it. */
    public void skip() {
        pos = text.value(pos, depth);
    }

    /** Returns the position of the cursor, for {@link #reset}. */
    public long mark() {
        return (fresh ? FRESH : 0) | (long) depth << Integer.SIZE | pos;
    }

    /**
     * Goes back to the position of {@link #mark}, also out of containers entered since. {@link #name} is not restored.
     */
    public void rewind(long mark) {
        pos = (int) mark;
        depth = (int) ((mark & ~FRESH) >>> Integer.SIZE);
        fresh = (mark & FRESH) != 0;
    }

    /** Returns the cursor's index in the array. */
    public int offset() {
        return pos;
    }

    /**
     * Creates the exception for a value at the cursor that is not as expected: {@code params.line: expected a string,
     * got 7}.
     */
    public JsonException mismatch(String expected) {
        return text.mismatch(expected, pos);
    }

    /**
     * Creates the exception for a missing required member.
     *
     * @param objectStart the {@link #offset} of the object
     */
    public JsonException missing(String member, int objectStart) {
        return text.error("required member " + RawJson.string(member) + " is missing", objectStart);
    }

    /**
     * Creates the exception for an invalid value.
     *
     * @param at the {@link #offset} of the value
     */
    public JsonException invalid(String message, int at) {
        return text.error(message, at);
    }

    /**
     * Creates the exception for a value that a constructor has rejected.
     *
     * @param at the {@link #offset} of the value
     */
    public JsonException invalid(IllegalArgumentException rejected, int at) {
        return text.error(String.valueOf(rejected.getMessage()), at);
    }

    /** Checks that only white space follows. */
    public void end() {
        int at = text.whitespace(pos);
        if (at < to) {
            throw text.syntax("the end of the text", at);
        }
        pos = at;
    }
}
