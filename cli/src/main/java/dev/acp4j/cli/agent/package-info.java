/** {@code acp agent} and {@code acp test-agent}: they serve an agent on the standard streams. */
@NullMarked
package dev.acp4j.cli.agent;

import org.jspecify.annotations.NullMarked;
