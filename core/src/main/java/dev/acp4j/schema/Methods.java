package dev.acp4j.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A catalogue of methods: its public constants get numbers, and a table of their codecs. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@interface Methods {}
