package dev.acp4j.json;

import java.util.Arrays;

/**
 * Writes one JSON value into a growing buffer: one line of valid UTF-8, without white space. Control characters, the
 * other line separators of Unicode and surrogates without their other half are escaped.
 *
 * <p>A call that would produce invalid JSON, such as a member's value without its name, throws
 * {@link IllegalStateException}. For use by one thread.
 */
public final class JsonWriter {
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

    /**
     * Below this bound a {@code double} represents every integer exactly, so an integer can be written without a
     * fraction.
     */
    private static final double MAX_WHOLE = 1L << 53;

    /** The size in bytes from which the buffer no longer doubles. */
    private static final int LARGE_BUFFER = 1 << 16;

    /** The number of characters from which scanning eight at a time is faster. */
    private static final int WIDE_STRING = 24;

    private byte[] buffer;

    /** Number of bytes written. */
    int size;

    /** Records which of the open containers are objects. */
    private final long[] objects = new long[JsonText.MAX_DEPTH / Long.SIZE];

    private int depth;
    private boolean inObject;

    /** Whether a member's name was written and its value was not. */
    private boolean named;

    /** Whether the next value or name is not the first in its container. */
    private boolean comma;

    /** Creates a writer with a small buffer. */
    public JsonWriter() {
        this(256);
    }

    /** Creates a writer with this initial buffer size in bytes. */
    public JsonWriter(int capacity) {
        buffer = new byte[Math.max(16, capacity)];
    }

    /** Discards the content and keeps the buffer. */
    public void reset() {
        size = 0;
        depth = 0;
        inObject = false;
        named = false;
        comma = false;
    }

    /** Begins an object. */
    public void beginObject() {
        begin('{', true);
    }

    /** Ends the object. */
    public void endObject() {
        end('}', true);
    }

    /** Begins an array. */
    public void beginArray() {
        begin('[', false);
    }

    /** Ends the array. */
    public void endArray() {
        end(']', false);
    }

    private void begin(char bracket, boolean object) {
        beforeValue(1);
        if (depth == JsonText.MAX_DEPTH) {
            throw new IllegalStateException("nested deeper than " + JsonText.MAX_DEPTH + " levels");
        }
        int word = depth / Long.SIZE;
        long bit = 1L << depth;
        objects[word] = object ? objects[word] | bit : objects[word] & ~bit;
        depth++;
        inObject = object;
        comma = false;
        buffer[size++] = (byte) bracket;
    }

    private void end(char bracket, boolean object) {
        if (depth == 0 || inObject != object || named) {
            throw new IllegalStateException("no place for " + bracket);
        }
        depth--;
        inObject = depth > 0 && (objects[(depth - 1) / Long.SIZE] & 1L << (depth - 1)) != 0;
        comma = true;
        ensure(1);
        buffer[size++] = (byte) bracket;
    }

    /** Writes a member's name. */
    public void name(String name) {
        beforeName(name.length() + 3);
        quoted(name);
        ensure(1);
        buffer[size++] = ':';
    }

    /** Writes a precomputed member name: copies a few bytes. */
    public void name(Names names, int index) {
        byte[] member = names.member(index);
        beforeName(member.length);
        System.arraycopy(member, 0, buffer, size, member.length);
        size += member.length;
    }

    private void beforeName(int space) {
        if (!inObject || named) {
            throw new IllegalStateException("no place for a name");
        }
        ensure(space + 1);
        if (comma) {
            buffer[size++] = ',';
        }
        named = true;
    }

    /** Checks that a value is allowed here, reserves space and writes the comma. */
    private void beforeValue(int space) {
        ensure(space + 1);
        if (named) {
            named = false;
        } else if (inObject) {
            throw new IllegalStateException("a member needs a name");
        } else if (comma) {
            if (depth == 0) {
                throw new IllegalStateException("a second value");
            }
            buffer[size++] = ',';
        }
        comma = true;
    }

    /** Writes a string. */
    public void string(String value) {
        beforeValue(1);
        quoted(value);
    }

    /** Writes a precomputed string: copies a few bytes. */
    public void string(Names names, int index) {
        byte[] member = names.member(index);
        int length = member.length - 1;
        beforeValue(length);
        System.arraycopy(member, 0, buffer, size, length);
        size += length;
    }

    /** Writes an integer. */
    public void int64(long value) {
        beforeValue(20);
        digits(value);
    }

    private void digits(long value) {
        // The range of negative numbers is larger by one.
        long rest = value < 0 ? value : -value;
        if (value < 0) {
            buffer[size++] = '-';
        }
        int start = size;
        do {
            buffer[size++] = (byte) ('0' - rest % 10);
            rest /= 10;
        } while (rest != 0);
        for (int low = start, high = size - 1; low < high; low++, high--) {
            byte digit = buffer[low];
            buffer[low] = buffer[high];
            buffer[high] = digit;
        }
    }

