/**
 * Faults of peers, the same for every implementation: programs written with each are started, a faulty peer talks to
 * them, and what became of it is a verdict.
 */
@NullMarked
package dev.acp4j.it.sidebyside;

import org.jspecify.annotations.NullMarked;
