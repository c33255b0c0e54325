/**
 * The standard streams and the terminal: its capabilities, text that is safe to show, lines that may still change,
 * keys. Independent of agents.
 */
@NullMarked
package dev.acp4j.cli.terminal;

import org.jspecify.annotations.NullMarked;
