package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a record of a package with {@link CodecsClass} whose constructor may throw an {@link IllegalArgumentException}
 * for values that its codec has read. The codec then reports it with the place of the object. Elsewhere each record
 * with a compact constructor is treated like this.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.CLASS)
public @interface Rejecting {}
