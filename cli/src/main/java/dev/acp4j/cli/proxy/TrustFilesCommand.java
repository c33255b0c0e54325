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
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp proxy trust}: lets files of a project do something. */
@Command(
        name = "trust",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Shows files of a project, and asks for each whether the proxies 'commands', 'hooks', 'mcp' and 'skills' "
                    + "may use it. Without a terminal, as in CI, --sha256 says which files are trusted.",
            "",
            "A file is trusted with its path and its contents: after a change it is asked for again."
        })
public final class TrustFilesCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "A command or a skill in Markdown, a script, or a file of MCP servers.")
    private List<Path> files = List.of();

    @Option(
            names = "--sha256",
            paramLabel = "DIGEST",
            description = "Trusts a file without asking if this is its SHA-256, as sha256sum prints it; one for each "
                    + "FILE, in the same order.")
    private List<String> digests = List.of();

    public TrustFilesCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        if (!digests.isEmpty() && digests.size() != files.size()) {
            throw new UsageException(
                    "--sha256: expected one for each file, got " + digests.size() + " for " + files.size() + " files");
        }
        for (int i = 0; i < files.size(); i++) {
            String contents = contents(files.get(i));
            TrustQuestion.ask(
                    streams,
                    "a file",
                    files.get(i),
                    contents,
                    contents,
                    "to be used by proxies",
                    digests.isEmpty() ? null : digests.get(i));
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
