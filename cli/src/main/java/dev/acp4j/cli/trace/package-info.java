/** {@code acp trace} records what a client and an agent say, {@code acp trace show} shows it as text or as a page. */
@NullMarked
package dev.acp4j.cli.trace;

import org.jspecify.annotations.NullMarked;
