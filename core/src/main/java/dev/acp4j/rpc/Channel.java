package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One conversation on a connection: its own messages, or those in envelopes, by which one connection carries the
 * messages of two. All methods may be called from any thread; they are those of {@link Connection}.
 */
public final class Channel {
    private final Connection connection;
    private final @Nullable String envelope;

    /**
     * Creates a channel.
     *
     * @param connection the connection
     * @param envelope the method of the envelopes, one of {@link Connection.Builder#envelopes}; null for the messages
     *     of the connection itself
     */
    public Channel(Connection connection, @Nullable String envelope) {
        this.connection = connection;
        this.envelope = envelope;
    }

    /** Returns the connection. */
    public Connection connection() {
        return connection;
    }

    /** Returns the method of the envelopes; empty if the channel has none. */
    public Optional<String> envelope() {
        return Optional.ofNullable(envelope);
    }

    /**
     * Sends a request; see {@link Connection#start}.
     *
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     */
    public <P> Call start(String method, @Nullable P params, Codec<P> codec, Call.@Nullable Listener listener)
            throws InterruptedException {
        return start(method, params, codec, null, listener);
    }

    /**
     * Sends a request with raw params, in an envelope with metadata; see {@link Connection#start}.
     *
     * @param meta an object; without effect when the channel has no envelopes
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     */
    public Call start(String method, RawJson params, @Nullable RawJson meta) throws InterruptedException {
        return start(method, params, RawJson.CODEC, meta, null);
    }

    private <P> Call start(
            String method,
            @Nullable P params,
            Codec<P> codec,
            @Nullable RawJson meta,
            Call.@Nullable Listener listener)
            throws InterruptedException {
        return envelope == null
                ? connection.start(method, params, codec, listener)
                : connection.start(new Call(
                        connection,
                        connection.checked(inEnvelope(method, params, codec, meta)),
                        listener,
                        false,
                        cancelEnvelope()));
    }

    private <P> Message inEnvelope(String method, @Nullable P params, Codec<P> codec, @Nullable RawJson meta) {
        return Message.inEnvelope(connection.nextId(), String.valueOf(envelope), method, params, codec, meta);
    }

    /**
     * Sends a notification; see {@link Connection#send(String, Object, Codec)}.
     *
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     */
    public <P> void send(String method, @Nullable P params, Codec<P> codec) throws InterruptedException {
        send(method, params, codec, null);
    }

    /**
     * Sends a notification with raw params, in an envelope with metadata.
     *
     * @param meta an object; without effect when the channel has no envelopes
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     */
    public void send(String method, RawJson params, @Nullable RawJson meta) throws InterruptedException {
        send(method, params, RawJson.CODEC, meta);
    }

    private <P> void send(String method, @Nullable P params, Codec<P> codec, @Nullable RawJson meta)
            throws InterruptedException {
        if (envelope == null) {
            connection.send(method, params, codec);
        } else {
            Message message = Message.inEnvelope(null, envelope, method, params, codec, meta);
            connection.put(method, connection.checked(message));
        }
    }

    /**
     * The envelope of cancellations. Envelopes that are an extension, as those of older conductors, carry them, too; in
     * others they are the connection's own.
     */
    private @Nullable String cancelEnvelope() {
        return envelope != null && envelope.startsWith("_") ? envelope : null;
    }

    /**
     * Returns a notification of another channel as it goes out here.
     *
     * @param meta the metadata of the envelope, if there is one; or null
     */
    Message outgoing(Message notification, @Nullable RawJson meta) {
        return connection.checked(notification.forwarded(null, envelope, meta));
    }

    /** Returns a request of another channel as it goes out here, not sent yet. */
    Call outgoing(Message request, Call.Listener listener) {
        Message message = request.forwarded(connection.nextId(), envelope);
        return new Call(connection, connection.checked(message), listener, true, cancelEnvelope());
    }

    /** Returns the same request with other params, and metadata of the envelope, not sent yet. */
    Call outgoing(String method, @Nullable RawJson params, @Nullable RawJson meta, Call.Listener listener) {
        Message message = envelope == null
                ? Message.request(connection.nextId(), method, params)
                : inEnvelope(method, params, RawJson.CODEC, meta);
        return new Call(connection, connection.checked(message), listener, true, cancelEnvelope());
    }
}
