package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of all commands that talk to an agent. */
public final class SessionOptions {
    @Option(
            names = "--cwd",
            paramLabel = "FOLDER",
            description = "Let the agent work in this folder; this one if not given.")
    @Nullable
    public String cwd;

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description =
                    "Give the agent this environment variable too; NAME may end in *. Agents get what programs need "
                            + "to run and the keys of model providers, but no other variables.")
    public List<String> environment = new ArrayList<>();

    @Option(
            names = "--sign-in",
            paramLabel = "METHOD",
            description = "Sign in this way before the session begins, as offered by the agent.")
    @Nullable
    public String signIn;

    @Option(
            names = "--start-timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = Durations.class,
            description = "How long the agent may take to answer at first; 60s if not given.")
    public Duration startTimeout = Duration.ofSeconds(60);

    @Option(
            names = {"-v", "--verbose"},
            description = "Show the agent's standard error, messages that break the protocol, and what is not offered.")
    public boolean verbose;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Record what is said to the agent and by it, without secrets; 'acp trace show FILE' shows it.")
    @Nullable
    public String trace;

    /** Returns the folder to work in, absolute. */
    public Path folder() {
        Path folder;
        try {
            folder = Path.of(cwd == null ? "" : cwd).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new UsageException("not the name of a folder: " + SafeText.line(String.valueOf(cwd)));
        }
        if (!Files.exists(folder)) {
            throw new UsageException("there is no folder " + SafeText.line(folder.toString()));
        }
        if (!Files.isDirectory(folder)) {
            throw new UsageException("this is a file, not a folder: " + SafeText.line(folder.toString()));
        }
        return folder;
    }
}
