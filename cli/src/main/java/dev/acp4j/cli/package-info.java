/**
 * The {@code acp} command.
 *
 * <p>{@link dev.acp4j.cli.Acp} picks the command; {@code agent}, {@code chat}, {@code doctor}, {@code prompt} and
 * {@code trace} have a package each, and are independent of each other. Below them are {@code session}, which chat and
 * prompt share, {@code markdown}, {@code command}, which all share, and {@code terminal}.
 */
@NullMarked
package dev.acp4j.cli;

import org.jspecify.annotations.NullMarked;
