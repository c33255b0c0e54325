package dev.acp4j.schema;

import java.util.List;

/**
 * The methods that either side handles.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/cancellation">Cancellation</a>
 */
public final class ProtocolMethods {
    /** Says that the answer to a request is no longer wanted. It is answered all the same, perhaps with an error. */
    public static final Method<CancelRequestNotification, Void> CANCEL_REQUEST =
            Method.knownNotification("$/cancel_request", Method.Side.BOTH);

    private static final List<Method<?, ?>> ALL = List.of(CANCEL_REQUEST);

    private ProtocolMethods() {}

    /** Returns the methods above, in that order. */
    public static List<Method<?, ?>> all() {
        return ALL;
    }
}
