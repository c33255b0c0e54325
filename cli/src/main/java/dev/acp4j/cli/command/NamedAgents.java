package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.RegistrySettings;
import dev.acp4j.registry.UnknownAgentException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Agents that are started by their name. */
public final class NamedAgents {
    private NamedAgents() {}

    /**
     * Returns what starts an installed agent; asks nobody and installs nothing.
     *
     * @param project a folder of the project, whose {@code acp.lock} counts
     */
    static Launch launch(String name, Path project) {
        try (Agents agents = Agents.of(RegistrySettings.ofUser(), project)) {
            return agents.launch(name);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /**
     * Returns the id of an installed agent, with the version that the name has.
     *
     * @param project a folder of the project, whose {@code acp.lock} counts
     */
    public static String id(String name, Path project) {
        try (Agents agents = Agents.of(RegistrySettings.ofUser(), project)) {
            return name.replaceFirst("^[^@]*", agents.installation(name).id());
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** Returns a failure about agents by name with the exit code that it has everywhere. */
    public static RuntimeException failure(IOException e) {
        List<String> lines =
                String.valueOf(e.getMessage()).lines().map(SafeText::indented).toList();
        String first = lines.isEmpty() ? e.getClass().getSimpleName() : lines.getFirst();
        if (e instanceof UnknownAgentException unknown) {
            return new UsageException(first + "." + NearestName.suggestion(named(first), unknown.known()));
        }
        List<String> details = lines.isEmpty() ? lines : lines.subList(1, lines.size());
        return new CommandFailedException(new Failure(
                e.getClass().getPackageName().startsWith("java.") ? SafeText.line(IoProblem.text(e)) : first,
                details,
                ExitCode.AGENT_FAILED));
    }

    /** The last word of the sentence. */
    private static String named(String sentence) {
        return sentence.substring(sentence.lastIndexOf(' ') + 1);
    }
}
