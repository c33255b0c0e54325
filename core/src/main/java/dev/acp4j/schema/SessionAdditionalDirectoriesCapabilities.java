package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the sessions of an agent may work in more directories than one.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#additional-workspace-roots">Additional
 *     workspace roots</a>
 */
@Codable
public record SessionAdditionalDirectoriesCapabilities(Meta meta) {
    @Evolving
    public SessionAdditionalDirectoriesCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionAdditionalDirectoriesCapabilities of() {
        return new SessionAdditionalDirectoriesCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SessionAdditionalDirectoriesCapabilities withMeta(Meta meta) {
        return new SessionAdditionalDirectoriesCapabilities(meta);
    }
}
