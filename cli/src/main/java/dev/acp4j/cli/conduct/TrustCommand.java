package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.TrustQuestion;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import java.nio.file.Path;
import java.util.concurrent.Callable;
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
        TrustQuestion.ask(
                streams,
                "a chain file",
                file,
                contents,
                ChainFile.parse(file, contents).text(),
                "to start these programs");
        return ExitCode.END_OF_TURN.number();
    }
}
