package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;

/**
 * A chunk of a message between sessions.
 *
 * @param messageId the message
 * @param content the appended content
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
 */
@Codable
@Tag("session_message_chunk")
@Draft
@Unstable
public record SessionMessageChunk(MessageId messageId, ContentBlock content, Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    public SessionMessageChunk {
        Objects.requireNonNull(messageId, "messageId is null");
        Objects.requireNonNull(content, "content is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the chunk with these members. */
    public static SessionMessageChunk of(MessageId messageId, ContentBlock content) {
        return new SessionMessageChunk(messageId, content, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionMessageChunk withMeta(Meta meta) {
        return new SessionMessageChunk(messageId, content, rest.withMeta(meta));
    }
}
