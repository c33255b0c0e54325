/**
 * The {@code acp} command.
 *
 * <p>{@link dev.acp4j.cli.Acp} picks the command; {@code agent}, {@code chat}, {@code doctor}, {@code login},
 * {@code prompt}, {@code sessions} and {@code trace} have a package each, and are independent of each other. Below them
 * are {@code session}, which chat, prompt and sessions share, {@code markdown}, {@code command}, which all share, and
 * {@code terminal}.
 */
@NullMarked
package dev.acp4j.cli;

import org.jspecify.annotations.NullMarked;
