package dev.acp4j.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private static final Subject SUBJECT = new Subject("one", List.of("true"));

    private record Counting(String name, boolean fails) implements Workload {
        @Override
        public List<Subject> subjects() {
            return List.of(SUBJECT);
        }

        @Override
        public int rounds() {
            return 1;
        }

        @Override
        public void measure(Subject subject, Sheet sheet) throws Exception {
            if (fails) {
                throw new ExecutionException("the server has ended", null);
            }
            sheet.write("number", 7);
        }
    }

    @Test
    void aWorkloadThatFailsDoesNotStopTheOthersAndAllIsKeptAfterEach() throws Exception {
        List<String> kept = new ArrayList<>();

        Results results = Rounds.of(
                List.of(new Counting("a", false), new Counting("b", true), new Counting("c", false)),
                Scale.BRIEF,
                soFar -> kept.add(soFar.json()));

        assertThat(results.rows()).extracting(Results.Row::workload).containsExactly("a", "c");
        assertThat(results.failures()).containsOnlyKeys("b");
        assertThat(kept).hasSize(3);
        assertThat(kept.get(0)).contains("\"a\"");
        assertThat(kept.get(1)).contains("the server has ended");
    }
}
