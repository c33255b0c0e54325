package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names a mode that a session can be in, such as {@code ask} or {@code code}. The agent chooses it.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes">Session modes</a>
 */
@StringValue
public record SessionModeId(String value) {
    public SessionModeId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static SessionModeId of(String value) {
        return new SessionModeId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionModeId that && value.equals(that.value);
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
