package dev.acp4j;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Method;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Handlers by method name, beside those that the protocol's own methods have. Immutable once a connection uses it. */
final class Extensions {
    private record Request<P, R>(Method<P, R> method, RequestHandler<P, R> handler) {
        Handler.Task task(IncomingRequest request) {
            P params = Extensions.decode(method, request.params());
            return () -> encode(method, handler.handle(params));
        }
    }

    private record Notification<P>(Method<P, ?> method, NotificationHandler<P> handler) {
        void handle(@Nullable RawJson params) throws Exception {
            handler.handle(decode(method, params));
        }
    }

    private final Map<String, Request<?, ?>> requests = new HashMap<>();
    private final Map<String, Notification<?>> notifications = new HashMap<>();

    Extensions() {}

    Extensions(Extensions other) {
        requests.putAll(other.requests);
        notifications.putAll(other.notifications);
    }

    <P, R> void on(Method<P, R> method, RequestHandler<P, R> handler) {
        refuseBuiltIn(method.name());
        if (requests.putIfAbsent(method.name(), new Request<>(method, handler)) != null) {
            throw new IllegalArgumentException(method.name() + " has a handler already");
        }
    }

    <P> void onNotification(Method<P, ?> method, NotificationHandler<P> handler) {
        refuseBuiltIn(method.name());
        if (notifications.putIfAbsent(method.name(), new Notification<>(method, handler)) != null) {
            throw new IllegalArgumentException(method.name() + " has a handler already");
        }
    }

    private static void refuseBuiltIn(String method) {
        if (Protocol.defines(method)) {
            throw new IllegalArgumentException(
                    method + " belongs to the protocol: use the builder's own method for it");
        }
    }

    Handler.Task task(IncomingRequest request) {
        Request<?, ?> entry = requests.get(request.method());
        if (entry == null) {
            throw RpcError.methodNotFound(request.method());
        }
        return entry.task(request);
    }

    /** Returns false when nobody handles the method. */
    boolean handle(String method, @Nullable RawJson params) throws Exception {
        Notification<?> entry = notifications.get(method);
        if (entry == null) {
            return false;
        }
        entry.handle(params);
        return true;
    }

    /** Decodes params; absent ones stand for an object without members. */
    static <P> P decode(Method<P, ?> method, @Nullable RawJson params) {
        try {
            return (params == null ? RawJson.EMPTY_OBJECT : params).decode(method.params(), "params");
        } catch (JsonException e) {
            // Without the value that was found: it may be a secret.
            throw RpcError.invalidParams(e.messageWithoutValue());
        }
    }

    static <R> RawJson encode(Method<?, R> method, R result) {
        JsonWriter out = new JsonWriter();
        method.result().encode(result, out);
        return RawJson.wrap(out.buffer(), 0, out.size());
    }

    /** A method of which only the name is known. */
    static Method<RawJson, RawJson> raw(String method) {
        return Method.rawRequest(method, Method.Side.BOTH);
    }
}
