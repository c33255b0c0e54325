/** Generates the JSON codecs and builders of the protocol's records. */
@NullMarked
package dev.acp4j.codegen;

import org.jspecify.annotations.NullMarked;
