/**
 * Measurements of whole processes beside other implementations, with one driver for all. Subjects take turns, so that a
 * machine whose speed drifts treats all alike.
 */
@NullMarked
package dev.acp4j.bench;

import org.jspecify.annotations.NullMarked;
