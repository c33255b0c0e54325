package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names a way to authenticate that the agent offers. The client sends it back to choose that way.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#advertising-authentication">Advertising
 *     authentication</a>
 */
@StringValue
public record AuthMethodId(String value) {
    public AuthMethodId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static AuthMethodId of(String value) {
        return new AuthMethodId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AuthMethodId that && value.equals(that.value);
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
