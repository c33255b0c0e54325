package dev.acp4j.cli.proxy;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.TrustQuestion;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code acp proxy trust}: lets files of a project do something. */
@Command(
        name = "trust",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Shows files of a project, and asks for each whether the proxies 'commands', 'hooks' and 'mcp' may use it.",
            "",
            "A file is trusted with its path and its contents: after a change it is asked for again."
        })
public final class TrustFilesCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "A command in Markdown, a script, or a file of MCP servers.")
    private List<Path> files = List.of();

    public TrustFilesCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        for (Path file : files) {
            String contents = contents(file);
            TrustQuestion.ask(streams, "a file", file, contents, contents, "to be used by proxies");
        }
        return ExitCode.END_OF_TURN.number();
    }

    private static String contents(Path file) {
        try {
            // As the proxies read it: what is no UTF-8 is replaced.
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UsageException(
                    "cannot read " + SafeText.line(file.toString()) + ": " + SafeText.line(IoProblem.text(e)));
        }
    }
}
