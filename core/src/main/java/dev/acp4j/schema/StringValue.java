package dev.acp4j.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Asks for a generated codec for a record with one component {@code String value}: a bare JSON string. Constants of the
 * record's own type are the known values of a string set; reading a known value gives the constant.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@interface StringValue {}
