/** Whole connections under load and under attack, for minutes; a checker compares what both ends saw. */
@NullMarked
package dev.acp4j.soak;

import org.jspecify.annotations.NullMarked;
