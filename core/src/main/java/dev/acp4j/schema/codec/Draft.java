package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an element that only drafts of the protocol have: a member, a variant, a type, or a method. Codecs read and
 * write it always. A peer that follows no draft, or another one, may give its name another meaning: where a draft adds
 * to a stable object or union, a malformed value is not an error. The member is then unknown and kept in
 * {@link dev.acp4j.schema.Rest}, the variant is read as {@code Unknown}.
 */
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Draft {
    /** Returns the version in which it is a draft; 0 for all that have it. */
    int value() default 0;
}
