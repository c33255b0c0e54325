package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The client or the agent, as a proxy sees it: for messages of the proxy's own. What it sends keeps its place among
 * what passes; answers to its requests come to it alone. Proxies between the two intercept these messages as any
 * others, but for those that open, prompt and end sessions. All methods may be called from any thread.
 */
@Unstable
public final class Neighbour {
    private final Interceptions interceptions;
    private final Link.End end;
    private final Method.Side side;
    private final Object part;

    /** @param part the proxy that sees it */
    Neighbour(Interceptions interceptions, Link.End end, Method.Side side, Object part) {
        this.interceptions = interceptions;
        this.end = end;
        this.side = side;
        this.part = part;
    }

    /**
     * Calls a method and waits for the answer, for as long as that takes.
     *
     * @throws IllegalArgumentException when the method is a notification, or one of the other side
     * @throws InterruptedException when interrupted; the request is cancelled there
     * @throws dev.acp4j.rpc.RpcException when it is answered with an error, or will not be answered
     */
    public <P, R> R call(Method<P, R> method, P value) throws InterruptedException {
        require(method, false);
        List<Entry> beyond = interceptions.beyond(part, side, true, method.name());
        interceptions.patience().waiting(true);
        try {
            Codec<P> params = method.params(interceptions.version());
            if (beyond.isEmpty()) {
                Call call = channel().start(method.name(), value, params, null);
                return call.await(method.result(interceptions.version()), Duration.ZERO);
            }
            RawJson result = interceptions.call(beyond, request(method.name(), RawJson.encode(value, params)), end);
            return decode(method.name(), result, method.result(interceptions.version()));
        } finally {
            interceptions.patience().waiting(false);
        }
    }

    private static <R> R decode(String method, RawJson result, Codec<R> codec) {
        try {
            return (result.equals(RawJson.NULL) ? RawJson.EMPTY_OBJECT : result).decode(codec, "result");
        } catch (JsonException e) {
            throw new MalformedMessageException(method + ": " + e.messageWithoutValue(), result, null);
        }
    }

    private static Message request(String method, RawJson params) {
        return Message.request(RequestId.NULL, method, params);
    }

    /**
     * Calls a method with raw params and waits for the raw result, for as long as that takes.
     *
     * @throws InterruptedException when interrupted; the request is cancelled there
     * @throws dev.acp4j.rpc.RpcException when it is answered with an error, or will not be answered
     */
    public RawJson call(String method, RawJson params) throws InterruptedException {
        List<Entry> beyond = interceptions.beyond(part, side, true, method);
        interceptions.patience().waiting(true);
        try {
            return beyond.isEmpty()
                    ? channel().start(method, params, RawJson.CODEC, null).await(Duration.ZERO)
                    : interceptions.call(beyond, request(method, params), end);
        } finally {
            interceptions.patience().waiting(false);
        }
    }

    /**
     * Sends a notification.
     *
     * @throws IllegalArgumentException when the method is a request, or one of the other side
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public <P> void send(Method<P, Void> method, P params) throws InterruptedException {
        require(method, true);
        List<Entry> beyond = interceptions.beyond(part, side, false, method.name());
        Codec<P> codec = method.params(interceptions.version());
        if (beyond.isEmpty()) {
            channel().send(method.name(), params, codec);
        } else {
            interceptions.send(beyond, Message.notification(method.name(), params, codec), end);
        }
    }

    /** Returns the channel, waiting while the neighbour is started again. */
    private Channel channel() throws InterruptedException {
        return end.awaitChannel();
    }

    private void require(Method<?, ?> method, boolean isNotification) {
        if (method.isNotification() != isNotification) {
            throw new IllegalArgumentException(
                    method + (isNotification ? " is a request: call it" : " is a notification: send it"));
        }
        if (method.side() != Method.Side.BOTH && method.side() != side) {
            throw new IllegalArgumentException(
                    method + " is not handled by the " + side.name().toLowerCase(Locale.ROOT));
        }
    }
}
