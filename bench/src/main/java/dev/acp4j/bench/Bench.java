package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command. */
@Command(
        name = "bin/bench",
        sortOptions = false,
        description =
                "Measures acp4j beside the official SDKs and a floor that parses nothing; docs/performance.md says how.",
        footer = {
            "",
            "Without workloads, all of them: about a quarter of an hour. Exits with 2 when it was called wrongly."
        })
final class Bench implements Callable<Integer> {
    /** Where programs are prepared, and where they write what goes wrong. */
    static final Path WORK = Path.of("target", "bench").toAbsolutePath();

    @Option(names = "--brief", description = "Some minutes: shows that everything works; the times mean nothing.")
    private boolean brief;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes all values to this file; a relative path begins at the repository.")
    private @Nullable Path json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this.")
    @SuppressWarnings("UnusedVariable") // Read by picocli.
    private boolean help;

    @Parameters(paramLabel = "WORKLOAD", description = "What to run; a name stands for all that begin with it.")
    private List<String> names = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec spec;

    public static void main(String[] args) {
        System.exit(new CommandLine(new Bench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        checkFile();
        Scale scale = brief ? Scale.BRIEF : Scale.FULL;
        List<Workload> workloads = new Workloads(scale, WORK).all();
        Results results = Rounds.of(chosen(workloads), scale, this::keep);
        System.out.println(Machine.describe() + "\n");
        System.out.println(Table.of(results));
        System.out.println(Targets.compare(results));
        return 0;
    }

    /** Writes the values so far, so that a run which ends early keeps them. */
    private void keep(Results results) throws IOException {
        if (json != null) {
            Files.writeString(json, results.json() + "\n");
        }
    }

    private List<Workload> chosen(List<Workload> workloads) {
        for (String name : names) {
            if (workloads.stream().noneMatch(workload -> workload.name().startsWith(name))) {
                String all = workloads.stream().map(Workload::name).collect(Collectors.joining("; "));
                throw wrong("No workload begins with '" + name + "'. There are: " + all);
            }
        }
        return workloads.stream()
                .filter(workload -> names.isEmpty() || names.stream().anyMatch(workload.name()::startsWith))
                .toList();
    }

    /** Now, and not after a quarter of an hour. */
    private void checkFile() {
        if (json != null) {
            Path folder = json.toAbsolutePath().getParent();
            if (folder == null || !Files.isWritable(Files.exists(json) ? json : folder) || Files.isDirectory(json)) {
                throw wrong("Cannot write " + json + ": it is a folder, its folder is not there, or it is protected.");
            }
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), what);
    }
}
