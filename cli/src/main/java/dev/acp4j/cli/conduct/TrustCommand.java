package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.TrustQuestion;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp conduct trust}: lets a chain file of a project start programs. */
@Command(
        name = "trust",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Shows what a chain file would start, and asks whether to trust it. Without a terminal, as in CI, "
                    + "--sha256 says which file is trusted.",
            "",
            "A chain file in a repository starts nothing before. It is trusted with its path and its contents: after a "
                    + "change it is asked for again. The programs that it names may change without that."
        })
public final class TrustCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(paramLabel = "FILE", description = "The chain file, YAML or JSON.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path file;

    @Option(
            names = "--sha256",
            paramLabel = "DIGEST",
            description = "Trusts the file without asking if this is its SHA-256, as sha256sum prints it.")
    private @Nullable String digest;

    public TrustCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        String contents = ChainFile.contents(file);
        TrustQuestion.ask(
                streams,
                "a chain file",
                file,
                contents,
                ChainFile.parse(file, contents).text(),
                "to start these programs",
                digest);
        return ExitCode.END_OF_TURN.number();
    }
}
