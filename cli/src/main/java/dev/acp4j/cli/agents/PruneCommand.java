package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.Installation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code acp agents prune}. */
@Command(
        name = "prune",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Deletes old versions of agents: those that neither the acp.lock of this project nor that of the user "
                        + "pins. Other projects are not known: what they pin is installed again by 'acp agents add'.")
final class PruneCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Option(
            names = "--keep",
            paramLabel = "N",
            description =
                    "Keep so many versions of each agent that are not pinned; default: 1, for 'acp agents rollback'.")
    private int keep = 1;

    PruneCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (keep < 0) {
            throw new UsageException("expected --keep 0 or more");
        }
        return options.with(agents -> {
            Map<Installation, Long> freed = agents.prune(keep);
            freed.forEach(this::print);
            if (!options.json) {
                long all = freed.values().stream().mapToLong(Long::longValue).sum();
                streams.out().println(ProgressOutput.size(all) + " freed");
            }
            return ExitCode.END_OF_TURN.number();
        });
    }

    private void print(Installation installation, long freed) {
        if (options.json) {
            Map<String, JsonValue> members =
                    new LinkedHashMap<>(Receipts.json("pruned", installation).members());
            members.put("freed", JsonNumber.of(freed));
            streams.out().json(JsonObject.of(members).toString());
        } else {
            streams.out()
                    .println(SafeText.line(installation.id() + " " + installation.version()) + ": "
                            + ProgressOutput.size(freed));
        }
    }
}
