package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Draft;
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

    /** Initializes a component as a proxy. Conductors send it instead of {@code initialize}. */
    @Draft
    @Unstable
    public static final Method<InitializeRequest, InitializeResponse> INITIALIZE_PROXY =
            request(ProtocolMethodsTable.INITIALIZE_PROXY, "proxy/initialize");

    /** Carries a request between a proxy and the next component. The result is that of the carried request. */
    @Draft
    @Unstable
    public static final Method<ProxySuccessorRequest, RawJson> PROXY_SUCCESSOR =
            request(ProtocolMethodsTable.PROXY_SUCCESSOR, "proxy/successor");

    /** Carries a notification between a proxy and the next component. */
    @Draft
    @Unstable
    public static final Method<ProxySuccessorNotification, Void> PROXY_SUCCESSOR_NOTIFICATION =
            notification(ProtocolMethodsTable.PROXY_SUCCESSOR_NOTIFICATION, "proxy/successor");

    private ProtocolMethods() {}

    private static <P, R> Method<P, R> request(int row, String name) {
        return Method.request(ProtocolMethodsTable.INSTANCE, row, name, Method.Side.BOTH, "", "");
    }

    private static <P> Method<P, Void> notification(int row, String name) {
        return Method.notification(ProtocolMethodsTable.INSTANCE, row, name, Method.Side.BOTH);
    }

    /** Returns the stable methods of version 1, in declaration order. */
    public static List<Method<?, ?>> all() {
        return all(Version.V1);
    }

    /** Returns the stable methods of a version, in declaration order. */
    public static List<Method<?, ?>> all(Version version) {
        return ProtocolMethodsTable.all(version);
    }

    /** Returns the methods that drafts of a version add, in declaration order. */
    @Unstable
    public static List<Method<?, ?>> drafts(Version version) {
        return ProtocolMethodsTable.drafts(version);
    }
}
