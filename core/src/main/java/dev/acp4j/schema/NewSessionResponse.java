package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says that the session is there, and how it begins.
 *
 * @param sessionId the session
 * @param modes the modes it can be in, or null when there are none; a client that knows {@code configOptions} prefers
 *     those
 * @param configOptions its settings, those that matter most first
 * @param availableCommands the commands that the user can give, in version 2
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session">Creating a session</a>
 */
@Codable
public record NewSessionResponse(
        SessionId sessionId,
        @In(1) @DefaultOnError @Nullable SessionModeState modes,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<SessionConfigOption> configOptions,

        @Unstable @In(2) @OptionalMember @DefaultOnError @SkipInvalidItems
        List<AvailableCommand> availableCommands,

        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public NewSessionResponse {
        Objects.requireNonNull(sessionId, "sessionId is null");
        configOptions = List.copyOf(configOptions);
        availableCommands = List.copyOf(availableCommands);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a response with the members it must have. */
    public static NewSessionResponseBuilder builder(SessionId sessionId) {
        return new NewSessionResponseBuilder(sessionId);
    }

    /** Returns a builder that starts from this. */
    public NewSessionResponseBuilder toBuilder() {
        return new NewSessionResponseBuilder(this);
    }
}
