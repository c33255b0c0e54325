package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Brings the text of a file.
 *
 * @param content the text, or the lines of it that were asked for
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public ReadTextFileResponse withMeta(Meta meta) {
        return new ReadTextFileResponse(content, rest.withMeta(meta));
    }
}
