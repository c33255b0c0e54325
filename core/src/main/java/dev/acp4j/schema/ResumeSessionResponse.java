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
 * Confirms that the session has been resumed.
 *
 * @param modes the available modes, or null if there are none
 * @param configOptions its settings, most important first
 * @param availableCommands the commands that the user can enter, in version 2
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#resuming-a-session">Resuming a session</a>
 */
@Codable
public record ResumeSessionResponse(
        @In(1) @DefaultOnError @Nullable SessionModeState modes,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<SessionConfigOption> configOptions,

        @Unstable @In(2) @OptionalMember @DefaultOnError @SkipInvalidItems
        List<AvailableCommand> availableCommands,

        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public ResumeSessionResponse {
        configOptions = List.copyOf(configOptions);
        availableCommands = List.copyOf(availableCommands);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of a response. */
    public static ResumeSessionResponseBuilder builder() {
        return new ResumeSessionResponseBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ResumeSessionResponseBuilder toBuilder() {
        return new ResumeSessionResponseBuilder(this);
    }
}
