package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the discriminator of a union. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
public @interface Tagged {
    /** Returns the JSON name of that member. */
    String value();

    /** Returns the variant of an object without that member; {@code void} if the member is required. */
    Class<?> untagged() default void.class;

    /** Returns the version in which that member may be absent, if not in all. */
    int untaggedIn() default 0;
}
