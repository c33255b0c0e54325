package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The client shows notices to its user.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#noticecapabilities">Notices</a>
 */
@Codable
public record NoticeCapabilities(Rest rest) implements Extensible {
    @Evolving
    public NoticeCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static NoticeCapabilities of() {
        return new NoticeCapabilities(Rest.NONE);
    }
}