    /**
     * Writes a number; an integer is written without a fraction.
     *
     * @throws IllegalArgumentException if it is infinite or not a number, which JSON cannot express
     */
    public void number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("JSON has no " + value);
        }
        if (value == Math.rint(value) && Math.abs(value) < MAX_WHOLE && (value != 0 || 1 / value > 0)) {
            int64((long) value);
        } else {
            literal(Double.toString(value));
        }
    }

    /** Writes a boolean. */
    public void bool(boolean value) {
        literal(value ? "true" : "false");
    }

    /** Writes null. */
    public void nullValue() {
        literal("null");
    }

    /** Writes ASCII text that is one JSON value. */
    void literal(String value) {
        int length = value.length();
        beforeValue(length);
        for (int i = 0; i < length; i++) {
            buffer[size++] = (byte) value.charAt(i);
        }
    }

    /** Writes a value unchanged, but on one line: line breaks, which can only occur between tokens, are omitted. */
    public void raw(RawJson value) {
        beforeValue(value.length());
        byte[] bytes = value.bytes();
        int pos = value.from();
        while (pos < value.to()) {
            int end = value.isKnownToBeOneLine() ? value.to() : RawJson.lineBreak(bytes, pos, value.to());
            System.arraycopy(bytes, pos, buffer, size, end - pos);
            size += end - pos;
            pos = end + 1;
        }
    }

    /** Returns the number of bytes written. */
    public int size() {
        return size;
    }

    /** Returns a copy of the bytes written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(buffer, size);
    }

    /**
     * Returns a copy of the value written.
     *
     * @throws IllegalStateException if it is not complete
     */
    public RawJson toRawJson() {
        checkComplete();
        return new RawJson(toByteArray(), 0, size, true);
    }

    /**
     * Returns the value written, sharing the writer's array: the writer must not be used afterwards.
     *
     * @throws IllegalStateException if it is not complete
     */
    public RawJson takeRawJson() {
        checkComplete();
        return new RawJson(buffer, 0, size, true);
    }

    /** Returns the writer's array; it is valid up to {@link #size}, and until the next call of another method. */
    public byte[] buffer() {
        return buffer;
    }

    private void checkComplete() {
        if (depth > 0 || size == 0) {
            throw new IllegalStateException("the value is not complete");
        }
    }

    static byte[] member(String name) {
        JsonWriter out = new JsonWriter(name.length() + 3);
        out.quoted(name);
        out.ensure(1);
        out.buffer[out.size++] = ':';
        return out.toByteArray();
    }

    /**
     * Space is reserved for each character as one byte, and the quotes; a longer encoding reserves more for the rest.
     */
    private void quoted(String value) {
        int length = value.length();
        if (length >= WIDE_STRING) {
            WideStrings.write(value, this);
            return;
        }
        ensure(length + 2);
        buffer[size++] = '"';
        int i = plain(value, 0);
        while (i < length) {
            ensure(6 + length - i);
            i = plain(value, special(value, i));
        }
        buffer[size++] = '"';
    }

    /** Writes the characters from {@code at} that are one byte each without escape; returns the index of the next. */
    private int plain(String value, int at) {
        byte[] out = buffer;
        int pos = size;
        int i = at;
        for (; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c >= 0x80 || c == '"' || c == '\\') {
                break;
            }
            out[pos++] = (byte) c;
        }
        size = pos;
        return i;
    }

    /**
     * Writes a character that needs an escape or several bytes, and following characters of two or three bytes, while
     * there is space. Returns the index of the next.
     */
    int special(String value, int at) {
        char c = value.charAt(at);
        if (Character.isHighSurrogate(c) && at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1))) {
            size = JsonStrings.put(Character.toCodePoint(c, value.charAt(at + 1)), buffer, size);
            return beyondAscii(value, at + 2);
        }
        if (mustEscape(c)) {
            escape(c);
        } else {
            size = JsonStrings.put(c, buffer, size);
        }
        return beyondAscii(value, at + 1);
    }

    /**
     * Writes the characters from {@code at} that take two or three bytes, while there is space, and returns the index
     * of the next.
     */
    private int beyondAscii(String value, int at) {
        byte[] out = buffer;
        int pos = size;
        int i = at;
        for (; i < value.length() && out.length - pos >= 6 + value.length() - i; i++) {
            char c = value.charAt(i);
            if (mustEscape(c)) {
                break;
            }
            pos = JsonStrings.put(c, out, pos);
        }
        size = pos;
        return i;
    }

    /** Some line readers treat U+0085, U+2028 and U+2029 as line ends. */
    private static boolean mustEscape(char c) {
        return c < 0x80 || c == 0x85 || c == 0x2028 || c == 0x2029 || Character.isSurrogate(c);
    }

    private void escape(char c) {
        buffer[size++] = '\\';
        byte shortForm = shortForm(c);
        if (shortForm != 0) {
            buffer[size++] = shortForm;
            return;
        }
        buffer[size++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
            buffer[size++] = HEX[c >> shift & 15];
        }
    }

    static byte shortForm(char c) {
        return switch (c) {
            case '"', '\\' -> (byte) c;
            case '\n' -> 'n';
            case '\r' -> 'r';
            case '\t' -> 't';
            case '\b' -> 'b';
            case '\f' -> 'f';
            default -> 0;
        };
    }

    /** Reserves space for this number of additional bytes. */
    void ensure(int space) {
        if (buffer.length - size < space) {
            grow(space);
        }
    }

    private void grow(int space) {
        long needed = (long) size + space;
        if (needed > Integer.MAX_VALUE - 8) {
            throw new IllegalStateException("more than 2 GiB of JSON");
        }
        // Little follows a large value: the ends of the enclosing objects, for which 64 bytes suffice.
        long room = Math.max(needed + 64, buffer.length < LARGE_BUFFER ? 2L * buffer.length : buffer.length * 5L / 4);
        buffer = Arrays.copyOf(buffer, (int) Math.min(Integer.MAX_VALUE - 8, room));
    }
}
