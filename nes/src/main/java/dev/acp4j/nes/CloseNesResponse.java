package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that a session of next edit suggestions is closed.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record CloseNesResponse(Rest rest) implements Extensible {
    public CloseNesResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response. */
    public static CloseNesResponse of() {
        return new CloseNesResponse(Rest.NONE);
    }
}
