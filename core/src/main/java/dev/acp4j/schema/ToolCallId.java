package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names one call of a tool, unique within its session. The agent chooses it.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#creating">Tool calls</a>
 */
@StringValue
public record ToolCallId(String value) {
    public ToolCallId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static ToolCallId of(String value) {
        return new ToolCallId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ToolCallId that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
