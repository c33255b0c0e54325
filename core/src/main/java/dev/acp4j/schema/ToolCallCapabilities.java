package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of a client for a tool call.
 *
 * @param cancel present if the client may cancel it, else null
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record ToolCallCapabilities(@DefaultOnError @Nullable ToolCallCancelCapabilities cancel, Rest rest)
        implements Extensible {
    @Evolving
    public ToolCallCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ToolCallCapabilitiesBuilder builder() {
        return new ToolCallCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ToolCallCapabilitiesBuilder toBuilder() {
        return new ToolCallCapabilitiesBuilder(this);
    }
}
