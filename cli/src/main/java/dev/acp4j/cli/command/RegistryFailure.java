package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.registry.NotInstalledException;
import dev.acp4j.registry.UnknownAgentException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Failures about agents by name, with the exit codes that they have in all commands. */
public final class RegistryFailure {
    private RegistryFailure() {}

    /** Returns the failure of finding, fetching or installing an agent. */
    public static RuntimeException of(IOException e) {
        return of(e, "");
    }

    /**
     * Returns the failure of an agent whose name could be something else.
     *
     * @param otherwise a sentence that says what else the name could be; empty for none
     */
    static RuntimeException of(IOException e, String otherwise) {
        List<String> lines =
                String.valueOf(e.getMessage()).lines().map(SafeText::indented).toList();
        String first = lines.isEmpty() ? e.getClass().getSimpleName() : lines.getFirst();
        if (e instanceof UnknownAgentException unknown) {
            return new UsageException(first + "." + suggestion(unknown) + (otherwise.isEmpty() ? "" : " " + otherwise));
        }
        List<String> details = new ArrayList<>(lines.isEmpty() ? lines : lines.subList(1, lines.size()));
        if (e instanceof NotInstalledException missing && !missing.isKnown()) {
            String nearest =
                    NearestName.suggestion(missing.id(), missing.known()).strip();
            details.addAll(Stream.of(nearest, otherwise)
                    .filter(line -> !line.isEmpty())
                    .toList());
        }
        return new CommandFailedException(new Failure(
                e.getClass().getPackageName().startsWith("java.") ? SafeText.line(IoProblem.text(e)) : first,
                details,
                ExitCode.AGENT_FAILED));
    }

    private static String suggestion(UnknownAgentException e) {
        boolean isAmbiguous = e.known().stream().anyMatch(id -> id.startsWith(e.name()));
        return isAmbiguous ? "" : NearestName.suggestion(e.name(), e.known());
    }
}
