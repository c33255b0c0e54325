package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import java.util.Objects;

/**
 * Resumes an earlier session without a replay of its conversation. Only for agents with
 * {@link SessionCapabilities#resume()}.
 *
 * @param sessionId the session
 * @param cwd the directory it works in, an absolute path, the same as before
 * @param additionalDirectories all additional directories it may work in from now on, absolute paths; earlier ones are
 *     not restored
 * @param mcpServers MCP servers for the agent to connect to
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions">Resuming sessions</a>
 */
@Codable
public record ResumeSessionRequest(
        SessionId sessionId,
        String cwd,
        @OptionalMember List<String> additionalDirectories,
        @OptionalMember List<McpServer> mcpServers,
        Rest rest)
        implements Extensible {
    @Evolving
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
