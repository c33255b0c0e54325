package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code acp agents list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Lists the agents of the indexes, and which of them are installed and pinned.")
final class ListCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Mixin
    private final Listing listing = new Listing();

    ListCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(
                agents -> listing.print(agents, options, streams, text -> true).number());
    }
}
