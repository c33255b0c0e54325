package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A method of the protocol: its name, who handles it, and how its parameters and its result are read and written.
 *
 * @param <P> the parameters
 * @param <R> the result; {@link Void} for a notification
 */
public final class Method<P, R> {
    /** Who handles a method. */
    public enum Side {
        /** The agent, for calls of the client. */
        AGENT,
        /** The client, for calls of the agent. */
        CLIENT,
        /** Either of the two. */
        BOTH
    }

    private final String name;
    private final Side side;
    private final boolean notification;

    // Null until asked for, in a method of the catalogues. Two threads may both look them up; they find the same.
    private @Nullable Codec<P> params;
    private @Nullable Codec<R> result;

    private Method(String name, Side side, boolean notification, @Nullable Codec<P> params, @Nullable Codec<R> result) {
        this.name = Objects.requireNonNull(name, "name is null");
        this.side = Objects.requireNonNull(side, "side is null");
        this.notification = notification;
        this.params = params;
        this.result = result;
    }

    /** Returns a method of the catalogues that is answered. Its codecs stand in {@link MethodCodecs}. */
    static <P, R> Method<P, R> known(String name, Side side) {
        return new Method<>(name, side, false, null, null);
    }

    /** Returns a method of the catalogues that is not answered. Its codec stands in {@link MethodCodecs}. */
    static <P> Method<P, Void> knownNotification(String name, Side side) {
        return new Method<>(name, side, true, null, null);
    }

    /** Returns a method that is answered. */
    public static <P, R> Method<P, R> request(String name, Side side, Codec<P> params, Codec<R> result) {
        return new Method<>(
                name,
                side,
                false,
                Objects.requireNonNull(params, "params is null"),
                Objects.requireNonNull(result, "result is null"));
    }

    /** Returns a method that is not answered. */
    public static <P> Method<P, Void> notification(String name, Side side, Codec<P> params) {
        return new Method<>(name, side, true, Objects.requireNonNull(params, "params is null"), null);
    }

    /**
     * Returns an extension method that is answered, with parameters and result as raw JSON. Its name begins with
     * {@code _}.
     */
    public static Method<RawJson, RawJson> rawRequest(String name, Side side) {
        return request(name, side, RawJson.CODEC, RawJson.CODEC);
    }

    /**
     * Returns an extension method that is not answered, with parameters as raw JSON. Its name begins with {@code _}.
     */
    public static Method<RawJson, Void> rawNotification(String name, Side side) {
        return notification(name, side, RawJson.CODEC);
    }

    /** Returns the name on the wire. */
    public String name() {
        return name;
    }

    /** Returns who handles the method. */
    public Side side() {
        return side;
    }

    /** Returns whether the method is never answered. */
    public boolean isNotification() {
        return notification;
    }

    /** Returns how the parameters are read and written. */
    @SuppressWarnings("unchecked") // the catalogue's test holds the types against the codecs
    public Codec<P> params() {
        Codec<P> codec = params;
        if (codec == null) {
            codec = (Codec<P>) MethodCodecs.params(name);
            params = codec;
        }
        return codec;
    }

    /**
     * Returns how the result is read and written.
     *
     * @throws IllegalStateException if this is a notification
     */
    @SuppressWarnings("unchecked") // the catalogue's test holds the types against the codecs
    public Codec<R> result() {
        if (notification) {
            throw new IllegalStateException(name + " is a notification: it has no result");
        }
        Codec<R> codec = result;
        if (codec == null) {
            codec = (Codec<R>) MethodCodecs.result(name);
            result = codec;
        }
        return codec;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
