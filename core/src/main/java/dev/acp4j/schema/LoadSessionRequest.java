package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Loads an earlier session. The agent sends the whole conversation as session updates, and responds after the last of
 * them. Only for agents with {@link AgentCapabilities#loadSession()}.
 *
 * @param sessionId the session
 * @param cwd the directory it works in, an absolute path, the same as before
 * @param mcpServers MCP servers for the agent to connect to, possibly none
 * @param additionalDirectories all additional directories it may work in from now on, absolute paths; earlier ones are
 *     not restored
 * @param systemPrompt instructions for the agent, or null for its own; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions">Loading sessions</a>
 */
@Codable
public record LoadSessionRequest(
        SessionId sessionId,
        String cwd,
        List<McpServer> mcpServers,
        @OptionalMember List<String> additionalDirectories,
        @Unstable @Draft @Nullable SystemPrompt systemPrompt,
        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public LoadSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(cwd, "cwd is null");
        mcpServers = List.copyOf(mcpServers);
        additionalDirectories = List.copyOf(additionalDirectories);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static LoadSessionRequestBuilder builder(SessionId sessionId, String cwd, List<McpServer> mcpServers) {
        return new LoadSessionRequestBuilder(sessionId, cwd, mcpServers);
    }

    /** Returns a builder initialized from this record. */
    public LoadSessionRequestBuilder toBuilder() {
        return new LoadSessionRequestBuilder(this);
    }
}
