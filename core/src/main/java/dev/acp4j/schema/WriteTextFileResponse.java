package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the file has been written.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system#writing-files">Writing files</a>
 */
@Codable
public record WriteTextFileResponse(Rest rest) implements Extensible {
    @Evolving
    public WriteTextFileResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static WriteTextFileResponse of() {
        return new WriteTextFileResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public WriteTextFileResponse withMeta(Meta meta) {
        return new WriteTextFileResponse(rest.withMeta(meta));
    }
}
