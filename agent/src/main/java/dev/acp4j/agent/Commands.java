package dev.acp4j.agent;

import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.AvailableCommandInput;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands the agent offers. */
final class Commands {
    private static final List<Command> ALL = List.of(
            new FilesCommand(),
            new SearchCommand(),
            new ReadCommand(),
            new ReplaceCommand(),
            new FixCommand(),
            new RunCommand(),
            new SummaryCommand(),
            new ToolsCommand(),
            new CallCommand(),
            new HelpCommand());

    private Commands() {}

    static List<Command> all() {
        return ALL;
    }

    static @Nullable Command named(String name) {
        for (Command command : ALL) {
            if (command.name().equals(name)) {
                return command;
            }
        }
        return null;
    }

    /** Returns the commands in the form sent to the client. */
    static List<AvailableCommand> available() {
        List<AvailableCommand> available = new ArrayList<>();
        for (Command command : ALL) {
            var builder = AvailableCommand.builder(command.name(), command.description());
            if (!command.hint().isEmpty()) {
                builder.input(AvailableCommandInput.Unstructured.of(command.hint()));
            }
            available.add(builder.build());
        }
        return available;
    }
}
