package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Returns the text of a file.
 *
 * @param content the text, or the requested lines
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system#reading-files">Reading files</a>
 */
@Codable
public record ReadTextFileResponse(String content, Rest rest) implements Extensible {
    @Evolving
    public ReadTextFileResponse {
        Objects.requireNonNull(content, "content is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static ReadTextFileResponse of(String content) {
        return new ReadTextFileResponse(content, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ReadTextFileResponse withMeta(Meta meta) {
        return new ReadTextFileResponse(content, rest.withMeta(meta));
    }
}
