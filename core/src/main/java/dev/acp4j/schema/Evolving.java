package dev.acp4j.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a record that may gain components when the protocol gains members. Such a change is not considered breaking:
 * use {@code of}, {@code builder} and {@code toBuilder} rather than the constructor, and accessors rather than a record
 * pattern.
 */
@Documented
@Target({ElementType.TYPE, ElementType.CONSTRUCTOR})
@Retention(RetentionPolicy.CLASS)
public @interface Evolving {}
