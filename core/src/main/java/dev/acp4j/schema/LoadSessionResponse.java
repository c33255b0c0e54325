package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Confirms that the session has been loaded and its whole conversation has been sent.
 *
 * @param modes the available modes, or null if there are none
 * @param configOptions its settings, most important first
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#loading-a-session">Loading a session</a>
 */
@Codable
public record LoadSessionResponse(
        @DefaultOnError @Nullable SessionModeState modes,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<SessionConfigOption> configOptions,
        Rest rest)
        implements Extensible {
    @Evolving
    public LoadSessionResponse {
        configOptions = List.copyOf(configOptions);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of a response. */
    public static LoadSessionResponseBuilder builder() {
        return new LoadSessionResponseBuilder();
    }

    /** Returns a builder initialized from this record. */
    public LoadSessionResponseBuilder toBuilder() {
        return new LoadSessionResponseBuilder(this);
    }
}
