package dev.acp4j.nes;

import dev.acp4j.schema.StringValue;
import dev.acp4j.schema.Unstable;
import java.util.List;

/**
 * The reason why a suggestion was not accepted.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class RejectReason extends StringValue {
    /** The user dismissed it. */
    public static final RejectReason REJECTED = new RejectReason("rejected");

    /** It was shown, and the user went on with something else until it did not fit any more. */
    public static final RejectReason IGNORED = new RejectReason("ignored");

    /** A newer suggestion took its place. */
    public static final RejectReason REPLACED = new RejectReason("replaced");

    /** The request was cancelled before the agent answered. */
    public static final RejectReason CANCELLED = new RejectReason("cancelled");

    private RejectReason(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static RejectReason of(String value) {
        return new RejectReason(value);
    }

    /** Returns the constants. */
    public static List<RejectReason> known() {
        return StringValueCodec.REJECT_REASON.known();
    }
}
