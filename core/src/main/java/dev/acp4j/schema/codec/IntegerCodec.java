package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** An integer of 32 bits, within bounds. */
public final class IntegerCodec implements Codec<Integer> {
    public static final IntegerCodec INSTANCE = new IntegerCodec(Integer.MIN_VALUE, Integer.MAX_VALUE);

    private final long min;
    private final long max;

    private IntegerCodec(long min, long max) {
        this.min = min;
        this.max = max;
    }

    /** Returns the codec for the integers from {@code min} to {@code max}, both included. */
    public static IntegerCodec between(long min, long max) {
        return new IntegerCodec(min, max);
    }

    @Override
    public Integer decode(JsonReader in) {
        long start = in.mark();
        int value = in.int32();
        if (value < min || value > max) {
            in.rewind(start);
            throw in.mismatch("an integer from " + min + " to " + max);
        }
        return value;
    }

    @Override
    public void encode(Integer value, JsonWriter out) {
        out.int64(value);
    }
}
