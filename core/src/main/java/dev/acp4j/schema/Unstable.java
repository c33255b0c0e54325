package dev.acp4j.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks API that follows a draft of the protocol and may change or be removed in any release. */
@Documented
@Target({
    ElementType.TYPE,
    ElementType.METHOD,
    ElementType.CONSTRUCTOR,
    ElementType.FIELD,
    ElementType.RECORD_COMPONENT,
    ElementType.PACKAGE
})
@Retention(RetentionPolicy.CLASS)
public @interface Unstable {}
