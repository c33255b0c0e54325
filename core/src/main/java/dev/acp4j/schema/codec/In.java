package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an element that exists in one version of the protocol only: a member, a variant, a type, or a value of a string
 * set. The codec treats a member of another version as unknown and keeps it in {@link dev.acp4j.schema.Rest}; writing
 * an element that a version lacks is an error.
 */
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface In {
    /** Returns the version. */
    int value();
}
