package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.TrustedFiles;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.TerminalText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code acp conduct trust}: lets a chain file of a project start programs. */
@Command(
        name = "trust",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Shows what a chain file would start, and asks whether to trust it.",
            "",
            "A chain file in a repository starts nothing before. It is trusted with its path and its contents: after a "
                    + "change it is asked for again. The programs that it names may change without that."
        })
public final class TrustCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(paramLabel = "FILE", description = "The chain file, YAML or JSON.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path file;

    public TrustCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        String contents = ChainFile.contents(file);
        ChainFile.parse(file, contents)
                .text()
                .lines()
                .forEach(line -> streams.out().println(SafeText.indented(line)));
        if (!streams.hasPerson()) {
            throw new UsageException("a chain file is trusted at a terminal only: there is nobody here to ask");
        }
        streams.err()
                .print(TerminalText.of("Trust " + SafeText.line(file.toString()) + " to start these programs? [y/N] "));
        String answer = answer();
        if (answer == null || !answer.strip().equalsIgnoreCase("y")) {
            throw new CommandFailedException(Failure.agent("the chain file is not trusted"));
        }
        try {
            TrustedFiles.ofUser().trust(file, contents);
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(IoProblem.text(e))));
        }
        return ExitCode.END_OF_TURN.number();
    }

    private @Nullable String answer() {
        try {
            return new BufferedReader(new InputStreamReader(streams.in(), streams.charset())).readLine();
        } catch (IOException e) {
            return null;
        }
    }
}
