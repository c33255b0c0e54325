package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;

/**
 * The modes of a session. In newer agents, settings of category {@link SessionConfigOptionCategory#MODE} replace them.
 *
 * @param currentModeId the current mode
 * @param availableModes the available modes
 * @param rest extension data and unknown members
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

    /** Returns a copy with other extension data. */
    public SessionModeState withMeta(Meta meta) {
        return new SessionModeState(currentModeId, availableModes, rest.withMeta(meta));
    }
}
