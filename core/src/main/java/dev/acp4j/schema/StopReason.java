package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * The reason for the end of a turn.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons">Stop reasons</a>
 */
public final class StopReason extends StringValue {
    /** The model finished without requesting more tools. */
    public static final StopReason END_TURN = new StopReason("end_turn");

    /** The model reached its limit of output tokens. */
    public static final StopReason MAX_TOKENS = new StopReason("max_tokens");

    /** The turn reached the agent's limit of requests to the model. */
    public static final StopReason MAX_TURN_REQUESTS = new StopReason("max_turn_requests");

    /**
     * The agent refused to continue. The prompt and everything after it are excluded from the model's context, which
     * clients should show.
     */
    public static final StopReason REFUSAL = new StopReason("refusal");

    /** The client cancelled the turn. A cancelled turn always ends with this, never with an error. */
    public static final StopReason CANCELLED = new StopReason("cancelled");

    /** Something failed. */
    @In(2)
    public static final StopReason ERROR = new StopReason("error");

    private StopReason(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static StopReason of(String value) {
        return new StopReason(value);
    }

    /** Returns the constants. */
    public static List<StopReason> known() {
        return StringValueCodec.STOP_REASON.known();
    }
}
