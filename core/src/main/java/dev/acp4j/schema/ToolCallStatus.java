package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * How far a tool call has got.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#status">Status</a>
 */
public final class ToolCallStatus extends StringValue {
    /**
     * Not running yet: its input is still being written, or it waits for permission. A tool call starts like this
     * unless it says otherwise.
     */
    public static final ToolCallStatus PENDING = new ToolCallStatus("pending");

    /** Running. */
    public static final ToolCallStatus IN_PROGRESS = new ToolCallStatus("in_progress");

    /** Ended well. */
    public static final ToolCallStatus COMPLETED = new ToolCallStatus("completed");

    /** Ended with an error. */
    public static final ToolCallStatus FAILED = new ToolCallStatus("failed");

    /** Begun and not going on before something resumes it. */
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
        return ToolCallStatusCodec.known();
    }
}
