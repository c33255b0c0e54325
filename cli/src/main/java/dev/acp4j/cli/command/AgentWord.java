package dev.acp4j.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The name of the agent as a plain word, in the commands that have no other word there. */
public final class AgentWord {
    private final AgentChoice agent;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /** @param agent what the word chooses */
    public AgentWord(AgentChoice agent) {
        this.agent = agent;
    }

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME[@VERSION]",
            description = "The installed agent with this name; short for --agent.")
    void name(String name) {
        String nearest = command == null
                ? ""
                : NearestName.suggestion(name, command.subcommands().keySet());
        agent.word(name, "The command of an agent goes after --." + nearest);
    }
}
