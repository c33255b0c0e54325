/** {@code acp agents} and {@code acp run}: agents by name. */
@NullMarked
package dev.acp4j.cli.agents;

import org.jspecify.annotations.NullMarked;
