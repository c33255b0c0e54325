package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Says that the sessions of an agent may work in more directories than one.
 *
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public SessionAdditionalDirectoriesCapabilities withMeta(Meta meta) {
        return new SessionAdditionalDirectoriesCapabilities(rest.withMeta(meta));
    }
}
