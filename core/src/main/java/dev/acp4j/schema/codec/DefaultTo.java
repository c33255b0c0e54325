package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a member that may be absent or null, which is read as a default; a value equal to the default is not written.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface DefaultTo {
    /**
     * Returns {@code "true"} or {@code "false"} for a boolean, else the name of a constant of the component's own type.
     */
    String value();

    /** Returns whether the member is written even if it equals the default. */
    boolean written() default false;
}
