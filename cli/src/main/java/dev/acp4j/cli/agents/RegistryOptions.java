package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.RegistryFailure;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Index;
import dev.acp4j.registry.RegistrySettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of the commands about agents by name. */
final class RegistryOptions {
    @Option(
            names = "--index",
            paramLabel = "SOURCE",
            description =
                    "Read this index, an address, a file or a folder, instead of those of the settings; repeatable, "
                            + "and the first counts most.")
    private List<String> indexes = new ArrayList<>();

    @Option(names = "--offline", description = "Open no connection; ACP_OFFLINE=1 does the same.")
    private boolean offline;

    @Option(names = "--json", description = "Print JSON, one object on each line.")
    boolean json;

    @Option(
            names = {"-v", "--verbose"},
            description = "Name the entries that were left out, too.")
    private boolean verbose;

    @Option(
            names = {"-q", "--quiet"},
            description = "Show no progress.")
    boolean quiet;

    /** Work with agents. */
    @FunctionalInterface
    interface Work {
        int run(Agents agents) throws IOException, InterruptedException;
    }

    /** Does work in the current folder; its failures have the exit codes that they have everywhere. */
    int with(Work work) throws InterruptedException {
        return with(Path.of(""), work);
    }

    int with(Path project, Work work) throws InterruptedException {
        try {
            RegistrySettings settings = RegistrySettings.ofUser();
            settings = indexes.isEmpty() ? settings : settings.indexes(indexes);
            settings = offline ? settings.offline(true) : settings;
            try (Agents agents = Agents.of(settings, project)) {
                return work.run(agents);
            }
        } catch (IOException e) {
            throw RegistryFailure.of(e);
        }
    }

    /** Reads the indexes, and says on standard error what is wrong with them. */
    List<Index> indexes(Agents agents, boolean refresh, Streams streams) throws IOException, InterruptedException {
        List<Index> indexes = agents.indexes(refresh);
        indexes.forEach(index -> sayProblems(index, streams));
        return indexes;
    }

    /** Reads the indexes that can be read, and says on standard error what is wrong with them and with the others. */
    List<Index> readable(Agents agents, boolean refresh, Streams streams) throws InterruptedException {
        List<Index> indexes = new ArrayList<>();
        for (String source : agents.settings().indexes()) {
            try {
                Index index = agents.index(source, refresh);
                sayProblems(index, streams);
                indexes.add(index);
            } catch (IOException e) {
                say(streams, IoProblem.text(e));
            }
        }
        return indexes;
    }

    private void sayProblems(Index index, Streams streams) {
        if (!index.staleness().isEmpty()) {
            say(streams, "the copy of " + index.source() + " is of " + index.asOf() + ": " + index.staleness());
        }
        if (verbose) {
            index.problems().forEach(problem -> say(streams, "left out of " + index.source() + ": " + problem));
        } else if (index.problems().size() == 1) {
            say(streams, "an entry of " + index.source() + " was left out; -v names it");
        } else if (!index.problems().isEmpty()) {
            say(streams, index.problems().size() + " entries of " + index.source() + " were left out; -v names them");
        }
    }

    static void say(Streams streams, String sentence) {
        streams.err().println("acp: " + SafeText.line(sentence));
    }
}
