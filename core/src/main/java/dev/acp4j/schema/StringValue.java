package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A typed string: an id, or one of a set of strings. Sets are open, so each type accepts values that are not among its
 * constants, and writes them unchanged; {@code known()} lists the constants.
 *
 * <p>Use {@code switch} on {@link #value()}. Its {@code default}, which the language requires, handles values added by
 * later versions of the protocol.
 *
 * <p>A subclass has a {@code static} method {@code of(String)}, which the generated codec calls; reading returns its
 * public constants of its own type for their values.
 */
public abstract class StringValue {
    private final String value;

    /** Creates a value with this text. */
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
