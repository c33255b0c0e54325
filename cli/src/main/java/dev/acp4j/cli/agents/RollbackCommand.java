package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.Pin;
import dev.acp4j.registry.Platform;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code acp agents rollback}. */
@Command(
        name = "rollback",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Pins the installed version below the one that is pinned, or the one that is named. Opens no connection.")
final class RollbackCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(index = "0", paramLabel = "NAME[@VERSION]", description = "The name of the agent.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    RollbackCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(agents -> {
            Pin before = agents.pin(agents.knownId(name)).orElse(null);
            Installation installation = agents.rollback(name);
            List<Platform> lost = before == null ? List.of() : before.platformsNotIn(installation.pin());
            if (!lost.isEmpty()) {
                RegistryOptions.say(
                        streams, installation.pin() + " is not pinned for " + lost + ", as " + before + " was");
            }
            if (options.json) {
                streams.out().json(Receipts.json("rolledBack", installation).toString());
            } else {
                streams.out().println(installation.id() + " " + installation.version() + " is pinned");
            }
            return ExitCode.END_OF_TURN.number();
        });
    }
}
