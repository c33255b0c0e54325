/**
 * The programs that are measured, each in a process of its own: the same agent and the same client, written with each
 * implementation, and without any.
 */
@NullMarked
package dev.acp4j.bench.programs;

import org.jspecify.annotations.NullMarked;
