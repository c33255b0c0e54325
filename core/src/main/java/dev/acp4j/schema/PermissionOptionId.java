package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names one of the answers that a permission request offers. The agent chooses it.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#permission-options">Permission options</a>
 */
@StringValue
public record PermissionOptionId(String value) {
    public PermissionOptionId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static PermissionOptionId of(String value) {
        return new PermissionOptionId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PermissionOptionId that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
