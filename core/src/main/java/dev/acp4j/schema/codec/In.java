package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What only one version of the protocol has: a member, a variant, a type, or a value of a string set. A member of
 * another version is not known to the codec and stays in {@link dev.acp4j.schema.Rest}; to write what a version lacks
 * is an error.
 */
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface In {
    /** Returns the version. */
    int value();
}
