package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests the text of a file from the client, including unsaved changes. Only for clients with
 * {@link FileSystemCapabilities#readTextFile()}.
 *
 * @param sessionId the session the agent reads for
 * @param path the file, an absolute path
 * @param line the first line to read, counted from 1, or null to read from the beginning
 * @param limit the maximum number of lines, or null to read to the end
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system#reading-files">Reading files</a>
 */
@Codable
@Rejecting
public record ReadTextFileRequest(
        SessionId sessionId,
        String path,
        @Range(max = Range.UINT32) @Nullable Long line,
        @Range(max = Range.UINT32) @Nullable Long limit,
        Rest rest)
        implements Extensible {
    @Evolving
    public ReadTextFileRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(path, "path is null");
        Objects.requireNonNull(rest, "rest is null");
        Bounds.uint32("line", line);
        Bounds.uint32("limit", limit);
    }

    /** Returns a builder of a request for a whole file. */
    public static ReadTextFileRequestBuilder builder(SessionId sessionId, String path) {
        return new ReadTextFileRequestBuilder(sessionId, path);
    }

    /** Returns a builder initialized from this record. */
    public ReadTextFileRequestBuilder toBuilder() {
        return new ReadTextFileRequestBuilder(this);
    }
}
