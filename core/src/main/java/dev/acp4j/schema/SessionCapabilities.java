package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which methods an agent has for sessions, beside those all agents have. Whether it has {@code session/load} is told by
 * {@link AgentCapabilities#loadSession()}.
 *
 * @param list there when it has {@code session/list}, else null
 * @param delete there when it has {@code session/delete}, else null
 * @param additionalDirectories there when a session may work in more directories than one, else null
 * @param resume there when it has {@code session/resume}, else null
 * @param close there when it has {@code session/close}, else null
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#session-capabilities">Session
 *     capabilities</a>
 */
@Codable
public record SessionCapabilities(
        @DefaultOnError @Nullable SessionListCapabilities list,
        @DefaultOnError @Nullable SessionDeleteCapabilities delete,
        @DefaultOnError @Nullable SessionAdditionalDirectoriesCapabilities additionalDirectories,
        @DefaultOnError @Nullable SessionResumeCapabilities resume,
        @DefaultOnError @Nullable SessionCloseCapabilities close,
        Rest rest)
        implements Extensible {
    /** An agent that has none of them. */
    public static final SessionCapabilities NONE = new SessionCapabilities(null, null, null, null, null, Rest.NONE);

    @Evolving
    public SessionCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts capabilities that promise nothing. */
    public static SessionCapabilitiesBuilder builder() {
        return new SessionCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public SessionCapabilitiesBuilder toBuilder() {
        return new SessionCapabilitiesBuilder(this);
    }
}
