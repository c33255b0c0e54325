package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Confirms that the agent has accepted the cancellation. A {@link ToolCallUpdate} reports the end of the call.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#cancelling-tool-calls">Cancelling tool calls</a>
 */
@Codable
@In(2)
@Unstable
public record CancelToolCallResponse(Rest rest) implements Extensible {
    @Evolving
    public CancelToolCallResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static CancelToolCallResponse of() {
        return new CancelToolCallResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CancelToolCallResponse withMeta(Meta meta) {
        return new CancelToolCallResponse(rest.withMeta(meta));
    }
}
