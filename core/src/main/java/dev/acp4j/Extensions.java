package dev.acp4j;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Handlers by method name: for methods of extensions, and for methods of the protocol in the place of what the library
 * does. Immutable once a connection uses it.
 */
final class Extensions<C extends Peer> {
    private record Request<C extends Peer, P, R>(Method<P, R> method, Peer.RequestHandler<? super C, P, R> handler) {
        Handler.Task task(C peer, IncomingRequest request) {
            return Requests.task(
                    method, peer.version(), request, handler, (given, params) -> given.handle(peer, params));
        }
    }

    private record Notification<C extends Peer, P>(
            Method<P, ?> method, Peer.NotificationHandler<? super C, P> handler) {
        void handle(C peer, @Nullable RawJson params) throws Exception {
            handler.handle(peer, Requests.decode(method, peer.version(), params));
        }
    }

    /** Takes all methods of extensions, those that begin with an underscore, that have no handler of their own. */
    interface Others<C extends Peer> {
        RawJson answer(C peer, String method, @Nullable RawJson params) throws Exception;

        void take(C peer, String method, @Nullable RawJson params) throws Exception;
    }

    private final Map<String, Request<C, ?, ?>> requests = new HashMap<>();
    private final Map<String, Notification<C, ?>> notifications = new HashMap<>();

    private final Method.Side side;
    private @Nullable Others<C> others;

    /** @param side the side that the handlers are on */
    Extensions(Method.Side side) {
        this.side = side;
    }

    Extensions(Extensions<C> other) {
        side = other.side;
        others = other.others;
        requests.putAll(other.requests);
        notifications.putAll(other.notifications);
    }

    <P, R> void on(Method<P, R> method, Peer.RequestHandler<? super C, P, R> handler) {
        requireOurs(method.name());
        if (requests.putIfAbsent(method.name(), new Request<>(method, handler)) != null) {
            throw new IllegalArgumentException(method.name() + " has a handler already");
        }
    }

    <P> void onNotification(Method<P, ?> method, Peer.NotificationHandler<? super C, P> handler) {
        requireOurs(method.name());
        if (notifications.putIfAbsent(method.name(), new Notification<>(method, handler)) != null) {
            throw new IllegalArgumentException(method.name() + " has a handler already");
        }
    }

    void others(Others<C> handler) {
        others = handler;
    }

    private @Nullable Others<C> others(String method) {
        return method.startsWith("_") ? others : null;
    }

    private void requireOurs(String method) {
        if (method.equals("initialize") || method.startsWith("$/")) {
            throw new IllegalArgumentException(
                    method + " is the connection's own: use an interceptor to see or change it");
        }
        for (Version version : Version.values()) {
            // Without a lambda, which would be made at each start.
            Method<?, ?> theirs = Method.find(method, version).orElse(null);
            if (theirs != null && theirs.side() != Method.Side.BOTH && theirs.side() != side) {
                throw new IllegalArgumentException(
                        method + " is handled by the " + theirs.side().name().toLowerCase(Locale.ROOT) + ", not by the "
                                + side.name().toLowerCase(Locale.ROOT));
            }
        }
    }

    /** Refuses to advertise by name what the library advertises by itself. */
    static void requireUnknown(
            String capability, Codec<? extends Extensible> first, Codec<? extends Extensible> second) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name(capability);
        out.beginObject();
        out.endObject();
        out.endObject();
        RawJson alone = out.toRawJson();
        for (Codec<? extends Extensible> codec : List.of(first, second)) {
            if (alone.decode(codec, "capabilities").rest().get(capability).isEmpty()) {
                throw new IllegalArgumentException(
                        capability + " is a capability of the protocol: its handler advertises it");
            }
        }
    }

    /** Whether any request has a handler. */
    boolean handlesAny() {
        return !requests.isEmpty();
    }

    /** Whether a request of this method has a handler. */
    boolean handles(String method) {
        return requests.containsKey(method);
    }

    /** Whether a notification of this method has a handler. */
    boolean receives(String method) {
        return notifications.containsKey(method);
    }

    /** Makes the interceptor of a connection with a peer. */
    @FunctionalInterface
    interface Interception {
        Interceptor with(Peer peer);
    }

    static List<Interceptor> of(List<Interception> interceptions, Peer peer) {
        List<Interceptor> all = new ArrayList<>(interceptions.size());
        for (Interception interception : interceptions) {
            all.add(interception.with(peer));
        }
        return all;
    }

    /** Returns what changes the params of a method, in the version of the protocol that the connection speaks. */
    static <P> Interception changing(Method<P, ?> method, UnaryOperator<P> change) {
        Set<Version> versions = versionsOf(method.name());
        return peer -> (message, next) -> {
            RawJson params = message.params();
            Version version = peer.version();
            if (params == null || !message.method().equals(method.name()) || !versions.contains(version)) {
                next.pass(message);
                return;
            }
            Codec<P> codec = method.params(version);
            next.pass(message.withParams(RawJson.encode(change.apply(params.decode(codec, "params")), codec)));
        };
    }

    /** Returns the versions that have a method; a method of an extension is in each. */
    private static Set<Version> versionsOf(String method) {
        Set<Version> versions = EnumSet.allOf(Version.class);
        versions.removeIf(version -> Method.find(method, version).isEmpty());
        return versions.isEmpty() ? EnumSet.allOf(Version.class) : versions;
    }

    Handler.Task task(C peer, IncomingRequest request) {
        Request<C, ?, ?> entry = requests.get(request.method());
        if (entry != null) {
            return entry.task(peer, request);
        }
        Others<C> rest = others(request.method());
        if (rest == null) {
            throw RpcError.methodNotFound(request.method());
        }
        RawJson params = request.takeParams();
        return () -> rest.answer(peer, request.method(), params);
    }

    /** Returns false when nobody handles the method. */
    boolean handle(C peer, String method, @Nullable RawJson params) throws Exception {
        Notification<C, ?> entry = notifications.get(method);
        Others<C> rest = others(method);
        if (entry != null) {
            entry.handle(peer, params);
        } else if (rest != null) {
            rest.take(peer, method, params);
        }
        return entry != null || rest != null;
    }

    /** Reports a notification that nobody handled. Those that begin with {@code $/} are for the connection. */
    static void reportUnless(boolean handled, String method, Consumer<Problem> onProblem) {
        if (!handled && !method.startsWith("$/")) {
            onProblem.accept(new Problem(
                    Problem.Kind.UNHANDLED_NOTIFICATION, "nobody handles the notification " + method, null));
        }
    }

    /** A method of which only the name is known. */
    static Method<RawJson, RawJson> raw(String method) {
        return Method.rawRequest(method, Method.Side.BOTH);
    }
}
