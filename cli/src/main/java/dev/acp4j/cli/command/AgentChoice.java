package dev.acp4j.cli.command;

import java.util.List;

/**
 * The agent to start.
 *
 * @param command the command line after {@code --}; empty for the built-in agent
 * @param isGiven whether there was a {@code --}
 */
public record AgentChoice(List<String> command, boolean isGiven) {
    boolean isBuiltIn() {
        return !isGiven;
    }

    /** Returns the name for messages. */
    public String name() {
        return isBuiltIn() ? "the built-in agent" : command.isEmpty() ? "the agent" : command.get(0);
    }
}
