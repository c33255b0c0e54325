package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Bounds of an integer member, both inclusive; a value outside is a wrong value of the member. */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.SOURCE)
public @interface Range {
    /** The greatest unsigned number of 16 bits. */
    long UINT16 = 0xFFFFL;

    /** The greatest unsigned number of 32 bits. */
    long UINT32 = 0xFFFF_FFFFL;

    /** Returns the least value allowed. */
    long min() default 0;

    /** Returns the greatest value allowed. */
    long max() default Long.MAX_VALUE;

    /** Returns the one version that has these bounds; 0 for all. */
    int only() default 0;
}
