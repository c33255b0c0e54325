package dev.acp4j.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The short form: everything works and has a row. No time is looked at. */
@EnabledOnOs(OS.LINUX)
class BenchTest {
    private static final int PARTS = 4;

    @Test
    @Timeout(1_200)
    void everyWorkloadRunsWithEverySubject() throws Exception {
        List<Workload> all = new Workloads(Scale.BRIEF, Bench.WORK).all();
        // The parts run beside each other, since most of the time is waiting; a measurement must not.
        List<Results> results;
        try (ExecutorService threads = Executors.newFixedThreadPool(PARTS)) {
            List<Future<Results>> parts = new ArrayList<>();
            for (int part = 0; part < PARTS; part++) {
                List<Workload> its = all.subList(all.size() * part / PARTS, all.size() * (part + 1) / PARTS);
                parts.add(threads.submit(() -> Rounds.of(its, Scale.BRIEF, soFar -> {})));
            }
            results = new ArrayList<>();
            for (Future<Results> part : parts) {
                results.add(part.get());
            }
        }
        results.forEach(part -> System.out.println(Table.of(part)));

        assertThat(results)
                .allSatisfy(part -> assertThat(part.failures().values())
                        .allSatisfy(
                                subjects -> assertThat(subjects.values()).allMatch(why -> why.startsWith("skipped"))));
        assertThat(results)
                .flatExtracting(Results::subjects)
                .contains(Subject.FLOOR, Subject.ACP4J, Subject.ACP4J_PLAIN, Subject.JAVA_SDK, Subject.KOTLIN_SDK);
        assertThat(results)
                .flatExtracting(part -> {
                    Set<String> tried = new HashSet<>(part.failures().keySet());
                    part.rows().forEach(row -> tried.add(row.workload()));
                    return tried;
                })
                .contains(all.stream().map(Workload::name).toArray(String[]::new));
        assertThat(results).allSatisfy(part -> assertThat(part.json()).contains("\"median\""));
    }
}
