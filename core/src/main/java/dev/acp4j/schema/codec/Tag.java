package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The discriminator value of this variant of a union. It is not a component of the record. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Tag {
    /** Returns the value on the wire; empty for none, or for a type that is no variant in version 1. */
    String value() default "";

    /** Returns the value in version 2, if it differs. */
    String v2() default "";
}
