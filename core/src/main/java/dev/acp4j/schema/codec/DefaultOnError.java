package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a member whose invalid value is read as absent. A required member falls back only if it is present and invalid;
 * its absence is still an error.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface DefaultOnError {
    /** Returns the version that is lenient; 0 for all. */
    int value() default 0;
}
