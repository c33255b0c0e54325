/** Measurements of whole processes, interleaved so that a machine whose speed drifts treats all alike. */
@NullMarked
package dev.acp4j.bench;

import org.jspecify.annotations.NullMarked;
