/** Agents and clients of the Agent Client Protocol. */
@NullMarked
package dev.acp4j;

import org.jspecify.annotations.NullMarked;
