package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Bounds of an integer member, or of the integers of a list, both inclusive; a value outside is an invalid value of the
 * member.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface Range {
    /** The maximum unsigned 16-bit number. */
    long UINT16 = 0xFFFFL;

    /** The maximum unsigned 32-bit number. */
    long UINT32 = 0xFFFF_FFFFL;

    /** Returns the minimum. */
    long min() default 0;

    /** Returns the maximum. */
    long max() default Long.MAX_VALUE;

    /** Returns the version with these bounds; 0 for all. */
    int only() default 0;
}
