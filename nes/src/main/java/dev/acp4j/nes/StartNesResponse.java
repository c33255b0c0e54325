package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;

/**
 * Confirms the start of a session of next edit suggestions.
 *
 * @param sessionId the id of the session, in all further messages
 * @param configOptions its settings, most important first
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record StartNesResponse(
        SessionId sessionId,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<SessionConfigOption> configOptions,
        Rest rest)
        implements Extensible {
    public StartNesResponse {
        Objects.requireNonNull(sessionId, "sessionId is null");
        configOptions = List.copyOf(configOptions);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static StartNesResponse of(SessionId sessionId, List<SessionConfigOption> configOptions) {
        return new StartNesResponse(sessionId, configOptions, Rest.NONE);
    }
}
