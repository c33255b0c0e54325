package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The agent to start: the command after {@code --}, an installed agent by its name, or else the built-in one. */
public final class AgentChoice {
    private final List<String> command;
    private final boolean isCommand;

    @Option(
            names = "--agent",
            paramLabel = "NAME[@VERSION]",
            description = "Start the installed agent with this name, instead of a command after --; see 'acp agents'.")
    private @Nullable String named;

    private @Nullable Launch found;

    /**
     * Creates the choice of a command line.
     *
     * @param command the words after {@code --}
     * @param isCommand whether there was a {@code --}
     */
    public AgentChoice(List<String> command, boolean isCommand) {
        this.command = command;
        this.isCommand = isCommand;
    }

    /** Returns the words after {@code --}. */
    public List<String> command() {
        return command;
    }

    /** Returns the value of {@code --agent}; null if there is none. */
    public @Nullable String named() {
        return named;
    }

    /** Returns whether there is a command or a name. */
    public boolean isGiven() {
        return isCommand || named != null;
    }

    boolean isBuiltIn() {
        return !isGiven();
    }

    /** Returns the name for messages. */
    public String name() {
        if (named != null) {
            return named;
        }
        return isBuiltIn() ? "the built-in agent" : command.isEmpty() ? "the agent" : command.get(0);
    }

    /**
     * Returns what starts the agent that must be given.
     *
     * @param usage the beginning of a command line, for the message if there is none
     */
    public Launch launch(String usage) {
        if (!isGiven()) {
            throw new UsageException("the command of an agent is missing: " + SafeText.line(usage)
                    + " -- COMMAND, or its name: " + SafeText.line(usage) + " --agent NAME");
        }
        return launch();
    }

    /** Returns what starts the agent that is given. */
    public Launch launch() {
        if (named != null) {
            if (isCommand) {
                throw new UsageException("--agent and a command after -- cannot be combined");
            }
            if (found == null) {
                found = NamedAgents.launch(named, Path.of(""));
            }
            return found;
        }
        if (command.isEmpty() || command.get(0).isBlank()) {
            throw new UsageException("the command of an agent is missing after --");
        }
        return Launch.of(command.get(0), command.subList(1, command.size()));
    }
}
