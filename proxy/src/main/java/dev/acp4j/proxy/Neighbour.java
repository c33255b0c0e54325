package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.Locale;

/**
 * The client or the agent, as a proxy sees it: for messages of the proxy's own. What it sends keeps its place among
 * what passes; answers to its requests come to it alone. All methods may be called from any thread.
 */
@Unstable
public final class Neighbour {
    private final Interceptions interceptions;
    private final Link.End end;
    private final Method.Side side;

    Neighbour(Interceptions interceptions, Link.End end, Method.Side side) {
        this.interceptions = interceptions;
        this.end = end;
        this.side = side;
    }

    /**
     * Returns whether this side has offered a method when it was initialized, or the method needs no capability; false
     * before the initialization for one that does.
     */
    public boolean offers(Method<?, ?> method) {
        return interceptions.offers(method, side, "");
    }

    /**
     * Calls a method and waits for the answer, for as long as that takes.
     *
     * @throws IllegalArgumentException when the method is a notification, or one of the other side
     * @throws IllegalStateException when this is the client, and it does not {@linkplain #offers offer} the method, or
     *     does not know the session yet, because the answer that opens it is still with an interceptor; nothing was
     *     sent
     * @throws InterruptedException when interrupted; the request is cancelled there
     * @throws dev.acp4j.rpc.RpcException when it is answered with an error, or will not be answered
     */
    public <P, R> R call(Method<P, R> method, P params) throws InterruptedException {
        require(method, false);
        requireOffered(method, params instanceof CreateElicitationRequest.Url ? ".url" : "");
        if (interceptions.unannounced().isAny()) {
            requireKnown(RawJson.encode(params, method.params(interceptions.version())));
        }
        interceptions.patience().waiting(true);
        try {
            Call call = channel().start(method.name(), params, method.params(interceptions.version()), null);
            return call.await(method.result(interceptions.version()), Duration.ZERO);
        } finally {
            interceptions.patience().waiting(false);
        }
    }

    /**
     * Calls a method with raw params and waits for the raw result, for as long as that takes.
     *
     * @throws IllegalStateException when this is the client, and it does not {@linkplain #offers offer} the method, or
     *     does not know the session yet; nothing was sent
     * @throws InterruptedException when interrupted; the request is cancelled there
     * @throws dev.acp4j.rpc.RpcException when it is answered with an error, or will not be answered
     */
    public RawJson call(String method, RawJson params) throws InterruptedException {
        Method.find(method, interceptions.version())
                .filter(known -> known.side() == side)
                .ifPresent(known -> requireOffered(known, ""));
        requireKnown(params);
        interceptions.patience().waiting(true);
        try {
            return channel().start(method, params, RawJson.CODEC, null).await(Duration.ZERO);
        } finally {
            interceptions.patience().waiting(false);
        }
    }

    /**
     * Sends a notification. It goes out before this returns, in its place among what passes; but what names a session
     * of which the client does not know yet goes out right behind the answer that opens the session.
     *
     * @throws IllegalArgumentException when the method is a request, or one of the other side
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public <P> void send(Method<P, Void> method, P params) throws InterruptedException {
        require(method, true);
        Codec<P> codec = method.params(interceptions.version());
        Unannounced unannounced = interceptions.unannounced();
        boolean isDeferred = side == Method.Side.CLIENT
                && unannounced.isAny()
                && unannounced.defer(
                        session(RawJson.encode(params, codec)), () -> channel().send(method.name(), params, codec));
        if (!isDeferred) {
            channel().send(method.name(), params, codec);
        }
    }

    private void requireOffered(Method<?, ?> method, String mode) {
        if (side == Method.Side.CLIENT && !interceptions.offers(method, side, mode)) {
            throw new IllegalStateException("the " + name() + " does not offer "
                    + method.capability(interceptions.version()) + mode + ", which " + method + " needs");
        }
    }

    private void requireKnown(RawJson params) {
        Unannounced unannounced = interceptions.unannounced();
        if (side == Method.Side.CLIENT && unannounced.isAny() && unannounced.contains(session(params))) {
            throw new IllegalStateException("the client does not know the session " + session(params)
                    + " yet: ask when the interceptor of the request that opens it has returned");
        }
    }

    private static String session(RawJson params) {
        return Message.notification("", params).session();
    }

    private String name() {
        return side.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Sends a notification with raw params.
     *
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public void send(String method, RawJson params) throws InterruptedException {
        channel().send(method, params, RawJson.CODEC);
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
            throw new IllegalArgumentException(method + " is not handled by the " + name());
        }
    }
}
