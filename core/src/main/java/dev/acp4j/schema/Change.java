package dev.acp4j.schema;

import org.jspecify.annotations.Nullable;

/**
 * The change of one member in an update: keep it (the member was absent), clear it (it was null), or replace it.
 *
 * @param <T> the type of the member
 */
public sealed interface Change<T> {
    /**
     * Keeps the value.
     *
     * @param <T> the type of the member
     */
    record Keep<T>() implements Change<T> {
        private static final Keep<?> INSTANCE = new Keep<>();
    }

    /**
     * Removes the value.
     *
     * @param <T> the type of the member
     */
    record Clear<T>() implements Change<T> {
        private static final Clear<?> INSTANCE = new Clear<>();
    }

    /**
     * Replaces the value.
     *
     * @param <T> the type of the member
     * @param value the new value
     */
    record Replace<T>(T value) implements Change<T> {}

    /** Returns the change that keeps the value. */
    @SuppressWarnings("unchecked")
    static <T> Change<T> keep() {
        return (Change<T>) Keep.INSTANCE;
    }

    /** Returns the change that removes the value. */
    @SuppressWarnings("unchecked")
    static <T> Change<T> clear() {
        return (Change<T>) Clear.INSTANCE;
    }

    /** Returns the change that replaces the value by {@code value}. */
    static <T> Change<T> replace(T value) {
        return new Replace<>(value);
    }

    /** Returns whether this keeps the value. */
    default boolean isKeep() {
        return this instanceof Keep;
    }

    /** Returns the value after this change; null means no value. */
    default @Nullable T applyTo(@Nullable T current) {
        if (this instanceof Replace<T> replace) {
            return replace.value();
        }
        return isKeep() ? current : null;
    }

    /** Returns the value after this change; {@code empty} means no value. */
    default T applyTo(T current, T empty) {
        if (this instanceof Replace<T> replace) {
            return replace.value();
        }
        return isKeep() ? current : empty;
    }
}
