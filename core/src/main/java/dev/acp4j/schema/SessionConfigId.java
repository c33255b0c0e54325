package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names one setting of a session, such as its model. The agent chooses it.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
@StringValue
public record SessionConfigId(String value) {
    public SessionConfigId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static SessionConfigId of(String value) {
        return new SessionConfigId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionConfigId that && value.equals(that.value);
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
