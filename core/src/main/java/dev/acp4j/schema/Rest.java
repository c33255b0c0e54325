package dev.acp4j.schema;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The members of an object that its record does not have: extension data under {@code _meta}, and members unknown to
 * this version of the library, in their order and unchanged. So reading and writing an object is lossless. Immutable;
 * {@link #NONE} is the instance without any.
 */
public final class Rest {
    /** No extension data, and no other members. */
    public static final Rest NONE = new Rest(Meta.EMPTY, List.of(), List.of());

    private static final Names META = Names.of("_meta");

    private final Meta meta;
    private final List<String> names;
    private final List<RawJson> values;

    private Rest(Meta meta, List<String> names, List<RawJson> values) {
        this.meta = meta;
        this.names = names;
        this.values = values;
    }

    /** Returns extension data without other members. */
    public static Rest of(Meta meta) {
        return NONE.withMeta(meta);
    }

    /** Returns an empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns whether there are neither extension data nor other members. */
    @SuppressWarnings("ReferenceEquality") // There is one empty instance, for this is asked of every object written.
    public boolean isEmpty() {
        return this == NONE;
    }

    /** Returns the extension data. */
    public Meta meta() {
        return meta;
    }

    /** Returns the same members with other extension data. */
    public Rest withMeta(Meta other) {
        Objects.requireNonNull(other, "meta");
        return other.isEmpty() && !other.isNull() && names.isEmpty() ? NONE : new Rest(other, names, values);
    }

    /** Returns the names of the unknown members, in their order. */
    public List<String> names() {
        return names;
    }

    /** Returns the value of an unknown member, the last one if it is duplicated. */
    public Optional<RawJson> get(String name) {
        int index = names.lastIndexOf(name);
        return index < 0 ? Optional.empty() : Optional.of(values.get(index));
    }

    /** Returns a copy with this member, in the place of one of that name. */
    public Rest with(String name, RawJson value) {
        Builder builder = new Builder().meta(meta);
        for (int i = 0; i < names.size(); i++) {
            if (!names.get(i).equals(name)) {
                builder.add(names.get(i), values.get(i));
            }
        }
        return builder.add(name, value).build();
    }

    /** Returns a copy without an unknown member. */
    public Rest without(String name) {
        Builder builder = new Builder().meta(meta);
        for (int i = 0; i < names.size(); i++) {
            if (!names.get(i).equals(name)) {
                builder.add(names.get(i), values.get(i));
            }
        }
        return builder.build();
    }

    /**
     * Writes the members into an open object.
     *
     * @param known names that are not written here, because they are written elsewhere
     */
    public void write(JsonWriter out, Names known) {
        if (isEmpty()) {
            return;
        }
        if (!meta.isEmpty()) {
            out.name(META, 0);
            out.raw(meta.raw());
        } else if (meta.isNull()) {
            out.name(META, 0);
            out.nullValue();
        }
        for (int i = 0; i < names.size(); i++) {
            if (known.indexOf(names.get(i)) == JsonReader.UNKNOWN) {
                out.name(names.get(i));
                out.raw(values.get(i));
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Rest rest
                && meta.equals(rest.meta)
                && names.equals(rest.names)
                && values.equals(rest.values);
    }

    @Override
    public int hashCode() {
        return Objects.hash(meta, names, values);
    }

    /** Returns the names of the members. Values are omitted, because they may be secrets. */
    @Override
    public String toString() {
        List<String> all = new ArrayList<>(names);
        if (!meta.isEmpty()) {
            all.addFirst("_meta");
        }
        return all.toString();
    }

    /** Collects members; for use by one thread. */
    public static final class Builder {
        private Meta meta = Meta.EMPTY;
        private final List<String> names = new ArrayList<>();
        private final List<RawJson> values = new ArrayList<>();

        private Builder() {}

        /** Sets the extension data. */
        public Builder meta(Meta value) {
            meta = Objects.requireNonNull(value, "meta");
            return this;
        }

        /** Adds a member. */
        public Builder add(String name, RawJson value) {
            names.add(Objects.requireNonNull(name, "name"));
            values.add(Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Returns the collected members. */
        public Rest build() {
            return names.isEmpty() ? of(meta) : new Rest(meta, List.copyOf(names), List.copyOf(values));
        }
    }
}
