package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.schema.Version;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page on versions: what features do on each, what a translation cannot carry, and what the programs of the README
 * send. The rows are in {@code versions.txt}, each with tests; the wire is that of the programs, run here.
 */
@Timeout(120)
class VersionsTest {
    private static final Path PAGE = NamedTest.ROOT.resolve("docs/versions.md");
    private static final String FEATURES = "Features";

    /** The last of the cells names tests. */
    private record Row(String part, List<String> cells, List<NamedTest> tests) {
        static Row of(String part, String line) {
            List<String> cells =
                    Stream.of(line.split("\\|", -1)).map(String::strip).toList();
            assertThat(cells).as(line).hasSize(part.equals(FEATURES) ? 4 : 3);
            int last = cells.size() - 1;
            return new Row(part, cells.subList(0, last), NamedTest.all(cells.get(last)));
        }
    }

    private static final List<Row> ROWS = new ArrayList<>();

    @TempDir
    Path folder;

    @BeforeAll
    static void read() throws IOException {
        ROWS.clear();
        try (var file = Objects.requireNonNull(VersionsTest.class.getResourceAsStream("versions.txt"))) {
            String part = "";
            for (String line : new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                if (line.startsWith("## ")) {
                    part = line.substring(3);
                } else if (!line.isBlank() && !line.startsWith("# ")) {
                    ROWS.add(Row.of(part, line));
                }
            }
        }
    }

    @Test
    void everyRowHasTestsThatRun() throws IOException {
        for (Row row : ROWS) {
            assertThat(row.tests()).as("%s", row).isNotEmpty();
            for (NamedTest test : row.tests()) {
                assertThat(test.runs()).as("%s exists and runs", test).isTrue();
            }
        }
    }

    @Test
    void whatIsSaidOfTranslationIsTestedThere() {
        assertThat(ROWS)
                .filteredOn(row -> !row.part().equals(FEATURES))
                .allSatisfy(row ->
                        assertThat(row.tests()).extracting(NamedTest::type).containsOnly("TranslatorTest"));
    }

    @Test
    void thePageIsUpToDate() throws Exception {
        String page = page();
        if (Boolean.getBoolean("versions.write")) {
            Files.writeString(PAGE, page);
        }

        assertThat(PAGE)
                .as(
                        "make the page with: mvn verify -pl it -am -Dtest=VersionsTest -Dsurefire.failIfNoSpecifiedTests=false"
                                + " -Dversions.write=true")
                .hasContent(page);
    }

    private String page() throws Exception {
        StringBuilder page = new StringBuilder("""
                # Versions of the protocol

                One API speaks version 1 and version 2 of the protocol. Version 2 is a draft, so a program speaks it only if it says so:
                `.protocol(Version.V1, Version.V2)` at the builder of an agent or of a client. `acp` has `--protocol 1|2|auto`, and `acp translate` puts a
                program of one version behind the other. [How it works](decisions/0019-version-2-on-the-wire.md).

                `VersionsTest` generates this page: the rows from `versions.txt` of the module `it`, where each names tests that exist and run, and the
                messages from programs that it runs.

                ## What each feature does

                | feature | version 1 | version 2 | shown by |
                |---|---|---|---|
                """);
        append(page, FEATURES);
        page.append("""

                ## What a translation cannot carry

                `acp translate` and `Translator` join an agent of one version to a client of the other.
                """);
        for (String part : ROWS.stream().map(Row::part).distinct().skip(1).toList()) {
            page.append("\n### ").append(part).append("\n\n| what | what happens | shown by |\n|---|---|---|\n");
            append(page, part);
        }
        page.append("""

                ## The same programs on both wires

                The [agent](../README.md#an-agent) and the [client](../README.md#a-client) of the README. In version 2 both have one line more:
                `.protocol(Version.V2)`. The client prints the same. `-->` is sent by the client; each message is one line.
                """);
        for (Version version : Version.values()) {
            page.append("\n### Version ").append(version.number()).append("\n\n```\n");
            wire(version).forEach(line -> page.append(line).append('\n'));
            page.append("```\n");
        }
        return page.toString();
    }

    private static void append(StringBuilder page, String part) throws IOException {
        for (Row row : ROWS) {
            if (row.part().equals(part)) {
                List<String> links = new ArrayList<>();
                for (NamedTest test : row.tests()) {
                    links.add(test.link());
                }
                page.append("| %s | %s |\n".formatted(String.join(" | ", row.cells()), String.join(" · ", links)));
            }
        }
    }

    /** Returns what the programs of the README send each other, without what differs from run to run. */
    private List<String> wire(Version version) throws Exception {
        Path here =
                Files.createDirectory(folder.resolve("v" + version.number())).toRealPath();
        Path traces = here.resolve("traces");
        String classes = Path.of(Agent.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        List<String> command = new ArrayList<>();
        for (String program : List.of("Ask", "EchoAgent")) {
            Files.writeString(here.resolve(program + ".java"), source(program, version));
            command.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    classes,
                    program + ".java"));
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(here.toFile())
                .redirectErrorStream(true)
                .redirectOutput(here.resolve("output").toFile());
        builder.environment().put("ACP4J_TRACE", traces.toString());
        Process client = builder.start();
        boolean ended = client.waitFor(60, TimeUnit.SECONDS);
        client.descendants().forEach(ProcessHandle::destroyForcibly);
        client.destroyForcibly();
        assertThat(here.resolve("output")).as("ended: %s", ended).hasContent("You said: What is 2 + 2? [end_turn]");
        return messages(traces, here);
    }

    private static String source(String program, Version version) throws IOException {
        String readme = Files.readString(NamedTest.ROOT.resolve("README.md"));
        String begin = "<!-- " + program + " -->\n```java\n";
        int from = readme.indexOf(begin) + begin.length();
        String source = readme.substring(from, readme.indexOf("```", from));
        String spoken = source.replaceFirst(
                "\\.builder\\(([^)]*)\\)", ".builder($1)\n.protocol(dev.acp4j.schema.Version." + version + ")");
        assertThat(spoken).isNotEqualTo(source);
        return version == Version.V1 ? source : spoken;
    }

    private static List<String> messages(Path traces, Path here) throws IOException {
        List<String> messages = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(traces, "client-*.trace.jsonl")) {
            for (Path file : files) {
                for (TraceEvent event : TraceFile.read(file)) {
                    if (event.type().isMessage()) {
                        messages.add((event.from().equals("client") ? "--> " : "<-- ") + event.message());
                    }
                }
            }
        }
        assertThat(messages).isNotEmpty();
        return messages.stream()
                .map(message -> message.replace(here.toString(), "/home/you/project")
                        .replaceAll("\"sessionId\":\"[^\"]*\"", "\"sessionId\":\"session-1\""))
                .toList();
    }
}
