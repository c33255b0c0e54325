package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One interceptor: which messages it is for, and what it needs.
 *
 * @param to the side to which the messages go
 * @param names the methods
 * @param method the method whose params it gets; null for raw ones
 * @param request intercepts requests, or null
 * @param notification intercepts notifications, or null
 * @param proxy the name of its proxy
 * @param isFilter whether what it fails at goes no further
 * @param states what its proxy keeps for sessions
 * @param patience how long it may take by itself
 * @param part the same for all of one proxy: what it says by itself passes those of others only
 */
record Entry(
        Method.Side to,
        Predicate<String> names,
        @Nullable Method<?, ?> method,
        Proxy.@Nullable RequestInterceptor<?, ?> request,
        Proxy.@Nullable NotificationInterceptor<?> notification,
        String proxy,
        boolean isFilter,
        List<SessionState<?>> states,
        Patience.Bounds patience,
        Object part) {

    static Entry request(Method.Side to, Method<?, ?> method, Proxy.RequestInterceptor<?, ?> interceptor) {
        return new Entry(
                to,
                method.name()::equals,
                method,
                Objects.requireNonNull(interceptor),
                null,
                "",
                false,
                List.of(),
                Patience.Bounds.NONE,
                Entry.class);
    }

    static Entry notification(Method.Side to, Method<?, ?> method, Proxy.NotificationInterceptor<?> interceptor) {
        return new Entry(
                to,
                method.name()::equals,
                method,
                null,
                Objects.requireNonNull(interceptor),
                "",
                false,
                List.of(),
                Patience.Bounds.NONE,
                Entry.class);
    }

    static Entry requests(
            Method.Side to, Predicate<String> names, Proxy.RequestInterceptor<RawJson, RawJson> interceptor) {
        return new Entry(
                one(to),
                names,
                null,
                Objects.requireNonNull(interceptor),
                null,
                "",
                false,
                List.of(),
                Patience.Bounds.NONE,
                Entry.class);
    }

    static Entry notifications(
            Method.Side to, Predicate<String> names, Proxy.NotificationInterceptor<RawJson> interceptor) {
        return new Entry(
                one(to),
                names,
                null,
                null,
                Objects.requireNonNull(interceptor),
                "",
                false,
                List.of(),
                Patience.Bounds.NONE,
                Entry.class);
    }

    private static Method.Side one(Method.Side to) {
        if (to == Method.Side.BOTH) {
            throw new IllegalArgumentException("messages go to the agent or to the client: call this once for each");
        }
        return to;
    }

    /** Returns the sides to which messages of a method go. */
    static Set<Method.Side> sides(Method<?, ?> method) {
        return method.side() == Method.Side.BOTH
                ? EnumSet.of(Method.Side.AGENT, Method.Side.CLIENT)
                : EnumSet.of(method.side());
    }

    Entry of(String owner, boolean filter, List<SessionState<?>> kept, Patience.Bounds bounds, Object whole) {
        return new Entry(to, names, method, request, notification, owner, filter, kept, bounds, whole);
    }

    /** Whether this is for a message, in some version. */
    boolean isFor(Method.Side side, boolean isRequest, String name) {
        return to == side && (request != null) == isRequest && names.test(name);
    }

    /** Whether a version has the method: of two methods with one name, each belongs to one version. */
    boolean exists(Version version) {
        if (method == null) {
            return true;
        }
        Method<?, ?> ofVersion = Method.find(method.name(), version).orElse(null);
        if (ofVersion != null) {
            return ofVersion.equals(method) || ofVersion.side() != method.side();
        }
        // A draft or an extension is found in no version, and what the other version has is no method of this one.
        return Method.find(method.name(), version == Version.V1 ? Version.V2 : Version.V1)
                .filter(method::equals)
                .isEmpty();
    }
}
