package dev.acp4j.bench;

import static org.assertj.core.api.Assertions.assertThat;

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
        Results results = Rounds.of(new Workloads(Scale.BRIEF, Bench.WORK).all(), Scale.BRIEF);
        String table = Table.of(results);
        System.out.println(table);

        assertThat(results.failures().values())
                .allSatisfy(subjects -> assertThat(subjects.values()).allMatch(why -> why.startsWith("skipped")));
        assertThat(results.subjects())
                .contains(Subject.FLOOR, Subject.ACP4J, Subject.ACP4J_PLAIN, Subject.JAVA_SDK, Subject.KOTLIN_SDK);
        assertThat(results.rows()).extracting(Results.Row::workload).contains("start", "client", "jmh");
        assertThat(results.json()).contains("\"median\"");
    }
}
