package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A method of the protocol: its name, the side that handles it, and the codecs of its parameters and its result.
 *
 * @param <P> the parameters
 * @param <R> the result; {@link Void} for a notification
 */
public final class Method<P, R> {
    /** The side that handles a method. */
    public enum Side {
        /** The agent, for calls of the client. */
        AGENT,
        /** The client, for calls of the agent. */
        CLIENT,
        /** Either of the two. */
        BOTH
    }

    /** The codecs of a catalogue, which the annotation processor writes. */
    interface Table {
        /** Returns the codec of the parameters of a method. */
        Codec<?> params(int row, Version version);

        /** Returns the codec of the result of a method. */
        Codec<?> result(int row, Version version);
    }

    /** The codecs of one extension method. */
    private record Own(Codec<?> paramsCodec, @Nullable Codec<?> resultCodec) implements Table {
        @Override
        public Codec<?> params(int row, Version version) {
            return paramsCodec;
        }

        @Override
        public Codec<?> result(int row, Version version) {
            return Objects.requireNonNull(resultCodec, "result");
        }
    }

    /** The codecs of one extension request with types that the versions write differently. */
    private record OwnByVersion(
            Function<Version, ? extends Codec<?>> paramsCodec, Function<Version, ? extends Codec<?>> resultCodec)
            implements Table {
        @Override
        public Codec<?> params(int row, Version version) {
            return paramsCodec.apply(version);
        }

        @Override
        public Codec<?> result(int row, Version version) {
            return resultCodec.apply(version);
        }
    }

    private final Table table;
    private final int row;
    private final String name;
    private final Side side;
    private final boolean notification;
    private final String capability;
    private final String capabilityV2;

    private Method(
            Table table,
            int row,
            String name,
            Side side,
            boolean notification,
            String capability,
            String capabilityV2) {
        this.table = table;
        this.row = row;
        this.name = Objects.requireNonNull(name, "name is null");
        this.side = Objects.requireNonNull(side, "side is null");
        this.notification = notification;
        this.capability = capability;
        this.capabilityV2 = capabilityV2;
    }

    /** Returns a request method of a catalogue. */
    static <P, R> Method<P, R> request(
            Table table, int row, String name, Side side, String capability, String capabilityV2) {
        return new Method<>(table, row, name, side, false, capability, capabilityV2);
    }

    /** Returns a notification method of a catalogue. */
    static <P> Method<P, Void> notification(Table table, int row, String name, Side side) {
        return new Method<>(table, row, name, side, true, "", "");
    }

    /**
     * Returns the stable method of a version with this name; empty if the version has none. Drafts are not found: they
     * may have several methods of one name, one for each side.
     */
    public static Optional<Method<?, ?>> find(String name, Version version) {
        return Optional.ofNullable((version == Version.V2 ? Catalogue.V2 : Catalogue.V1).get(name));
    }

    /** Created at the first lookup of a method by name. */
    private static final class Catalogue {
        private static final Map<String, Method<?, ?>> V1 = byName(Version.V1);
        private static final Map<String, Method<?, ?>> V2 = byName(Version.V2);

        private static Map<String, Method<?, ?>> byName(Version version) {
            Map<String, Method<?, ?>> methods = new HashMap<>();
            for (List<Method<?, ?>> catalogue :
                    List.of(AgentMethods.all(version), ClientMethods.all(version), ProtocolMethods.all(version))) {
                for (Method<?, ?> method : catalogue) {
                    methods.put(method.name(), method);
                }
            }
            return methods;
        }
    }

    /** Returns a request method. */
    public static <P, R> Method<P, R> request(String name, Side side, Codec<P> params, Codec<R> result) {
        Objects.requireNonNull(params, "params is null");
        Objects.requireNonNull(result, "result is null");
        return request(new Own(params, result), 0, name, side, "", "");
    }

    /**
     * Returns a request method with types that the versions of the protocol write differently.
     *
     * @param params returns the codec of the parameters in a version
     * @param result returns the codec of the result in a version
     */
    public static <P, R> Method<P, R> request(
            String name, Side side, Function<Version, Codec<P>> params, Function<Version, Codec<R>> result) {
        Objects.requireNonNull(params, "params is null");
        Objects.requireNonNull(result, "result is null");
        return request(new OwnByVersion(params, result), 0, name, side, "", "");
    }

    /** Returns a notification method. */
    public static <P> Method<P, Void> notification(String name, Side side, Codec<P> params) {
        Objects.requireNonNull(params, "params is null");
        return notification(new Own(params, null), 0, name, side);
    }

    /** Returns an extension request, with parameters and result as raw JSON. Its name begins with {@code _}. */
    public static Method<RawJson, RawJson> rawRequest(String name, Side side) {
        return request(name, side, RawJson.CODEC, RawJson.CODEC);
    }

    /** Returns an extension notification, with parameters as raw JSON. Its name begins with {@code _}. */
    public static Method<RawJson, Void> rawNotification(String name, Side side) {
        return notification(name, side, RawJson.CODEC);
    }

    /** Returns the name on the wire. */
    public String name() {
        return name;
    }

    /** Returns the side that handles the method. */
    public Side side() {
        return side;
    }

    /** Returns whether the method is a notification. */
    public boolean isNotification() {
        return notification;
    }

    /**
     * Returns the capability that the method requires, such as {@code sessionCapabilities.delete}; empty if it requires
     * none, or if the version lacks the method.
     */
    public String capability(Version version) {
        return version == Version.V2 ? capabilityV2 : capability;
    }

    /** Returns the codec of the parameters, in version 1 if it has the method. */
    public Codec<P> params() {
        return params(Version.V1);
    }

    /** Returns the codec of the parameters in a version that has the method. */
    @SuppressWarnings("unchecked") // the test of the catalogue compares the types with the codecs
    public Codec<P> params(Version version) {
        return (Codec<P>) table.params(row, version);
    }

    /**
     * Returns the codec of the result, in version 1 if it has the method.
     *
     * @throws IllegalStateException if this is a notification
     */
    public Codec<R> result() {
        return result(Version.V1);
    }

    /**
     * Returns the codec of the result in a version that has the method.
     *
     * @throws IllegalStateException if this is a notification
     */
    @SuppressWarnings("unchecked") // the test of the catalogue compares the types with the codecs
    public Codec<R> result(Version version) {
        if (notification) {
            throw new IllegalStateException(name + " is a notification: it has no result");
        }
        return (Codec<R>) table.result(row, version);
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
