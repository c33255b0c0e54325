package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.StringCodec;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a message under {@code _meta}: an object whose keys are defined by the implementations. It is kept
 * unchanged, so that forwarding a message is lossless. Immutable; {@link #EMPTY} is no metadata.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/extensibility">Extensibility</a>
 */
public final class Meta {
    /** No metadata. */
    public static final Meta EMPTY = new Meta(RawJson.EMPTY_OBJECT, false);

    /**
     * An explicit {@code null}, which has no members. In {@link SessionUpdate.SessionInfoUpdate} it clears the
     * metadata, which an absent {@code _meta} keeps; elsewhere it means the same as {@link #EMPTY}.
     */
    public static final Meta NULL = new Meta(RawJson.EMPTY_OBJECT, true);

    /** The trace that a message belongs to, in the form of W3C Trace Context. */
    public static final Key<String> TRACEPARENT = Key.string("traceparent");

    /** Data of tracing systems in addition to {@link #TRACEPARENT}, in the form of W3C Trace Context. */
    public static final Key<String> TRACESTATE = Key.string("tracestate");

    /** Properties that travel along with a trace, in the form of W3C Baggage. */
    public static final Key<String> BAGGAGE = Key.string("baggage");

    private final RawJson raw;
    private final boolean isNull;

    private Meta(RawJson raw, boolean isNull) {
        this.raw = raw;
        this.isNull = isNull;
    }

    /**
     * Returns metadata with the members of this object.
     *
     * @throws IllegalArgumentException if {@code object} is not a JSON object
     */
    public static Meta of(RawJson object) {
        if (object.reader().kind() != JsonReader.Kind.OBJECT) {
            throw new IllegalArgumentException("_meta is an object, got " + object);
        }
        return isEmpty(object) ? EMPTY : new Meta(object, false);
    }

    /** Returns metadata with one member. */
    public static Meta of(String key, RawJson value) {
        return EMPTY.with(key, value);
    }

    /** Returns metadata with one member. */
    public static <T> Meta of(Key<T> key, T value) {
        return EMPTY.with(key, value);
    }

    private static boolean isEmpty(RawJson object) {
        JsonReader in = object.reader();
        in.beginObject();
        return !in.nextMember();
    }

    /** Returns whether there are no members. */
    public boolean isEmpty() {
        // of() makes an object without members EMPTY, so only EMPTY is that short.
        return raw.length() == RawJson.EMPTY_OBJECT.length();
    }

    /** Returns whether this is {@link #NULL}. */
    public boolean isNull() {
        return isNull;
    }

    /** Returns the object itself; an empty one for {@link #NULL}. */
    public RawJson raw() {
        return raw;
    }

    /** Returns the value of a member, which may be a JSON null; empty if there is no such member. */
    public Optional<RawJson> get(String key) {
        RawJson found = null;
        JsonReader in = raw.reader();
        in.beginObject();
        while (in.nextMember()) {
            if (in.name().equals(key)) {
                found = in.raw();
            } else {
                in.skip();
            }
        }
        return Optional.ofNullable(found);
    }

    /** Returns the value of a member; empty if there is no such member, or the key cannot read it. */
    public <T> Optional<T> get(Key<T> key) {
        RawJson value = get(key.name()).orElse(null);
        if (value == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(value.decode(key.codec, key.name()));
        } catch (JsonException e) {
            return Optional.empty();
        }
    }

    /** Returns these members with one set; an existing one keeps its position. */
    public Meta with(String key, RawJson value) {
        Objects.requireNonNull(value, "value");
        return rewrite(Objects.requireNonNull(key, "key"), value);
    }

    /** Returns these members with one set; an existing one keeps its position. */
    public <T> Meta with(Key<T> key, T value) {
        return with(key.name(), RawJson.encode(value, key.codec));
    }

    /** Returns these members without one. */
    public Meta without(String key) {
        return rewrite(key, null);
    }

    private Meta rewrite(String key, @Nullable RawJson value) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        boolean written = false;
        boolean any = false;
        JsonReader in = raw.reader();
        in.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            RawJson current = in.raw();
            if (!name.equals(key)) {
                out.name(name);
                out.raw(current);
                any = true;
            } else if (value != null && !written) {
                out.name(name);
                out.raw(value);
                written = true;
            }
        }
        if (value != null && !written) {
            out.name(key);
            out.raw(value);
        }
        out.endObject();
        return any || value != null ? new Meta(out.toRawJson(), false) : EMPTY;
    }

    /**
     * Returns this after a change, as version 2 of the protocol has it: a key of the change replaces the one of that
     * name, a null removes it, and other keys stay. {@link #NULL} removes all.
     */
    public Meta patchedBy(Meta change) {
        if (change.isNull()) {
            return EMPTY;
        }
        Meta patched = this;
        JsonReader in = change.raw().reader();
        in.beginObject();
        while (in.nextMember()) {
            String key = in.name();
            patched = in.tryNull() ? patched.without(key) : patched.with(key, in.raw());
        }
        return patched;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Meta meta && raw.equals(meta.raw) && isNull == meta.isNull;
    }

    @Override
    public int hashCode() {
        return raw.hashCode();
    }

    /** Returns the object, or null, as JSON. */
    @Override
    public String toString() {
        return isNull ? "null" : raw.toString();
    }

    /**
     * A typed member of the metadata.
     *
     * @param <T> the type of its value
     */
    public static final class Key<T> {
        private final String name;
        private final Codec<T> codec;

        private Key(String name, Codec<T> codec) {
            this.name = name;
            this.codec = codec;
        }

        /** Returns the key of this name, whose value is read and written by {@code codec}. */
        public static <T> Key<T> of(String name, Codec<T> codec) {
            return new Key<>(Objects.requireNonNull(name, "name"), Objects.requireNonNull(codec, "codec"));
        }

        /** Returns the key of this name, whose value is a string. */
        public static Key<String> string(String name) {
            return of(name, StringCodec.INSTANCE);
        }

        /** Returns the name of the member. */
        public String name() {
            return name;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
