/**
 * The {@code acp} command.
 *
 * <p>{@link dev.acp4j.cli.Acp} picks the command. What a person sees goes through one {@code Screen}: session events
 * become lines of text in {@code SessionRenderer}, which knows nothing of terminals, so that its output can be compared
 * with a text file.
 */
@NullMarked
package dev.acp4j.cli;

import org.jspecify.annotations.NullMarked;
