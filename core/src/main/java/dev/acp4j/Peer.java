package dev.acp4j;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a connection: its name and features, methods of extensions, and the end of the connection.
 * Thread-safe. The methods that return what the peer said in {@code initialize} throw {@link IllegalStateException}
 * before that, for example in a handler of an extension.
 */
public abstract sealed class Peer implements AutoCloseable permits ConnectedAgent, ConnectedClient {
    private volatile @Nullable Connection connection;
    private volatile @Nullable Message introduction;

    Peer() {}

    void joined(Connection value) {
        connection = value;
    }

    @Nullable
    Connection rpcOrNull() {
        return connection;
    }

    /** Returns the underlying JSON-RPC connection. */
    public Connection rpc() {
        return Objects.requireNonNull(connection, "the connection is not open yet");
    }

    /** Returns which side the peer is. */
    abstract Method.Side side();

    /** Returns how to speak with the peer; null before it has introduced itself. */
    abstract @Nullable Dialect dialectOrNull();

    /** The peer introduces itself. Called before its dialect is bound. */
    void introduced(@Nullable Message message) {
        introduction = message;
    }

    boolean isInitialized() {
        return dialectOrNull() != null;
    }

    /** Returns what is known since the peer has introduced itself. */
    final <T> T initialized(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the " + role() + " has not initialized the connection yet");
        }
        return value;
    }

    private String role() {
        return side() == Method.Side.AGENT ? "agent" : "client";
    }

    /** Returns the peer's name and version; a peer of version 1 may omit them. */
    public Optional<Implementation> info() {
        return initialized(dialectOrNull()).info();
    }

    /** Returns the negotiated protocol version. */
    public int protocolVersion() {
        return initialized(dialectOrNull()).version().number();
    }

    /** Returns the version of the protocol that methods are called in. */
    Version version() {
        Dialect bound = dialectOrNull();
        return bound == null ? Version.V1 : bound.version();
    }

    /** Returns whether the peer has advertised this feature; false for a feature of the other role. */
    public boolean supports(Feature feature) {
        return initialized(dialectOrNull()).supports(feature);
    }

    /**
     * Returns a capability that the peer has advertised and that no {@link Feature} stands for, such as one of an
     * extension; empty when it is absent or null.
     *
     * @param name the name of the member
     */
    public Optional<RawJson> capability(String name) {
        return initialized(dialectOrNull()).capabilities().get(name).filter(value -> !value.equals(RawJson.NULL));
    }

    /**
     * Returns the message with the peer's capabilities, unchanged: the request {@code initialize} of a client, or the
     * answer of an agent. It includes members that this library does not know.
     */
    public Message raw() {
        return initialized(introduction);
    }

    void require(boolean needed, Feature feature) {
        if (needed && !supports(feature)) {
            throw unsupported(feature, null);
        }
    }

    final UnsupportedException unsupported(Feature feature, @Nullable RpcError cause) {
        return new UnsupportedException(role(), feature, protocolVersion(), cause);
    }

    /** Returns the {@code _meta} that the peer sent when the connection was opened. */
    public Meta meta() {
        return initialized(dialectOrNull()).meta();
    }

    /**
     * Calls a method of the peer and waits for the answer, with the timeout
     * {@link dev.acp4j.rpc.Limits#requestTimeout()}.
     *
     * @param method a method of the catalogues, or one made with {@link Method}'s factories
     * @param params its params
     * @throws IllegalArgumentException when the method is not one of the peer, or is a notification
     * @throws InterruptedException when interrupted; the request is cancelled at the peer
     * @throws dev.acp4j.rpc.RpcException when the peer answers with an error, does not answer in time, or is gone
     */
    public <P, R> R call(Method<P, R> method, P params) throws InterruptedException {
        return call(method, params, rpc().limits().requestTimeout());
    }

    /**
     * Calls a method of the peer and waits for the answer.
     *
     * @param method as for {@link #call(Method, Object)}
     * @param params its params
     * @param timeout the timeout, not negative; zero means no timeout
     * @throws IllegalArgumentException when the method is not one of the peer, or is a notification
     * @throws InterruptedException when interrupted; the request is cancelled at the peer
     * @throws dev.acp4j.rpc.RpcException when the peer answers with an error, does not answer in time, or is gone
     */
    public <P, R> R call(Method<P, R> method, P params, Duration timeout) throws InterruptedException {
        requireTheirs(method, false);
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a time to wait must not be negative: " + timeout);
        }
        Call call = start(method.name(), params, method.params(version()), null);
        try {
            return call.await(method.result(version()), timeout);
        } catch (RpcError e) {
            throw explained(e);
        }
    }

    /** Sends a request; see {@link Connection#start}. */
    <P> Call start(String method, @Nullable P params, Codec<P> codec, Call.@Nullable Listener listener)
            throws InterruptedException {
        return rpc().start(method, params, codec, listener);
    }

    /** Receives an answer in the order of the wire; see {@link Call.Listener}. */
    interface Arrival<R> {
        Handler.@Nullable Delivery arrived(R response) throws InterruptedException;
    }

    <R> R call(Request<?, ?, R> request) throws InterruptedException {
        return call(request, rpc().limits().requestTimeout(), null);
    }

    /** Returns the error, or one that says more, which the peer answered. */
    RpcError explained(RpcError error) {
        return error;
    }

    <R> R call(Request<?, ?, R> request, Duration timeout, @Nullable Arrival<? super R> arrival)
            throws InterruptedException {
        Call call = request.start(this, arrival == null ? null : answered -> arrived(request, answered, arrival));
        try {
            RawJson unused = call.await(timeout);
            return request.result(call);
        } catch (RpcError e) {
            throw explained(e);
        }
    }

    private static <R> Handler.@Nullable Delivery arrived(
            Request<?, ?, R> request, Call answered, Arrival<? super R> arrival) throws InterruptedException {
        try {
            return arrival.arrived(request.result(answered));
        } catch (RpcException e) {
            // The caller gets it.
            return null;
        }
    }

    /**
     * Calls a method of an extension with raw params and waits for the answer.
     *
     * @return the raw result
     * @throws InterruptedException when interrupted; the request is cancelled at the peer
     * @throws dev.acp4j.rpc.RpcException when the peer answers with an error, does not answer in time, or is gone
     */
    public RawJson call(String method, @Nullable RawJson params) throws InterruptedException {
        return start(method, params, RawJson.CODEC, null).await();
    }

    /**
     * Sends a notification.
     *
     * @throws IllegalArgumentException when the notification is not one of the peer, or is a request
     * @throws InterruptedException when interrupted while waiting for room in the outgoing queue; nothing was sent
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public <P> void send(Method<P, ?> method, P params) throws InterruptedException {
        requireTheirs(method, true);
        rpc().send(method.name(), params, method.params(version()));
    }

    private void requireTheirs(Method<?, ?> method, boolean notification) {
        if (method.isNotification() != notification) {
            throw new IllegalArgumentException(
                    method + (notification ? " is a request: call it" : " is a notification: send it"));
        }
        if (method.side() != Method.Side.BOTH && method.side() != side()) {
            throw new IllegalArgumentException(method + " is not for the " + role());
        }
    }

    /**
     * Sends a notification of an extension with raw params.
     *
     * @throws InterruptedException when interrupted while waiting for room in the outgoing queue; nothing was sent
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    public void send(String method, @Nullable RawJson params) throws InterruptedException {
        rpc().send(method, params);
    }

    /** Returns true until either side begins to close the connection, or the connection fails. */
    public boolean isOpen() {
        return rpc().isOpen();
    }

    /**
     * Waits until the connection has ended.
     *
     * @throws InterruptedException when interrupted; the connection stays open
     */
    public void awaitClosed() throws InterruptedException {
        rpc().awaitClosed();
    }

    /** Closes the connection; see {@link Connection#close()}. */
    @Override
    public void close() {
        rpc().close();
    }

    /**
     * Answers a request of one method, usually an extension.
     *
     * @param <C> the peer that sends the request: a {@link ConnectedClient} asks agents, an {@link ConnectedAgent}
     *     clients
     * @param <P> its params
     * @param <R> its result
     */
    @FunctionalInterface
    public interface RequestHandler<C extends Peer, P, R> {
        /**
         * Returns the result. Runs on a thread of its own, which is interrupted when the peer cancels the request.
         *
         * @param peer the peer that sent the request
         * @param params the params
         * @throws Exception to fail the request, as for {@link Agent.PromptHandler#prompt}
         */
        R handle(C peer, P params) throws Exception;
    }

    /**
     * Takes a notification of one method, usually an extension.
     *
     * @param <C> who sends it: a {@link ConnectedClient} sends to agents, an {@link ConnectedAgent} to clients
     * @param <P> its params
     */
    @FunctionalInterface
    public interface NotificationHandler<C extends Peer, P> {
        /**
         * Handles the notification. Notifications of one session are handled one after another, in the order of the
         * wire.
         *
         * @param peer who sent it
         * @param params the params
         * @throws Exception is reported and changes nothing else
         */
        void handle(C peer, P params) throws Exception;
    }
}
