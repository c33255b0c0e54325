/**
 * {@code acp trace} records the messages of a client and an agent, {@code acp trace show} shows them as text or as a
 * page.
 */
@NullMarked
package dev.acp4j.cli.trace;

import org.jspecify.annotations.NullMarked;
