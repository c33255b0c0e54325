package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The JSON name of a member, if it differs from the name of the component. */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface Name {
    /** Returns the name on the wire; empty for the name of the component. */
    String value() default "";

    /** Returns the name in version 2, if it differs. */
    String v2() default "";
}
