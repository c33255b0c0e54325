package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a member with a codec of its own, in one version or in all. */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface CodedBy {
    /**
     * Returns the codec for all versions, which has a constant {@code INSTANCE}; {@code void} for the default codec.
     */
    Class<?> value() default void.class;

    /** Returns the codec for version 1, which has a constant {@code INSTANCE}; {@code void} for the default codec. */
    Class<?> v1() default void.class;

    /** Returns the codec for version 2, which has a constant {@code INSTANCE}; {@code void} for the default codec. */
    Class<?> v2() default void.class;
}
