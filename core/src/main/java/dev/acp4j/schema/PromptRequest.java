package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.List;
import java.util.Objects;

/**
 * Gives a session something to do, and so begins a turn. The turn ends with the answer.
 *
 * @param sessionId the session
 * @param prompt what the user says; {@link PromptCapabilities} tells which sorts of blocks the agent takes
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#1-user-message">User message</a>
 */
@Codable
public record PromptRequest(SessionId sessionId, List<ContentBlock> prompt, Rest rest) implements Extensible {
    @Evolving
    public PromptRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        prompt = List.copyOf(prompt);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static PromptRequest of(SessionId sessionId, List<ContentBlock> prompt) {
        return new PromptRequest(sessionId, prompt, Rest.NONE);
    }

    /** Returns a prompt that is text. */
    public static PromptRequest of(SessionId sessionId, String text) {
        return new PromptRequest(sessionId, List.of(ContentBlock.text(text)), Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public PromptRequest withMeta(Meta meta) {
        return new PromptRequest(sessionId, prompt, rest.withMeta(meta));
    }
}
