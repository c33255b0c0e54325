package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Asks the person at the terminal whether to trust a file, or compares it with the digest that is given instead. */
public final class TrustQuestion {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    private TrustQuestion() {}

    /**
     * Shows a file, and trusts it if the answer is yes, or if it has the digest.
     *
     * @param kind what it is, such as "a chain file"
     * @param contents what is trusted
     * @param shown what is shown of that
     * @param purpose what it may do then, such as "to start these programs"
     * @param digest the SHA-256 of the file that the user has looked at; null to ask
     * @throws UsageException when there is nobody to ask, or the digest is none
     * @throws CommandFailedException when the answer is no, the file has another digest, or trust cannot be kept
     */
    public static void ask(
            Streams streams,
            String kind,
            Path file,
            String contents,
            String shown,
            String purpose,
            @Nullable String digest) {
        if (digest != null && !DIGEST.matcher(digest.toLowerCase(Locale.ROOT)).matches()) {
            throw new UsageException(
                    "--sha256: expected 64 hexadecimal digits, as sha256sum prints them, got " + SafeText.line(digest));
        }
        shown.lines().forEach(line -> streams.out().println(SafeText.indented(line)));
        String name = SafeText.line(file.toString());
        String noun = kind.replaceFirst("^an? ", "");
        if (digest == null) {
            if (!streams.hasPerson()) {
                throw new UsageException(kind + " is trusted at a terminal, and there is nobody here to ask. "
                        + "Without one: look at it, and give what 'sha256sum " + name
                        + "' prints with --sha256 DIGEST; only a file with this digest is trusted then");
            }
            if (!new Confirmation(streams).ask("Trust " + name + " " + purpose + "?")) {
                throw new CommandFailedException(Failure.agent("the " + noun + " is not trusted"));
            }
        } else if (!TrustedFiles.digest(contents).equalsIgnoreCase(digest)) {
            throw new CommandFailedException(Failure.agent("the " + noun + " " + name
                    + " is not trusted: its SHA-256 is " + TrustedFiles.digest(contents) + ", not " + digest
                    + ", so it is not the file that this digest was taken of"));
        }
        try {
            TrustedFiles.ofUser().trust(file, contents);
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(IoProblem.text(e))));
        }
    }
}
