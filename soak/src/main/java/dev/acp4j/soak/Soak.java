package dev.acp4j.soak;

import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The command: {@code Soak [--brief] [--minutes N] [--protocol 1|2] [--seed N] [kill] [soak] [heap] [chaos] [chain]
 * [remote]}; without names, all. Ends with a table, and with exit code 1 if anything was wrong.
 */
final class Soak {
    private static final String SMALL_HEAP = "slow";
    private static final String REMOTE = "remote-inside";
    private static final List<String> ALL = List.of("kill", "soak", "heap", "chaos", "chain", "remote");

    private static final Map<String, Trial> TRIALS = new LinkedHashMap<>();

    static {
        TRIALS.put("kill", new StartAndKill());
        TRIALS.put("soak", new ManySessions(false));
        TRIALS.put("heap", smallHeap());
        TRIALS.put("chaos", new Chaos());
        TRIALS.put("chain", new Chain());
        // A heap that is resident from the beginning, so that what the process takes beyond it shows.
        TRIALS.put("remote", new OwnProcess(REMOTE, "-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"));
        // What trials above start in processes of their own.
        TRIALS.put(SMALL_HEAP, new ManySessions(true));
        TRIALS.put(REMOTE, new Remote());
    }

    private Soak() {}

    /** Many sessions with slow consumers and large updates, both ends in one process with a heap of 256 MB. */
    static Trial smallHeap() {
        return new OwnProcess(SMALL_HEAP, "-Xmx256m", "-XX:+ExitOnOutOfMemoryError");
    }

    public static void main(String[] args) throws Exception {
        long seed = System.nanoTime() % 1_000_000;
        boolean brief = false;
        Duration time = Duration.ofMinutes(5);
        Version version = Version.V1;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--brief" -> brief = true;
                case "--minutes" -> time = Duration.ofMinutes(Long.parseLong(args[++i]));
                case "--protocol" -> version = args[++i].equals("2") ? Version.V2 : Version.V1;
                case "--seed" -> seed = Long.parseLong(args[++i]);
                default -> names.add(args[i]);
            }
        }
        if (!TRIALS.keySet().containsAll(names)) {
            System.err.println("usage: soak [--brief] [--minutes N] [--protocol 1|2] [--seed N] "
                    + ALL.stream().map(name -> "[" + name + "]").collect(Collectors.joining(" ")));
            System.exit(2);
        }
        if (names.isEmpty()) {
            names.addAll(ALL);
        }
        System.exit(runAll(names, seed, version, brief, time) ? 0 : 1);
    }

    private static boolean runAll(List<String> names, long seed, Version version, boolean brief, Duration time)
            throws Exception {
        boolean good = true;
        Map<String, Run> done = new LinkedHashMap<>();
        for (String name : names) {
            System.out.println("== " + name + ", version " + version.number() + ", seed " + seed);
            Run run = brief ? Run.brief(seed, version) : Run.full(seed, version, time);
            Progress progress = new Progress(run);
            try {
                Objects.requireNonNull(TRIALS.get(name)).run(run);
            } catch (Exception e) {
                run.fault(name + " failed: " + e);
            } finally {
                progress.end();
            }
            run.count("seconds", run.nanos() / 1_000_000_000);
            done.put(name, run);
            good &= run.faults().isEmpty();
        }
        done.forEach(Soak::print);
        return good;
    }

    private static void print(String name, Run run) {
        System.out.printf(Locale.ROOT, "%n%s, seed %d: %s%n", name, run.seed, verdict(run));
        run.counts().forEach((what, number) -> System.out.printf(Locale.ROOT, "  %,15d  %s%n", number.sum(), what));
    }

    private static String verdict(Run run) {
        return run.faults().isEmpty()
                ? "nothing wrong"
                : run.faults().stream().collect(Collectors.joining("\n  ", "WRONG\n  ", ""));
    }
}
