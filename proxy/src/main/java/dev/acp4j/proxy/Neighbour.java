package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The client or the agent, as a proxy sees it: for messages of the proxy's own. What it sends keeps its place among
 * what passes; answers to its requests come to it alone. Proxies between the two intercept these messages as any
 * others, but for those that open, prompt and end sessions. It stands for the connection, or for the chain of a
 * {@link Conductor} as long as it runs, also when the components of that are changed, and may be the key of what is
 * kept for that. All methods may be called from any thread.
 */
@Unstable
public final class Neighbour {
    private final Neighbours all;
    private final Interceptions first;
    private final Method.Side side;
    private final Part part;
    private final int number;

    /**
     * Takes what is known.
     *
     * @param first the link on which the proxy stands
     * @param part the proxy that sees it
     * @param number on how many links before this it stands, too
     */
    Neighbour(Neighbours all, Interceptions first, Method.Side side, Part part, int number) {
        this.all = all;
        this.first = first;
        this.side = side;
        this.part = part;
        this.number = number;
    }

    /** Returns the link on which the proxy stands now, for a session: a chain may have been changed. */
    private Interceptions link(String session) {
        return all.link(first, part, number, session);
    }

    private Version version() {
        return link("").version();
    }

    /**
     * Returns whether this side has offered a method when it was initialized, or the method needs no capability; false
     * before the initialization for one that does.
     */
    public boolean offers(Method<?, ?> method) {
        return link("").offers(method, side, "");
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
        RawJson result = ask(method.name(), RawJson.encode(params, method.params(version())));
        try {
            return decode(result, method.result(version()));
        } catch (JsonException e) {
            throw new MalformedMessageException(method + ": " + e.messageWithoutValue(), result, null);
        }
    }

    private static <R> R decode(RawJson result, Codec<R> codec) {
        try {
            return result.decode(codec, "result");
        } catch (JsonException e) {
            if (!result.equals(RawJson.NULL)) {
                throw e;
            }
            // Where an object is expected, null stands for one whose members all have defaults.
            return RawJson.EMPTY_OBJECT.decode(codec, "result");
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
        Method.find(method, version())
                .filter(known -> known.side() == side)
                .ifPresent(known -> requireOffered(known, ""));
        return ask(method, params);
    }

    private RawJson ask(String method, RawJson params) throws InterruptedException {
        String session = session(params);
        Interceptions link = link(session);
        requireKnown(link, session);
        link.patience().waiting(true);
        try {
            return link.call(part, side, method, params);
        } finally {
            link.patience().waiting(false);
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
        send(method.name(), RawJson.encode(params, method.params(version())));
    }

    /**
     * Sends a notification with raw params.
     *
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public void send(String method, RawJson params) throws InterruptedException {
        Message notification = Message.notification(method, params);
        Interceptions link = link(notification.session());
        link.patience().waiting(true);
        try {
            link.send(part, side, notification);
        } finally {
            link.patience().waiting(false);
        }
    }

    private void requireOffered(Method<?, ?> method, String mode) {
        if (side == Method.Side.CLIENT && !link("").offers(method, side, mode)) {
            throw new IllegalStateException("the " + name() + " does not offer " + method.capability(version()) + mode
                    + ", which " + method + " needs");
        }
    }

    private void requireKnown(Interceptions link, String session) {
        Unannounced unannounced = link.unannounced();
        if (side == Method.Side.CLIENT && unannounced.isAny() && unannounced.contains(session)) {
            throw new IllegalStateException("the client does not know the session " + session
                    + " yet: ask when the interceptor of the request that opens it has returned");
        }
    }

    private static String session(RawJson params) {
        return Message.notification("", params).session();
    }

    private String name() {
        return side.name().toLowerCase(Locale.ROOT);
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

    /** Returns whether this is the same side of the same connection, or of the same chain, for all proxies on it. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Neighbour neighbour && all.equals(neighbour.all) && side == neighbour.side;
    }

    @Override
    public int hashCode() {
        return 31 * all.hashCode() + side.hashCode();
    }
}
