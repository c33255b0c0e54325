package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The presence of something in capabilities that has no settings: supported if present.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record Supported(Rest rest) implements Extensible {
    public Supported {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the mark. */
    public static Supported of() {
        return new Supported(Rest.NONE);
    }
}
