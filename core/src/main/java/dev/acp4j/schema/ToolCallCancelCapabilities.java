package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The client may cancel the tool call.
 *
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record ToolCallCancelCapabilities(Rest rest) implements Extensible {
    @Evolving
    public ToolCallCancelCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static ToolCallCancelCapabilities of() {
        return new ToolCallCancelCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ToolCallCancelCapabilities withMeta(Meta meta) {
        return new ToolCallCancelCapabilities(rest.withMeta(meta));
    }
}
