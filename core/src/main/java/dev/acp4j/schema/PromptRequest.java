package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Sends a prompt to a session and starts a turn. The response ends the turn.
 *
 * @param sessionId the session
 * @param prompt the message of the user; {@link PromptCapabilities} gives the types of blocks that the agent accepts
 * @param rest extension data and unknown members
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

    /** Returns a prompt that consists of text. */
    public static PromptRequest of(SessionId sessionId, String text) {
        return new PromptRequest(sessionId, List.of(ContentBlock.text(text)), Rest.NONE);
    }

    /** Returns a copy with blocks appended. */
    public PromptRequest append(ContentBlock... more) {
        List<ContentBlock> all = new ArrayList<>(prompt);
        Collections.addAll(all, more);
        return new PromptRequest(sessionId, all, rest);
    }

    /** Returns a copy with other extension data. */
    public PromptRequest withMeta(Meta meta) {
        return new PromptRequest(sessionId, prompt, rest.withMeta(meta));
    }
}
