package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessTree;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jline.utils.Signals;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code acp run}: an installed agent, for an editor. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {"acp run NAME[@VERSION] [-- ARGUMENT...]"},
        description = {
            "Starts an installed agent on the standard streams of this process, for an editor.",
            "",
            "The version is the one that acp.lock pins. Nothing is installed or asked; ends with the exit code of the "
                    + "agent. Arguments after -- are added to those of the agent."
        },
        footerHeading = "%nExample, for an editor's settings:%n",
        footer = {
            "  {\"command\": \"acp\", \"args\": [\"run\", \"claude\"]}",
            "",
            "Exit codes: that of the agent, 128 plus the number of the signal that ended it, and",
            "    1  it is not installed, or cannot be started",
            "    2  wrong command line, or no or several agents with that name"
        })
public final class RunCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration MERCY = Duration.ofSeconds(2);

    private final Streams streams;
    private final AgentChoice rest;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the agent.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    /** @param rest the arguments after {@code --} */
    public RunCommand(Streams streams, AgentChoice rest) {
        this.streams = streams;
        this.rest = rest;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(agents -> {
            Launch launch = agents.launch(name).withArguments(rest.command().toArray(String[]::new));
            if (!agents.installation(name).id().equals(name)) {
                RegistryOptions.say(streams, name + " is " + agents.installation(name));
            }
            return run(launch);
        });
    }

    private static int run(Launch launch) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(launch.program().toString()));
        command.addAll(launch.arguments());
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(launch.environment());
        ProcessTree tree = ProcessTree.start(builder);
        Thread ending = new Thread(() -> end(tree), "acp-run-end");
        Runtime.getRuntime().addShutdownHook(ending);
        // Ctrl-C reaches the agent by its terminal, and it may mean to go on.
        Object before = Signals.register("INT", () -> {});
        try {
            return tree.root().waitFor();
        } finally {
            Signals.unregister("INT", before);
            end(tree);
            remove(ending);
        }
    }

    private static void end(ProcessTree tree) {
        tree.root().destroy();
        ProcessTree.Ending unused = tree.end(PATIENCE, MERCY);
    }

    private static void remove(Thread hook) {
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // This process is being ended.
        }
    }
}
