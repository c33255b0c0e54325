package dev.acp4j.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The short form: everything works and has a row. No time is looked at. */
@EnabledOnOs(OS.LINUX)
class BenchTest {
    @Test
    @Timeout(1_200)
    void everyWorkloadRunsWithEverySubject() throws Exception {
        List<Workload> all = new Workloads(Scale.BRIEF, Bench.WORK).all();
        int half = all.size() / 2;
        // The halves run beside each other; a measurement must not.
        List<Results> results = Stream.of(all.subList(0, half), all.subList(half, all.size()))
                .parallel()
                .map(part -> Rounds.of(part, Scale.BRIEF))
                .toList();
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
