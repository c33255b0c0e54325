package dev.acp4j.schema.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Requests one public class {@code Codecs} with a method for each public type of the package, such as
 * {@code Codecs.review()}. The codecs themselves are then not public. For packages with many types; otherwise a codec
 * has the visibility of its type. Constructors that may reject what was read are marked {@link Rejecting}.
 */
@Target(ElementType.PACKAGE)
@Retention(RetentionPolicy.CLASS)
public @interface CodecsClass {}
