package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;

/**
 * The modes of a session. Settings of category {@link SessionConfigOptionCategory#MODE} take their place in newer
 * agents.
 *
 * @param currentModeId the mode it is in
 * @param availableModes the modes it can be in
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#sessionmodestate">Session modes</a>
 */
@Codable
public record SessionModeState(
        SessionModeId currentModeId,
        @DefaultOnError @SkipInvalidItems List<SessionMode> availableModes,
        Rest rest) implements Extensible {
    @Evolving
    public SessionModeState {
        Objects.requireNonNull(currentModeId, "currentModeId is null");
        availableModes = List.copyOf(availableModes);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the session mode state with these members. */
    public static SessionModeState of(SessionModeId currentModeId, List<SessionMode> availableModes) {
        return new SessionModeState(currentModeId, availableModes, Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public SessionModeState withMeta(Meta meta) {
        return new SessionModeState(currentModeId, availableModes, rest.withMeta(meta));
    }
}
