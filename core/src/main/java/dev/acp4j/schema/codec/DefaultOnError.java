package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A member whose wrong value reads as if it were absent. A required member falls back only when it is there and wrong;
 * its absence stays an error.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface DefaultOnError {
    /** Returns the one version that forgives it; 0 for all. */
    int value() default 0;
}
