package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.JsonValue;
import dev.acp4j.process.Launch;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.RegistrySettings;
import java.io.IOException;
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
    private @Nullable String option;

    private @Nullable String word;
    private String otherwise = "";
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

    /**
     * Takes a plain word as the name: the short form of {@code --agent}.
     *
     * @param otherwise a sentence for the message if there is no such agent: what else the word could have meant
     */
    public void word(String name, String otherwise) {
        this.word = name;
        this.otherwise = otherwise;
    }

    /**
     * Returns the name; null if there is none.
     *
     * @throws UsageException if there are two names, or a name and a command
     */
    public @Nullable String named() {
        if (word != null && option != null) {
            throw new UsageException("--agent and the name " + SafeText.line(word) + " cannot be combined" + hint());
        }
        if (isCommand && option != null) {
            throw new UsageException("--agent and a command after -- cannot be combined");
        }
        if (isCommand && word != null) {
            throw new UsageException(
                    "the name " + SafeText.line(word) + " and a command after -- cannot be combined" + hint());
        }
        return word == null ? option : word;
    }

    /** Returns what else the word could have meant, as an end of a message. */
    String hint() {
        return otherwise.isEmpty() ? "" : ". " + otherwise;
    }

    /** Returns whether there is a command or a name. */
    public boolean isGiven() {
        return isCommand || option != null || word != null;
    }

    boolean isBuiltIn() {
        return !isGiven();
    }

    /** Returns the name for messages. */
    public String name() {
        String name = named();
        if (name != null) {
            return name;
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
                    + " -- COMMAND, or its name: " + SafeText.line(usage) + " NAME");
        }
        return launch();
    }

    /** Returns what starts the agent that is given. */
    public Launch launch() {
        String name = named();
        if (name != null) {
            if (found == null) {
                found = installed(name);
            }
            return found;
        }
        if (command.isEmpty() || command.get(0).isBlank()) {
            throw new UsageException("the command of an agent is missing after --");
        }
        return Launch.of(command.get(0), command.subList(1, command.size()));
    }

    /** Returns what starts an installed agent; asks nobody and installs nothing. */
    private Launch installed(String name) {
        try {
            return Agents.named(name);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** Returns the variables that values of the agent are taken from where it is started, if it is named. */
    String[] sourceVariables() {
        String name = named();
        if (name == null) {
            return new String[0];
        }
        try (Agents agents = Agents.of(RegistrySettings.ofUser(), Path.of(""))) {
            return agents.sourceVariables(agents.installation(name).id()).toArray(String[]::new);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** Keeps what the agent answered to initialize, if it was started by its name, for {@code acp agents info}. */
    public void keepAnswer(JsonValue answer) {
        String name = named();
        if (name == null) {
            return;
        }
        try (Agents agents = Agents.of(RegistrySettings.ofUser(), Path.of(""))) {
            agents.keepAnswer(agents.installation(name).id(), answer);
        } catch (IOException | IllegalArgumentException e) {
            // It is shown only, and is no reason to end what the agent was started for.
        }
    }

    /** Returns the failure of finding or installing the agent with this name, and what else the word could mean. */
    public RuntimeException failure(IOException e) {
        return RegistryFailure.of(e, otherwise);
    }
}
