package dev.acp4j.schema;

import java.util.List;
import java.util.Objects;

/**
 * The modes of a session. Settings of category {@link SessionConfigOptionCategory#MODE} take their place in newer
 * agents.
 *
 * @param currentModeId the mode it is in
 * @param availableModes the modes it can be in
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#sessionmodestate">Session modes</a>
 */
@Codable
public record SessionModeState(
        SessionModeId currentModeId,
        @DefaultOnError @SkipInvalidItems List<SessionMode> availableModes,
        Meta meta) {
    @Evolving
    public SessionModeState {
        Objects.requireNonNull(currentModeId, "currentModeId is null");
        availableModes = List.copyOf(availableModes);
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the session mode state with these members. */
    public static SessionModeState of(SessionModeId currentModeId, List<SessionMode> availableModes) {
        return new SessionModeState(currentModeId, availableModes, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SessionModeState withMeta(Meta meta) {
        return new SessionModeState(currentModeId, availableModes, meta);
    }
}
