package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the session is in that mode.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#setting-the-current-mode">Setting the current
 *     mode</a>
 */
@Codable
public record SetSessionModeResponse(Meta meta) {
    @Evolving
    public SetSessionModeResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static SetSessionModeResponse of() {
        return new SetSessionModeResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SetSessionModeResponse withMeta(Meta meta) {
        return new SetSessionModeResponse(meta);
    }
}
