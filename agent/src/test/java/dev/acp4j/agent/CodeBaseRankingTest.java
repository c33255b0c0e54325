package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds the tables of docs/decisions/0009: the rank of the right file for questions about code bases that were not
 * written with this agent in mind. Their source jars are unpacked by the build.
 */
class CodeBaseRankingTest {
    private static final Path DOCUMENT = Path.of("../docs/decisions/0009-search-without-a-model.md");
    private static final Pattern ROW = Pattern.compile("\\| (.+?) \\| `(.+?)` \\| (\\d+|–) \\| (\\d+|–) \\|");
    private static final Pattern MEAN = Pattern.compile("Mean reciprocal rank: (0\\.\\d+) before, (0\\.\\d+) now");
    private static final int RANKED = 60;

    /** A row: a question, the end of the name of the right file, and its rank, 0 when it is not found. */
    private record Row(String question, String file, int rank) {}

    @ParameterizedTest
    @CsvSource({"quartz, Quartz", "okhttp, OkHttp"})
    void noRankIsWorseThanDocumented(String folder, String heading) throws Exception {
        String section = section(heading);
        Matcher mean = MEAN.matcher(section);
        List<String> worse = new ArrayList<>();
        double sum = 0;
        List<Row> rows = rows(section);
        try (WorkspaceIndex index = new WorkspaceIndex(
                new WorkspaceFiles(List.of(Path.of("target/code-bases", folder).toRealPath())))) {
            for (Row row : rows) {
                int rank = rank(index, row);
                sum += rank == 0 ? 0 : 1.0 / rank;
                if (rank != row.rank()) {
                    worse.add(row.question() + ": " + rank + " instead of " + row.rank());
                }
            }
        }

        assertThat(rows).hasSize(20);
        assertThat(worse).as("ranks that differ from docs/decisions/0009").isEmpty();
        assertThat(mean.find()).isTrue();
        assertThat(sum / rows.size()).isCloseTo(Double.parseDouble(mean.group(2)), within(0.005));
    }

    private static int rank(WorkspaceIndex index, Row row) throws Exception {
        Answer answer = new WorkspaceSearch(index, TextFile::textOf)
                .answer(Question.of(row.question()), Scope.everywhere(), RANKED, (done, total) -> {});
        int rank = 0;
        for (Answer.Hit hit : answer.hits()) {
            rank++;
            if (("/" + hit.file().name()).endsWith("/" + row.file())) {
                return rank;
            }
        }
        return 0;
    }

    private static String section(String heading) throws IOException {
        String text = Files.readString(DOCUMENT);
        int from = text.indexOf("### " + heading);
        int to = text.indexOf("\n#", from + 1);
        assertThat(from).as("a section " + heading).isPositive();
        return to < 0 ? text.substring(from) : text.substring(from, to);
    }

    private static List<Row> rows(String section) {
        return ROW.matcher(section)
                .results()
                .map(row -> new Row(
                        row.group(1), row.group(2), row.group(4).equals("–") ? 0 : Integer.parseInt(row.group(4))))
                .toList();
    }
}
