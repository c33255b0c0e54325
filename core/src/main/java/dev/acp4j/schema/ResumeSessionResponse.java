package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says that the session is ready to go on.
 *
 * @param modes the modes it can be in, or null when there are none
 * @param configOptions its settings, those that matter most first
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#resuming-a-session">Resuming a session</a>
 */
@Codable
public record ResumeSessionResponse(
        @DefaultOnError @Nullable SessionModeState modes,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<SessionConfigOption> configOptions,
        Rest rest)
        implements Extensible {
    @Evolving
    public ResumeSessionResponse {
        configOptions = List.copyOf(configOptions);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a response. */
    public static ResumeSessionResponseBuilder builder() {
        return new ResumeSessionResponseBuilder();
    }

    /** Returns a builder that starts from this. */
    public ResumeSessionResponseBuilder toBuilder() {
        return new ResumeSessionResponseBuilder(this);
    }
}
