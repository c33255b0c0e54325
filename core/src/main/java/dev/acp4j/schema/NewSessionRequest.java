package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Required;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Creates a new session.
 *
 * @param cwd the directory the session works in, an absolute path; relative paths are resolved against it
 * @param additionalDirectories additional directories the session may work in, absolute paths; only for agents with
 *     {@link SessionCapabilities#additionalDirectories()}
 * @param mcpServers MCP servers for the agent to connect to, possibly none
 * @param systemPrompt instructions for the agent, or null for its own; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session">Creating a session</a>
 */
@Codable
public record NewSessionRequest(
        String cwd,
        @OptionalMember List<String> additionalDirectories,
        @Required(1) List<McpServer> mcpServers,
        @Unstable @Draft @Nullable SystemPrompt systemPrompt,
        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public NewSessionRequest {
        Objects.requireNonNull(cwd, "cwd is null");
        additionalDirectories = List.copyOf(additionalDirectories);
        mcpServers = List.copyOf(mcpServers);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static NewSessionRequestBuilder builder(String cwd, List<McpServer> mcpServers) {
        return new NewSessionRequestBuilder(cwd, mcpServers);
    }

    /** Returns a builder initialized from this record. */
    public NewSessionRequestBuilder toBuilder() {
        return new NewSessionRequestBuilder(this);
    }
}
