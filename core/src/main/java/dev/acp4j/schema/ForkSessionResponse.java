package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Confirms the new session, and gives its initial state.
 *
 * @param sessionId the new session
 * @param modes the available modes, or null if there are none
 * @param configOptions its settings, most important first
 * @param availableCommands the commands that the user can enter, in version 2
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/session-fork">Forking sessions</a>
 */
@Codable
@Draft
@Unstable
public record ForkSessionResponse(
        SessionId sessionId,
        @In(1) @DefaultOnError @Nullable SessionModeState modes,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<SessionConfigOption> configOptions,

        @In(2) @OptionalMember @DefaultOnError @SkipInvalidItems
        List<AvailableCommand> availableCommands,

        Rest rest)
        implements Extensible {
    @Evolving
    public ForkSessionResponse {
        Objects.requireNonNull(sessionId, "sessionId is null");
        configOptions = List.copyOf(configOptions);
        availableCommands = List.copyOf(availableCommands);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ForkSessionResponseBuilder builder(SessionId sessionId) {
        return new ForkSessionResponseBuilder(sessionId);
    }

    /** Returns a builder initialized from this record. */
    public ForkSessionResponseBuilder toBuilder() {
        return new ForkSessionResponseBuilder(this);
    }
}
