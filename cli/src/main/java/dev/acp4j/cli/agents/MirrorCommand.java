package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.AgentEntry;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Mirror;
import dev.acp4j.registry.Platform;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp agents mirror}. */
@Command(
        name = "mirror",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Copies the first index, icons and archives into a folder, with digests. What is in the folder already stays.",
            "",
            "A machine without a network installs from it: acp agents add --index FOLDER --offline NAME. Packages of npm "
                    + "and Python are not copied; a mirror of their servers does that."
        })
final class MirrorCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(index = "0", paramLabel = "FOLDER", description = "The folder.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path folder;

    @Parameters(index = "1..*", paramLabel = "NAME", description = "The names of agents; default: all.")
    private List<String> names = List.of();

    @Option(
            names = "--platform",
            paramLabel = "PLATFORM",
            split = ",",
            description = "Copy the archives of these platforms, such as linux-x86_64; default: all.")
    private List<String> platforms = new ArrayList<>();

    @Option(
            names = "--allow-unverified",
            description = "Copy archives that nothing verifies, too: the mirror has the digest of what comes.")
    private boolean allowUnverified;

    MirrorCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        List<Platform> wanted = new ArrayList<>();
        for (String platform : platforms) {
            wanted.add(Platform.named(platform)
                    .orElseThrow(() -> new UsageException("there is no platform " + SafeText.line(platform)
                            + "; there are " + List.of(Platform.values()))));
        }
        return options.with(agents -> {
            List<Mirror.Copied> copied = agents.mirror(folder)
                    .copy(
                            names,
                            wanted.isEmpty() ? List.of(Platform.values()) : wanted,
                            allowUnverified ? Agents.Consent.UNVERIFIED : Agents.Consent.VERIFIED,
                            new ProgressOutput(streams, options));
            for (Mirror.Copied each : copied) {
                AgentEntry entry = each.entry();
                if (!each.unverified().isEmpty()) {
                    RegistryOptions.say(
                            streams,
                            entry + ": nothing verified what came for " + each.unverified()
                                    + "; its digest is in the mirror from now on");
                }
                if (options.json) {
                    streams.out().json(entry.json().toString());
                } else {
                    streams.out().println(SafeText.line(entry.toString()));
                }
            }
            return ExitCode.END_OF_TURN.number();
        });
    }
}
