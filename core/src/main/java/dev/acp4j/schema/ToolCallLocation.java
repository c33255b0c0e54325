package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that a tool works on, so that a client can follow the agent.
 *
 * @param path the file, an absolute path
 * @param line the line, counted from 1, or null for the file as a whole
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#following-the-agent">Following the agent</a>
 */
@Codable
@Rejecting
public record ToolCallLocation(
        String path,
        @DefaultOnError @Range(max = Range.UINT32) @Nullable Long line,
        Rest rest) implements Extensible {
    @Evolving
    public ToolCallLocation {
        Objects.requireNonNull(path, "path is null");
        Objects.requireNonNull(rest, "rest is null");
        Bounds.uint32("line", line);
    }

    /** Returns a builder with the required path. */
    public static ToolCallLocationBuilder builder(String path) {
        return new ToolCallLocationBuilder(path);
    }

    /** Returns a file as a whole. */
    public static ToolCallLocation of(String path) {
        return new ToolCallLocation(path, null, Rest.NONE);
    }

    /** Returns a line of a file, counted from 1. */
    public static ToolCallLocation of(String path, long line) {
        return new ToolCallLocation(path, line, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public ToolCallLocationBuilder toBuilder() {
        return new ToolCallLocationBuilder(this);
    }
}
