package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code acp agents remove}. */
@Command(
        name = "remove",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Deletes installed agents with their pins and the variables that 'set' has for them, and says what was freed. npm and uv keep copies of packages "
                        + "in their own caches.")
final class RemoveCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(arity = "1..*", paramLabel = "NAME[@VERSION]", description = "The names of agents.")
    private List<String> names = List.of();

    RemoveCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(agents -> {
            for (String name : names) {
                String id = agents.knownId(name);
                Set<String> before = agents.variables(id).keySet();
                long freed = agents.remove(name);
                print(id, freed, agents.variables(id).isEmpty() ? before : Set.of());
            }
            return ExitCode.END_OF_TURN.number();
        });
    }

    private void print(String id, long freed, Set<String> forgotten) {
        if (options.json) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            members.put("event", JsonString.of("removed"));
            members.put("id", JsonString.of(id));
            members.put("freed", JsonNumber.of(freed));
            members.put("forgotten", Listing.texts(List.copyOf(forgotten)));
            streams.out().json(JsonObject.of(members).toString());
        } else {
            String variables = forgotten.isEmpty() ? "" : "; forgotten: " + String.join(", ", forgotten);
            streams.out().println(id + " is removed; " + ProgressOutput.size(freed) + " freed" + variables);
        }
    }
}
