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

/** Options of all commands that connect to an agent. */
public final class SessionOptions {
    @Option(
            names = "--cwd",
            paramLabel = "FOLDER",
            description = "The working folder of the agent; default: the current folder.")
    @Nullable
    public String cwd;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Use the agent at this URL, or of the server of this name in servers.json, as 'acp connect' "
                    + "does, instead of starting one here.")
    @Nullable
    public String url;

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description =
                    "Pass this environment variable to the agent, too; NAME may end in *. Agents get the variables that programs "
                            + "need to run and the keys of model providers, but no others.")
    public List<String> environment = new ArrayList<>();

    @Option(
            names = "--login",
            paramLabel = "METHOD",
            description = "Log in by this method of the agent first, for an agent that forgets it; see 'acp login'.")
    @Nullable
    public String login;

    @Option(
            names = "--start-timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = Durations.class,
            description = "Timeout for the agent's first response; default: 60s.")
    public Duration startTimeout = Duration.ofSeconds(60);

    @Option(
            names = "--protocol",
            paramLabel = Protocol.LABEL,
            defaultValue = "1",
            converter = Protocol.Converter.class,
            description =
                    "The version of the protocol to ask the agent for; default: 1. Version 2 is a draft; auto asks "
                            + "for it and takes version 1, too.")
    public Protocol protocol = Protocol.ONE;

    @Option(
            names = {"-v", "--verbose"},
            description =
                    "Show the agent's standard error, invalid messages, and the methods not offered to the agent.")
    public boolean verbose;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Record the messages to and from the agent, without secrets; 'acp trace show FILE' shows them.")
    @Nullable
    public String trace;

    @Option(
            names = "-p",
            paramLabel = "PROXY",
            description = "Put this proxy before the agent, as 'acp conduct -p' does; repeatable.")
    public List<String> proxies = new ArrayList<>();

    @Option(
            names = "--chain",
            paramLabel = "FILE",
            description = "Put the proxies of this chain file before the agent; without a command after --, the agent "
                    + "is that of the file.")
    @Nullable
    public Path chain;

    @Option(
            names = "--no-bridge",
            description = "The agent cannot reach this machine, as in a container: MCP servers that it would need an "
                    + "address or a program of this machine for are refused, or left out behind proxies.")
    public boolean noBridge;

    /** Returns the folder to work in, absolute. */
    public Path folder() {
        return folder(cwd == null ? "" : cwd);
    }

    /** Returns an existing folder, absolute. */
    static Path folder(String name) {
        Path folder;
        try {
            folder = Path.of(name).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new UsageException("not the name of a folder: " + SafeText.line(name));
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
