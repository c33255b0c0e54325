package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page on what the documentation demands has every row once, and the tests that it names exist. */
class RowsTest {
    private static final Path PAGE = NamedTest.ROOT.resolve("docs/rows.md");
    private static final List<String> STATES = List.of("works", "partly", "not yet", "not wanted");

    /** The parts and how many rows each has. */
    private static final List<String> PARTS =
            List.of("A16", "B27", "C21", "D16", "E6", "F16", "G23", "H19", "I19", "J11", "K25", "L14", "M18", "O14");

    /** A part begins with a row that has a title only. */
    private record Row(String id, String demand, String state, List<NamedTest> tests, String note) {
        static Row of(String line) {
            if (line.startsWith("## ")) {
                return new Row("", line, "", List.of(), "");
            }
            List<String> cells =
                    Stream.of(line.split("\\|", -1)).map(String::strip).toList();
            assertThat(cells).as(line).hasSize(5);
            return new Row(cells.get(0), cells.get(1), cells.get(2), NamedTest.all(cells.get(3)), cells.get(4));
        }

        boolean isTitle() {
            return id.isEmpty();
        }
    }

    private static List<Row> all = List.of();

    @BeforeAll
    static void read() throws IOException {
        try (var file = Objects.requireNonNull(RowsTest.class.getResourceAsStream("rows.txt"))) {
            all = new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("# "))
                    .map(Row::of)
                    .toList();
        }
    }

    private static List<Row> rows() {
        return all.stream().filter(row -> !row.isTitle()).toList();
    }

    @Test
    void everyRowStandsThereOnce() {
        List<String> ids = PARTS.stream()
                .flatMap(part -> IntStream.rangeClosed(1, Integer.parseInt(part.substring(1)))
                        .mapToObj(number -> part.charAt(0) + "" + number))
                .toList();

        assertThat(rows()).extracting(Row::id).containsExactlyElementsOf(ids);
    }

    @Test
    void whatWorksHasATestAndWhatDoesNotHasAReason() {
        assertThat(rows()).allSatisfy(row -> {
            assertThat(row.state()).isIn(STATES);
            assertThat(row.state().equals("works") ? row.tests().toString() : row.note())
                    .isNotIn("", "[]");
        });
    }

    @Test
    void everyTestExistsAndRuns() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Row row : rows()) {
            for (NamedTest test : row.tests()) {
                if (!test.runs()) {
                    missing.add(row.id() + " " + test);
                }
            }
        }

        assertThat(missing).isEmpty();
    }

    @Test
    void thePageIsUpToDate() throws IOException {
        String page = page();
        if (Boolean.getBoolean("rows.write")) {
            Files.writeString(PAGE, page);
        }

        assertThat(PAGE)
                .as("make the page with: mvn verify -pl it -am -Dtest=RowsTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Drows.write=true")
                .hasContent(page);
    }

    private static String page() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        rows().forEach(row -> counts.merge(row.id().charAt(0) + row.state(), 1, Integer::sum));
        StringBuilder page = new StringBuilder("""
                # What the documentation demands

                What the documentation of the protocol (July 2026) demands or promises beside its schema, and whether acp4j does it. *works* is shown by
                the tests that are named; what no test shows is not called so. `RowsTest` generates this page from `rows.txt` of the module `it`, and fails
                when it is out of date or names a test that does not exist.

                """);
        page.append("| part | %s |\n".formatted(String.join(" | ", STATES)));
        page.append("|---%s|\n".formatted("|---".repeat(STATES.size())));
        for (Row title : all.stream().filter(Row::isTitle).toList()) {
            String name = title.demand().substring(3);
            page.append("| %s |".formatted(name));
            for (String state : STATES) {
                page.append(" %d |".formatted(counts.getOrDefault(name.charAt(0) + state, 0)));
            }
            page.append('\n');
        }
        page.append("| all |");
        for (String state : STATES) {
            page.append(" %d |"
                    .formatted(rows().stream()
                            .filter(row -> row.state().equals(state))
                            .count()));
        }
        page.append('\n');
        for (Row row : all) {
            if (row.isTitle()) {
                page.append("\n%s\n\n| row | demand | state | tests; what is missing, or why |\n|---|---|---|---|\n"
                        .formatted(row.demand()));
            } else {
                page.append("| %s | %s | %s | %s |\n".formatted(row.id(), row.demand(), row.state(), answer(row)));
            }
        }
        return page.toString();
    }

    private static String answer(Row row) throws IOException {
        List<String> parts = new ArrayList<>();
        for (NamedTest test : row.tests()) {
            parts.add(test.link());
        }
        return Stream.of(String.join(" · ", parts), row.note())
                .filter(part -> !part.isEmpty())
                .reduce((tests, note) -> tests + ". " + note)
                .orElse("");
    }
}
