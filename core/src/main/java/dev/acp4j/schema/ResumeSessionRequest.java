package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Resumes an earlier session. In version 1 the conversation is not replayed, and the request is only for agents with
 * {@link SessionCapabilities#resume()}; in version 2 all agents answer it.
 *
 * @param sessionId the session
 * @param cwd the directory it works in, an absolute path, the same as before
 * @param additionalDirectories all additional directories it may work in from now on, absolute paths; earlier ones are
 *     not restored
 * @param mcpServers MCP servers for the agent to connect to
 * @param replayFrom where the replay of the conversation begins, in version 2; null for none
 * @param systemPrompt instructions for the agent, or null for its own; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions">Resuming sessions</a>
 */
@Codable
public record ResumeSessionRequest(
        SessionId sessionId,
        String cwd,
        @OptionalMember List<String> additionalDirectories,
        @OptionalMember List<McpServer> mcpServers,
        @Unstable @In(2) @Nullable ReplayFrom replayFrom,
        @Unstable @Draft @Nullable SystemPrompt systemPrompt,
        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public ResumeSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(cwd, "cwd is null");
        additionalDirectories = List.copyOf(additionalDirectories);
        mcpServers = List.copyOf(mcpServers);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ResumeSessionRequestBuilder builder(SessionId sessionId, String cwd) {
        return new ResumeSessionRequestBuilder(sessionId, cwd);
    }

    /** Returns a builder initialized from this record. */
    public ResumeSessionRequestBuilder toBuilder() {
        return new ResumeSessionRequestBuilder(this);
    }
}
