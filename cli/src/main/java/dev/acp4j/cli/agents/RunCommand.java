package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessTree;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
        // Before the agent is there, which may answer a Ctrl-C at once, and for good: a signal that came before the
        // agent's end may be handled after it.
        Signals.register("INT", RunCommand::interrupted);
        return run(ProcessTree.start(builder));
    }

    private static int run(ProcessTree tree) throws InterruptedException {
        Thread ending = new Thread(() -> end(tree), "acp-run-end");
        Runtime.getRuntime().addShutdownHook(ending);
        try {
            return tree.root().waitFor();
        } finally {
            end(tree);
            remove(ending);
        }
    }

    /**
     * Ctrl-C reaches the agent by its terminal, too, and it may mean to go on. Any other SIGINT is for this process.
     */
    private static void interrupted() {
        if (!isInForeground()) {
            System.exit(ExitCode.CANCELLED.number());
        }
    }

    /** Returns whether this process is of the group that a terminal sends SIGINT to. */
    private static boolean isInForeground() {
        try {
            // After the name, which is in brackets: state, parent, group, session, terminal, group in the foreground.
            String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[2].equals(fields[5]);
        } catch (IOException e) {
            return isInForegroundByPs();
        }
    }

    /** Systems that have no ps have no SIGINT but that of a terminal. */
    private static boolean isInForegroundByPs() {
        List<String> ps = List.of(
                "ps", "-o", "stat=", "-p", Long.toString(ProcessHandle.current().pid()));
        try (BufferedReader out = new ProcessBuilder(ps).start().inputReader()) {
            String state = out.readLine();
            return state != null && state.contains("+");
        } catch (IOException e) {
            return true;
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
