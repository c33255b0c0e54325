package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client can do with a tool call.
 *
 * @param cancel there when the client may cancel it, else null
 * @param rest extension data, and members that are not known here
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

    /** Starts one with the members it must have. */
    public static ToolCallCapabilitiesBuilder builder() {
        return new ToolCallCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public ToolCallCapabilitiesBuilder toBuilder() {
        return new ToolCallCapabilitiesBuilder(this);
    }
}
