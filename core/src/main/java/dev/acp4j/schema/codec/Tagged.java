package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the member that tells the variants of a union apart. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
public @interface Tagged {
    /** Returns the JSON name of that member. */
    String value();

    /** Returns the variant that an object without that member is; {@code void} when the member is required. */
    Class<?> untagged() default void.class;

    /** Returns the one version in which that member may be absent, if not in all. */
    int untaggedIn() default 0;
}
