package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a turn ended.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons">Stop reasons</a>
 */
@StringValue
public record StopReason(String value) {
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

    /** The values to switch over. */
    public enum Known {
        /** {@link StopReason#END_TURN}. */
        END_TURN,
        /** {@link StopReason#MAX_TOKENS}. */
        MAX_TOKENS,
        /** {@link StopReason#MAX_TURN_REQUESTS}. */
        MAX_TURN_REQUESTS,
        /** {@link StopReason#REFUSAL}. */
        REFUSAL,
        /** {@link StopReason#CANCELLED}. */
        CANCELLED,
        /** Any other value; {@link StopReason#value()} has it. */
        UNRECOGNIZED
    }

    public StopReason {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static StopReason of(String value) {
        return new StopReason(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "end_turn" -> Known.END_TURN;
            case "max_tokens" -> Known.MAX_TOKENS;
            case "max_turn_requests" -> Known.MAX_TURN_REQUESTS;
            case "refusal" -> Known.REFUSAL;
            case "cancelled" -> Known.CANCELLED;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StopReason that && value.equals(that.value);
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
