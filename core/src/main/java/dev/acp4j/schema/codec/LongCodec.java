package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** An integer of 64 bits, within bounds. */
public final class LongCodec implements Codec<Long> {
    public static final LongCodec INSTANCE = new LongCodec(Long.MIN_VALUE, Long.MAX_VALUE);

    private final long min;
    private final long max;

    private LongCodec(long min, long max) {
        this.min = min;
        this.max = max;
    }

    /** Returns the codec for the integers from {@code min} to {@code max}, both included. */
    public static LongCodec between(long min, long max) {
        return new LongCodec(min, max);
    }

    @Override
    public Long decode(JsonReader in) {
        long start = in.mark();
        long value = in.int64();
        if (value < min || value > max) {
            in.rewind(start);
            throw in.mismatch("an integer from " + min + " to " + max);
        }
        return value;
    }

    @Override
    public void encode(Long value, JsonWriter out) {
        out.int64(value);
    }
}
