package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Asks for one public class {@code Codecs} that has a method for each public type of the package, such as
 * {@code Codecs.review()}. The codecs themselves are then not public. For packages with many types; without it a codec
 * is as visible as its type.
 */
@Target(ElementType.PACKAGE)
@Retention(RetentionPolicy.CLASS)
public @interface CodecsClass {}
