package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import java.util.Objects;

/**
 * Asks the agent to go on with a session of earlier, without sending its conversation again. Only for agents with
 * {@link SessionCapabilities#resume()}.
 *
 * @param sessionId the session
 * @param cwd the directory it works in, an absolute path, the same as before
 * @param additionalDirectories all other directories it may work in from now on, absolute paths; those of earlier do
 *     not come back by themselves
 * @param mcpServers MCP servers the agent is to connect to
 * @param rest extension data, and members that are not known here
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

    /** Starts a request with the members it must have. */
    public static ResumeSessionRequestBuilder builder(SessionId sessionId, String cwd) {
        return new ResumeSessionRequestBuilder(sessionId, cwd);
    }

    /** Returns a builder that starts from this. */
    public ResumeSessionRequestBuilder toBuilder() {
        return new ResumeSessionRequestBuilder(this);
    }
}
