/** Programs of one idea and one file each: agents that any editor can start, and clients that start any agent. */
@NullMarked
package dev.acp4j.examples;

import org.jspecify.annotations.NullMarked;
