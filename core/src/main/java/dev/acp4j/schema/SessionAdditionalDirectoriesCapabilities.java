package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The sessions of the agent can work in several directories.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#additional-workspace-roots">Additional
 *     workspace roots</a>
 */
@Codable
public record SessionAdditionalDirectoriesCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionAdditionalDirectoriesCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionAdditionalDirectoriesCapabilities of() {
        return new SessionAdditionalDirectoriesCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionAdditionalDirectoriesCapabilities withMeta(Meta meta) {
        return new SessionAdditionalDirectoriesCapabilities(rest.withMeta(meta));
    }
}
