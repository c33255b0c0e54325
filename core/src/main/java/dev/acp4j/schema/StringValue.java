package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A string with a meaning of its own: an id, or one of a set of strings. A set is open, so each of its types takes
 * values that are none of its constants, which come back as they came; {@code known()} lists the constants.
 *
 * <p>A {@code switch} goes over {@link #value()}. The language demands a {@code default} of it, which is where values
 * go that later versions of the protocol add.
 *
 * <p>A subclass has a {@code static} method {@code of(String)}, which the generated codec calls; its public constants
 * of its own type are what reading gives for their values.
 */
public abstract class StringValue {
    private final String value;

    /** Holds a text. */
    protected StringValue(String value) {
        this.value = Objects.requireNonNull(value, "value is null");
    }

    /** Returns the text on the wire. */
    public final String value() {
        return value;
    }

    /** Returns whether the other value is of the same type and has the same text. */
    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof StringValue that && getClass() == that.getClass() && value.equals(that.value);
    }

    @Override
    public final int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public final String toString() {
        return value;
    }
}
