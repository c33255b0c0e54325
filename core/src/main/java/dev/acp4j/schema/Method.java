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
    private final Codec<P> params;
    private final @Nullable Codec<R> result;

    private Method(String name, Side side, Codec<P> params, @Nullable Codec<R> result) {
        this.name = Objects.requireNonNull(name, "name");
        this.side = Objects.requireNonNull(side, "side");
        this.params = Objects.requireNonNull(params, "params");
        this.result = result;
    }

    /** Returns a method that is answered. */
    public static <P, R> Method<P, R> request(String name, Side side, Codec<P> params, Codec<R> result) {
        return new Method<>(name, side, params, Objects.requireNonNull(result, "result"));
    }

    /** Returns a method that is not answered. */
    public static <P> Method<P, Void> notification(String name, Side side, Codec<P> params) {
        return new Method<>(name, side, params, null);
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
        return result == null;
    }

    /** Returns how the parameters are read and written. */
    public Codec<P> params() {
        return params;
    }

    /**
     * Returns how the result is read and written.
     *
     * @throws IllegalStateException if this is a notification
     */
    public Codec<R> result() {
        if (result == null) {
            throw new IllegalStateException(name + " is a notification: it has no result");
        }
        return result;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
