package dev.acp4j.schema;

/**
 * Identifies a message of a conversation, unique within its session. The agent chooses it; its form has no meaning.
 *
 * <p>Chunks with the same id are parts of one message; the first chunk with another id begins the next message.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#message-ids">Message IDs</a>
 */
public final class MessageId extends StringValue {
    private MessageId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static MessageId of(String value) {
        return new MessageId(value);
    }
}
