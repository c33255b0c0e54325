package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Requests that the client replace the text of a file, or create the file. Only for clients with
 * {@link FileSystemCapabilities#writeTextFile()}.
 *
 * @param sessionId the session the agent writes for
 * @param path the file, an absolute path
 * @param content the whole text
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system#writing-files">Writing files</a>
 */
@Codable
public record WriteTextFileRequest(SessionId sessionId, String path, String content, Rest rest) implements Extensible {
    @Evolving
    public WriteTextFileRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(path, "path is null");
        Objects.requireNonNull(content, "content is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static WriteTextFileRequest of(SessionId sessionId, String path, String content) {
        return new WriteTextFileRequest(sessionId, path, content, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public WriteTextFileRequest withMeta(Meta meta) {
        return new WriteTextFileRequest(sessionId, path, content, rest.withMeta(meta));
    }
}
