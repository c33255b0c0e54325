package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Creates a session that begins with the conversation of another one. Only for agents with
 * {@link SessionCapabilities#fork()}.
 *
 * @param sessionId the session to begin with
 * @param cwd the directory the new session works in, an absolute path
 * @param additionalDirectories all additional directories it may work in, absolute paths
 * @param mcpServers MCP servers for the agent to connect to
 * @param systemPrompt instructions for the agent, or null for those of the other session or its own
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/session-fork">Forking sessions</a>
 */
@Codable
@Draft
@Unstable
public record ForkSessionRequest(
        SessionId sessionId,
        String cwd,
        @OptionalMember List<String> additionalDirectories,
        @OptionalMember List<McpServer> mcpServers,
        @Nullable SystemPrompt systemPrompt,
        Rest rest)
        implements Extensible {
    @Evolving
    public ForkSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(cwd, "cwd is null");
        additionalDirectories = List.copyOf(additionalDirectories);
        mcpServers = List.copyOf(mcpServers);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ForkSessionRequestBuilder builder(SessionId sessionId, String cwd) {
        return new ForkSessionRequestBuilder(sessionId, cwd);
    }

    /** Returns a builder initialized from this record. */
    public ForkSessionRequestBuilder toBuilder() {
        return new ForkSessionRequestBuilder(this);
    }
}
