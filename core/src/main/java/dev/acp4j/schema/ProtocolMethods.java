package dev.acp4j.schema;

import java.util.List;

/**
 * The methods that either side handles.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/cancellation">Cancellation</a>
 */
@Methods
public final class ProtocolMethods {
    /** Cancels a request. The request is still answered, possibly with an error. */
    public static final Method<CancelRequestNotification, Void> CANCEL_REQUEST =
            notification(ProtocolMethodsTable.CANCEL_REQUEST, "$/cancel_request");

    private ProtocolMethods() {}

    private static <P> Method<P, Void> notification(int row, String name) {
        return Method.notification(ProtocolMethodsTable.INSTANCE, row, name, Method.Side.BOTH);
    }

    /** Returns the methods of version 1, in declaration order. */
    public static List<Method<?, ?>> all() {
        return all(Version.V1);
    }

    /** Returns the methods of a version, in declaration order. */
    public static List<Method<?, ?>> all(Version version) {
        return ProtocolMethodsTable.all(version);
    }
}
