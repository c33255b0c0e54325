package dev.acp4j.it.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.acp4j.it.NodePrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same faults for acp4j and the SDKs of others. Each run measures acp4j, all of whose verdicts must be good and
 * stand in {@code docs/reliability.md}; with {@code -Dacp4j.sideBySide=all} the others are measured as well, and the
 * section there is written anew.
 */
@Timeout(600)
@Tag("TST-08")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SideBySideTest {
    /** So many conversations run at once. */
    private static final int ABREAST = 4;

    private static final boolean ALL = "all".equals(System.getProperty("acp4j.sideBySide"));

    /** So often each fault must go well to be said to go well. */
    private static final int TIMES = ALL ? 3 : 1;

    private static final Path PAGE = Path.of("../docs/reliability.md");
    private static final String BEGIN = "<!-- side by side: written by SideBySideTest -->\n";
    private static final String END = "<!-- side by side: end -->\n";

    @TempDir
    static Path folder;

    private final ExecutorService pool = Executors.newFixedThreadPool(ABREAST);

    /** What becomes of a fault. */
    private record Row(String title, boolean mustGoOn, Future<String> verdict) {}

    private List<Row> clients = List.of();
    private List<Row> agents = List.of();

    @BeforeAll
    void start() {
        Verdicts verdicts = new Verdicts(Subject.ACP4J, Duration.ofSeconds(60), folder);
        clients = clients(verdicts);
        agents = agents(verdicts);
    }

    private List<Row> clients(Verdicts verdicts) {
        return AgentFaults.ALL.stream()
                .map(fault -> row(fault.title(), fault.mustGoOn(), () -> verdicts.of(fault)))
                .toList();
    }

    private List<Row> agents(Verdicts verdicts) {
        return ClientFaults.ALL.stream()
                .map(fault -> row(fault.title(), true, () -> verdicts.of(fault)))
                .toList();
    }

    private Row row(String title, boolean mustGoOn, Callable<String> judging) {
        return new Row(title, mustGoOn, pool.submit(() -> several(judging)));
    }

    /** Some faults are a matter of luck; a single good verdict says little of them. */
    private static String several(Callable<String> judging) throws Exception {
        String verdict = judging.call();
        for (int i = 1; i < TIMES && Verdicts.isGood(verdict); i++) {
            String again = judging.call();
            verdict = Verdicts.isGood(again) ? verdict : again + ", sometimes";
        }
        return verdict;
    }

    @AfterAll
    void end() {
        pool.shutdownNow();
    }

    @TestFactory
    Stream<DynamicTest> aClientGoesOnOrSaysWhyWhenItsAgent() {
        return clients.stream().map(SideBySideTest::test);
    }

    @TestFactory
    Stream<DynamicTest> anAgentGoesOnWhenItsClient() {
        return agents.stream().map(SideBySideTest::test);
    }

    private static DynamicTest test(Row row) {
        return dynamicTest(
                row.title,
                () -> assertThat(row.verdict.get()).isEqualTo(row.mustGoOn ? Verdicts.GOES_ON : Verdicts.SAYS_WHY));
    }

    @Test
    void thePageShowsWhatWasMeasured() throws Exception {
        String page = Files.readString(PAGE);
        for (Row row : Stream.concat(clients.stream(), agents.stream()).toList()) {
            assertThat(page).contains("| " + row.title + " | " + row.verdict.get() + " |");
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "acp4j.sideBySide", matches = "all")
    void theOthersAreMeasuredAndThePageIsWritten() throws Exception {
        List<String> names = new ArrayList<>(List.of(Subject.ACP4J.name()));
        List<List<Row>> clientColumns = new ArrayList<>(List.of(clients));
        List<List<Row>> agentColumns = new ArrayList<>(List.of(agents));
        Path node = NodePrograms.folder();
        for (Subject subject : List.of(
                Subject.java("Java SDK 0.14.0", JavaSdkAgent.class, JavaSdkClient.class),
                Subject.node(
                        "TypeScript SDK 2.4.0",
                        node.resolve("subject-agent.mjs"),
                        node.resolve("subject-client.mjs")))) {
            Verdicts verdicts = new Verdicts(subject, Duration.ofSeconds(20), folder);
            names.add(subject.name());
            clientColumns.add(clients(verdicts));
            agentColumns.add(agents(verdicts));
        }
        String tables = table("a client whose agent …", names, clientColumns) + "\n"
                + table("an agent whose client …", names, agentColumns);
        System.out.println(tables);
        String page = Files.readString(PAGE);
        int from = page.indexOf(BEGIN) + BEGIN.length();
        Files.writeString(PAGE, page.substring(0, from) + "\n" + tables + "\n" + page.substring(page.indexOf(END)));
    }

    private static String table(String title, List<String> names, List<List<Row>> columns) throws Exception {
        StringBuilder table = new StringBuilder("| " + title + " | " + String.join(" | ", names) + " |\n");
        table.append("|---".repeat(names.size() + 1)).append("|\n");
        for (int i = 0; i < columns.get(0).size(); i++) {
            table.append("| ").append(columns.get(0).get(i).title);
            for (List<Row> column : columns) {
                table.append(" | ").append(column.get(i).verdict.get());
            }
            table.append(" |\n");
        }
        return table.toString();
    }
}
