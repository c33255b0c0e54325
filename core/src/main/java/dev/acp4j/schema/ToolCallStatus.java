package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * The status of a tool call.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#status">Status</a>
 */
public final class ToolCallStatus extends StringValue {
    /**
     * Not running yet: its input is still being generated, or it waits for permission. This is the default for a new
     * tool call.
     */
    public static final ToolCallStatus PENDING = new ToolCallStatus("pending");

    /** Running. */
    public static final ToolCallStatus IN_PROGRESS = new ToolCallStatus("in_progress");

    /** Completed successfully. */
    public static final ToolCallStatus COMPLETED = new ToolCallStatus("completed");

    /** Failed. */
    public static final ToolCallStatus FAILED = new ToolCallStatus("failed");

    /** Suspended until it is resumed. */
    @In(2)
    public static final ToolCallStatus PAUSED = new ToolCallStatus("paused");

    /** Cancelled before it ended. */
    @In(2)
    public static final ToolCallStatus CANCELLED = new ToolCallStatus("cancelled");

    private ToolCallStatus(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static ToolCallStatus of(String value) {
        return new ToolCallStatus(value);
    }

    /** Returns the constants. */
    public static List<ToolCallStatus> known() {
        return StringValueCodec.TOOL_CALL_STATUS.known();
    }
}
