package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import java.io.IOException;
import java.nio.file.Path;

/** Asks the person at the terminal whether to trust a file. */
public final class TrustQuestion {
    private TrustQuestion() {}

    /**
     * Shows a file, and trusts it if the answer is yes.
     *
     * @param kind what it is, such as "a chain file"
     * @param contents what is trusted
     * @param shown what is shown of that
     * @param purpose what it may do then, such as "to start these programs"
     * @throws UsageException when there is nobody to ask
     * @throws CommandFailedException when the answer is no, or cannot be kept
     */
    public static void ask(Streams streams, String kind, Path file, String contents, String shown, String purpose) {
        shown.lines().forEach(line -> streams.out().println(SafeText.indented(line)));
        if (!streams.hasPerson()) {
            throw new UsageException(kind + " is trusted at a terminal only: there is nobody here to ask");
        }
        if (!new Confirmation(streams).ask("Trust " + SafeText.line(file.toString()) + " " + purpose + "?")) {
            throw new CommandFailedException(
                    Failure.agent("the " + kind.replaceFirst("^an? ", "") + " is not trusted"));
        }
        try {
            TrustedFiles.ofUser().trust(file, contents);
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(IoProblem.text(e))));
        }
    }
}
