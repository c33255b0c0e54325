package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * Why a turn ended.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons">Stop reasons</a>
 */
public final class StopReason extends StringValue {
    /** The model had finished and asked for no more tools. */
    public static final StopReason END_TURN = new StopReason("end_turn");

    /** The model reached the most tokens it may produce. */
    public static final StopReason MAX_TOKENS = new StopReason("max_tokens");

    /** The turn reached the most requests to the model that the agent allows. */
    public static final StopReason MAX_TURN_REQUESTS = new StopReason("max_turn_requests");

    /**
     * The agent refuses to go on. The prompt and all that followed it are left out of what the model sees next, which
     * clients should show.
     */
    public static final StopReason REFUSAL = new StopReason("refusal");

    /** The client cancelled the turn. A cancelled turn ends with this and never with an error. */
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
        return StopReasonCodec.known();
    }
}
