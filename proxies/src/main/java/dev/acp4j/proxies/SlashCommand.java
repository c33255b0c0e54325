package dev.acp4j.proxies;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A slash command.
 *
 * @param hint what to show while there are no arguments; null if the command takes none
 * @param prompt returns the prompt for what follows the command
 */
record SlashCommand(
        String name, String description, @Nullable String hint, UnaryOperator<String> prompt) {}
