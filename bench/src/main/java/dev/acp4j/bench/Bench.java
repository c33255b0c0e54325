package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command: {@code Bench [--brief] [--json FILE] [WORKLOAD…]}. Without names, all workloads; a name stands for all
 * that begin with it.
 */
final class Bench {
    /** Where programs are prepared, and where they write what goes wrong. */
    static final Path WORK = Path.of("target", "bench").toAbsolutePath();

    private final Results results = new Results();
    private final Scale scale;

    private Bench(Scale scale) {
        this.scale = scale;
    }

    public static void main(String[] args) throws Exception {
        boolean brief = false;
        Path json = null;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--brief" -> brief = true;
                case "--json" -> json = Path.of(args[++i]);
                default -> names.add(args[i]);
            }
        }
        Results results = run(brief ? Scale.BRIEF : Scale.FULL, names);
        System.out.println(Machine.describe() + "\n");
        System.out.println(Table.of(results));
        System.out.println(Targets.compare(results));
        if (json != null) {
            Files.writeString(json, results.json() + "\n");
        }
        System.exit(0);
    }

    /** Runs those workloads whose names begin with one of the given; all, when none is given. */
    static Results run(Scale scale, List<String> names) throws Exception {
        Bench bench = new Bench(scale);
        List<Workload> workloads = new Workloads(scale, WORK).all();
        List<Workload> chosen = workloads.stream()
                .filter(workload -> names.isEmpty() || names.stream().anyMatch(workload.name()::startsWith))
                .toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("no such workload; there are: "
                    + workloads.stream().map(Workload::name).toList());
        }
        for (Workload workload : chosen) {
            bench.run(workload);
        }
        return bench.results;
    }

    /** One round before those that count warms the driver and the disk's cache. */
    private void run(Workload workload) {
        System.err.println(workload.name() + " …");
        List<Subject> subjects = workload.subjects();
        for (int round = scale.isBrief() || workload.rounds() == 1 ? 1 : 0; round <= workload.rounds(); round++) {
            List<Subject> able = new ArrayList<>();
            for (Subject subject : subjects) {
                if (measured(workload, subject, round > 0)) {
                    able.add(subject);
                }
            }
            subjects = able;
        }
    }

    /** Returns false when the subject cannot do it. What was measured before that is thrown away. */
    private boolean measured(Workload workload, Subject subject, boolean counts) {
        record Value(String what, double number) {}
        if (subject.isMissing()) {
            results.missing(workload.name(), subject.name(), "skipped: " + subject.missing());
            return false;
        }
        List<Value> values = new ArrayList<>();
        try {
            workload.measure(subject, (what, value) -> values.add(new Value(what, value)));
        } catch (IOException | RuntimeException e) {
            results.missing(workload.name(), subject.name(), "failed: " + e.getMessage());
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (Exception e) {
            throw new IllegalStateException(workload.name() + " with " + subject.name(), e);
        }
        if (counts) {
            values.forEach(value -> results.add(workload.name(), value.what(), subject.name(), value.number()));
        }
        return true;
    }
}
