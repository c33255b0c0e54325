package dev.acp4j.cli.command;

import java.util.List;

/**
 * Which agent to start.
 *
 * @param command the command line after {@code --}; empty for the built-in agent
 * @param isGiven whether there was a {@code --}
 */
public record AgentChoice(List<String> command, boolean isGiven) {
    boolean isBuiltIn() {
        return !isGiven;
    }

    /** Returns what to call it in messages. */
    public String name() {
        return isBuiltIn() ? "the built-in agent" : command.get(0);
    }
}
