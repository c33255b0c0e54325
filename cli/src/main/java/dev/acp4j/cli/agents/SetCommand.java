package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.Agents;
import java.io.Console;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp agents set}. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Sets a variable of an agent, such as a key, whenever it is started by its name.",
            "",
            "The value is that of another variable, what a command prints, or typed here without being shown, and then "
                    + "kept in a file that only you can read. It is in no lock file, receipt or message."
        })
final class SetCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(index = "0", paramLabel = "AGENT", description = "The name of an agent that is installed.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String agent;

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the variable.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Option(names = "--variable", paramLabel = "NAME", description = "Take the value of this variable.")
    private @Nullable String variable;

    @Option(
            names = "--command",
            paramLabel = "COMMAND",
            description = "Take the first line that this command prints; its words are parted by spaces.")
    private @Nullable String command;

    @Option(names = "--unset", description = "Set it no more.")
    private boolean unset;

    SetCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        if ((variable == null ? 0 : 1) + (command == null ? 0 : 1) + (unset ? 1 : 0) > 1) {
            throw new UsageException("--variable, --command and --unset cannot be combined");
        }
        return options.with(agents -> {
            String id = agents.knownId(agent);
            set(agents, id);
            if (options.json) {
                streams.out().json(json(id).toString());
            } else if (!options.quiet) {
                RegistryOptions.say(streams, name + (unset ? " is set no more for " : " is set for ") + id);
            }
            return ExitCode.END_OF_TURN.number();
        });
    }

    private JsonObject json(String id) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("event", JsonString.of(unset ? "unset" : "set"));
        members.put("id", JsonString.of(id));
        members.put("name", JsonString.of(name));
        return JsonObject.of(members);
    }

    private void set(Agents agents, String id) throws IOException, InterruptedException {
        if (unset) {
            agents.unset(id, name);
        } else if (variable != null) {
            agents.setFromVariable(id, name, variable);
        } else if (command != null) {
            agents.setFromCommand(id, name, List.of(command.strip().split("\\s+")));
        } else {
            agents.set(id, name, typed());
        }
    }

    private String typed() {
        Console console = streams.hasPerson() ? System.console() : null;
        char[] typed = console == null ? null : console.readPassword("%s", SafeText.line(name) + ": ");
        if (typed == null || typed.length == 0) {
            throw new UsageException("the value is typed at a terminal, or comes by --variable or --command");
        }
        return new String(typed);
    }
}
