package dev.acp4j.schema;

/**
 * Says that a client shows notices to its user.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#noticecapabilities">Notices</a>
 */
@Codable
public record NoticeCapabilities() {

    /** Returns the capabilities with these members. */
    public static NoticeCapabilities of() {
        return new NoticeCapabilities();
    }
}
