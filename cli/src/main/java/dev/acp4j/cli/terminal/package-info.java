/**
 * The standard streams and the terminal: what it can show, text that is safe to show, lines that may still change,
 * keys. Knows nothing of agents.
 */
@NullMarked
package dev.acp4j.cli.terminal;

import org.jspecify.annotations.NullMarked;
