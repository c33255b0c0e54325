package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names one message of a conversation, unique within its session. The agent chooses it, and what it looks like means
 * nothing.
 *
 * <p>Chunks with the same id are parts of one message; the first chunk with another id begins the next message.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#message-ids">Message IDs</a>
 */
@StringValue
public record MessageId(String value) {
    public MessageId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static MessageId of(String value) {
        return new MessageId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MessageId that && value.equals(that.value);
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
