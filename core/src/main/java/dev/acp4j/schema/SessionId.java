package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names one conversation between a client and an agent. The agent chooses it when the session is created; everybody
 * else only passes it on.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#session-id">Session ID</a>
 */
@StringValue
public record SessionId(String value) {
    public SessionId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static SessionId of(String value) {
        return new SessionId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionId that && value.equals(that.value);
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
