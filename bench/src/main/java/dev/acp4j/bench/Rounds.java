package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs workloads, round by round, all subjects in each: a machine that becomes slower does so for all of them. */
final class Rounds {
    private final Results results = new Results();
    private final Scale scale;

    private Rounds(Scale scale) {
        this.scale = scale;
    }

    /** What is done with all results so far when a workload is over. */
    interface Keeping {
        void keep(Results results) throws IOException;
    }

    /** Runs them in their order, and says on standard error how far it is. One that fails does not stop the others. */
    static Results of(List<Workload> workloads, Scale scale, Keeping keeping) throws IOException {
        Rounds rounds = new Rounds(scale);
        for (int i = 0; i < workloads.size(); i++) {
            System.err.println((i + 1) + " of " + workloads.size() + ": "
                    + workloads.get(i).name() + " …");
            rounds.run(workloads.get(i));
            keeping.keep(rounds.results);
        }
        return rounds.results;
    }

    /** One round before those that count warms the driver and the disk's cache. */
    private void run(Workload workload) {
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
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (Exception e) {
            System.err.println(workload.name() + " with " + subject.name() + " failed:");
            e.printStackTrace();
            results.missing(workload.name(), subject.name(), "failed: " + e.getMessage());
            return false;
        }
        if (counts) {
            values.forEach(value -> results.add(workload.name(), value.what(), subject.name(), value.number()));
        }
        return true;
    }
}
