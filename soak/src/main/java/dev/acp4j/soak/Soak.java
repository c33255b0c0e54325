package dev.acp4j.soak;

import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The command: {@code Soak [--brief] [--protocol 1|2] [--seed N] [kill] [soak] [heap] [chaos] [chain]}; without names,
 * all. Ends with a table, and with exit code 1 if anything was wrong.
 */
final class Soak {
    private static final Map<String, Trial> TRIALS = new LinkedHashMap<>();

    static {
        TRIALS.put("kill", new StartAndKill());
        TRIALS.put("soak", new ManySessions(false));
        TRIALS.put("heap", new SmallHeap());
        TRIALS.put("chaos", new Chaos());
        TRIALS.put("chain", new Chain());
        // What the trial above starts in a process of its own.
        TRIALS.put(SmallHeap.INSIDE, new ManySessions(true));
    }

    private Soak() {}

    public static void main(String[] args) throws Exception {
        long seed = System.nanoTime() % 1_000_000;
        boolean brief = false;
        Version version = Version.V1;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--brief" -> brief = true;
                case "--protocol" -> version = args[++i].equals("2") ? Version.V2 : Version.V1;
                case "--seed" -> seed = Long.parseLong(args[++i]);
                default -> names.add(args[i]);
            }
        }
        if (!TRIALS.keySet().containsAll(names)) {
            System.err.println(
                    "usage: soak [--brief] [--protocol 1|2] [--seed N] [kill] [soak] [heap] [chaos] [chain]");
            System.exit(2);
        }
        if (names.isEmpty()) {
            names.addAll(List.of("kill", "soak", "heap", "chaos", "chain"));
        }
        System.exit(runAll(names, seed, version, brief) ? 0 : 1);
    }

    private static boolean runAll(List<String> names, long seed, Version version, boolean brief) throws Exception {
        boolean good = true;
        Map<String, Run> done = new LinkedHashMap<>();
        for (String name : names) {
            System.out.println("== " + name + ", version " + version.number() + ", seed " + seed);
            Run run = brief ? Run.brief(seed, version) : Run.full(seed, version);
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
