package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names one of the values that a setting can have. The agent chooses it.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#configoptionvalue">Values of an
 *     option</a>
 */
@StringValue
public record SessionConfigValueId(String value) {
    public SessionConfigValueId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static SessionConfigValueId of(String value) {
        return new SessionConfigValueId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionConfigValueId that && value.equals(that.value);
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
