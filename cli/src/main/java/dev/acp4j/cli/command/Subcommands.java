package dev.acp4j.cli.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * The commands below a command, of which only the one that is used is prepared: preparing all of them takes longer than
 * most of them run.
 */
public final class Subcommands {
    private final Map<String, Supplier<Object>> commands = new LinkedHashMap<>();

    /**
     * Adds a command.
     *
     * @param name its name
     * @param command what prepares it: a {@link CommandLine}, or an object with picocli's annotations
     */
    public Subcommands add(String name, Supplier<Object> command) {
        commands.put(name, command);
        return this;
    }

    /**
     * Puts the command that a word names below a command; all of them, in their order, when it names none.
     *
     * @param args the command line
     * @param index which word of it is the name
     */
    public CommandLine below(CommandLine parent, List<String> args, int index) {
        Supplier<Object> named = index < args.size() ? commands.get(args.get(index)) : null;
        for (Supplier<Object> command : named == null ? commands.values() : List.of(named)) {
            parent.addSubcommand(command.get());
        }
        return parent;
    }
}
