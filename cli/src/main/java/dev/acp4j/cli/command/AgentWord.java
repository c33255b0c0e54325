package dev.acp4j.cli.command;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;

/** The name of the agent as a plain word, in the commands that have no other word there. */
public final class AgentWord {
    private final AgentChoice agent;
    private final CommandSpec command;

    /**
     * Creates the word of a command.
     *
     * @param agent what the word chooses
     * @param command the command; the word could be meant to be one below it
     */
    public AgentWord(AgentChoice agent, CommandSpec command) {
        this.agent = agent;
        this.command = command;
    }

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME[@VERSION]",
            description = "The installed agent with this name; short for --agent.")
    void name(String name) {
        agent.word(
                name,
                "The command of an agent goes after --."
                        + NearestName.suggestion(name, command.subcommands().keySet()));
    }
}
