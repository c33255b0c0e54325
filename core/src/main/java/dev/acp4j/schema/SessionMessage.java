package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;

/**
 * Creates or updates a message between sessions. Absent members are kept.
 *
 * @param messageId the message, in the conversation of the session of this update
 * @param senderSessionId the session that sent it
 * @param recipientSessionId the session that receives it
 * @param senderMessageId the same message in the conversation of the sender
 * @param recipientMessageId the same message in the conversation of the recipient
 * @param content the whole content
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
 */
@Codable
@Tag("session_message")
@Draft
@Unstable
public record SessionMessage(
        MessageId messageId,
        @DefaultOnError Change<SessionId> senderSessionId,
        @DefaultOnError Change<SessionId> recipientSessionId,
        @DefaultOnError Change<MessageId> senderMessageId,
        @DefaultOnError Change<MessageId> recipientMessageId,
        @DefaultOnError @SkipInvalidItems Change<List<ContentBlock>> content,
        Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    public SessionMessage {
        Objects.requireNonNull(messageId, "messageId is null");
        Objects.requireNonNull(senderSessionId, "senderSessionId is null");
        Objects.requireNonNull(recipientSessionId, "recipientSessionId is null");
        Objects.requireNonNull(senderMessageId, "senderMessageId is null");
        Objects.requireNonNull(recipientMessageId, "recipientMessageId is null");
        content = Copies.of(content);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SessionMessageBuilder builder(MessageId messageId) {
        return new SessionMessageBuilder(messageId);
    }

    /** Returns a builder initialized from this record. */
    public SessionMessageBuilder toBuilder() {
        return new SessionMessageBuilder(this);
    }
}
