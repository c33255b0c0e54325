package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The JSON name of a member, where the component is called otherwise. */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface Name {
    /** Returns the name on the wire; that of the component when it is empty. */
    String value() default "";

    /** Returns the name in version 2, if it is another one. */
    String v2() default "";
}
