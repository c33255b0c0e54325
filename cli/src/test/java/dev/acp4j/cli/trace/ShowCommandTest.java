package dev.acp4j.cli.trace;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.Golden;
import dev.acp4j.cli.TerminalRun;
import dev.acp4j.cli.TraceSamples;
import dev.acp4j.trace.TraceFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.WCWidth;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A trace in the terminal. */
@Timeout(120)
class ShowCommandTest {
    private static final String HOSTILE =
            "{\"ts\":6,\"type\":\"stderr\",\"from\":\"agent\",\"text\":\"\\u001b[2Jgone \\u202e\"}\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(temp.resolve("a.trace.jsonl"), TraceSamples.CHAIN + HOSTILE);
    }

    private AcpRun show(String... options) {
        List<String> args = new ArrayList<>(List.of("trace", "show"));
        args.addAll(List.of(options));
        args.add(file.toString());
        return acp(args.toArray(new String[0])).env("TZ", "UTC").run();
    }

    @Test
    @Tag("TRC-03")
    @Tag("TRC-07")
    void eachEventIsALineWithWhatMattersOfIt() {
        AcpRun run = show();

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        Golden.check("trace-show.txt", run.out());
    }

    @ParameterizedTest
    @Tag("TRC-07")
    @CsvSource(
            delimiter = '|',
            value = {
                "--method=init*|4",
                "--method=session/update --method=fs/*|3",
                "--session=s|4",
                "--session=s2|0",
                "--from=agent|7",
                "--to=proxy:0|2",
                "--errors|2",
                "--type=stderr,noise|3",
                "--grep=HELLO|1",
                "--since=1.5 --until=3|3",
                "--from=client --grep=what.is|1",
            })
    void filtersNarrowIt(String options, int lines) {
        AcpRun run = show(options.split(" "));

        assertThat(run.lines().stream().filter(line -> line.startsWith("    "))).hasSize(lines);
        assertThat(run.out()).contains(lines + " of 12 events");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void asJsonItIsATraceAgain() throws Exception {
        AcpRun run = show("--json", "--session", "s1");
        Path part = Files.writeString(temp.resolve("part.jsonl"), run.out());

        assertThat(TraceFile.header(part).subject()).isEqualTo("gemini --acp");
        assertThat(TraceFile.read(part)).hasSize(4);
    }

    @Test
    void rawItIsTheMessagesThemselves() {
        assertThat(show("--raw").lines())
                .hasSize(8)
                .contains("{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32002,\"message\":\"no such file\"}}");
    }

    @Test
    void aTraceComesFromStandardInputToo() {
        AcpRun run = acp("trace", "show", "-").input(TraceSamples.CHAIN).run();

        assertThat(run.out()).contains("11 events");
    }

    @Test
    void theTracesOfTheHopsOfOneRunAreShownAsOne() throws Exception {
        Path hop = Files.writeString(temp.resolve("hop.jsonl"), """
                {"trace":1,"began":"2026-01-01T00:00:00.5Z","subject":"hop"}
                {"ts":0.1,"type":"stderr","from":"proxy:0","text":"between"}
                """);

        List<String> lines = show(hop.toString()).lines();

        assertThat(lines.getFirst()).isEqualTo("hop | gemini --acp");
        assertThat(lines.get(3)).startsWith("    0.600").contains("between");
    }

    @Test
    void aTornLastLineIsSaidAndIsNoFailure() throws Exception {
        Files.writeString(file, "{\"ts\":7,\"ty", StandardOpenOption.APPEND);

        AcpRun run = show();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("✗ line 14 of the file is incomplete, possibly because the program was killed\n12 events");
    }

    @Test
    void aBrokenLineIsSaidAndTheRestIsShown() throws Exception {
        Files.writeString(file, "}}}\n" + HOSTILE.replace("gone", "later"), StandardOpenOption.APPEND);

        AcpRun run = show();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("✗ line 14 of the file cannot be read: ")
                .contains("later")
                .contains("13 events · 1 error · 1 unreadable line");
    }

    @ParameterizedTest
    @CsvSource({"hello, not a trace", "'', 'not a trace, the file is empty'", "'{\"trace\":9}', expected version 1"})
    void whatIsNoTraceIsCalledSo(String text, String message) throws Exception {
        Files.writeString(file, text);

        AcpRun run = show();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("acp: not a trace").contains(message);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void atATerminalLinesFitAndNothingMovesTheCursor() throws Exception {
        Files.writeString(file, HOSTILE.replace("gone", "\\u6f22\\u5b57 ".repeat(60)), StandardOpenOption.APPEND);

        try (TerminalRun run = TerminalRun.alone(temp, "trace", "show", file.toString())) {
            run.await("never answered by agent");
            assertThat(run.end()).isZero();
            String all = run.all();
            assertThat(all).contains("\u001b[1m").doesNotContain("\u001b[2J").contains("<U+202E>");
            assertThat(all.replaceAll("\u001b\\[[0-9;]*m", "").lines())
                    .allSatisfy(line -> assertThat(width(line)).isLessThanOrEqualTo(80));
        }
    }

    private static int width(String line) {
        return line.strip()
                .codePoints()
                .map(c -> Math.max(0, WCWidth.wcwidth(c)))
                .sum();
    }

    @Test
    @Tag("TRC-07")
    void aTraceIsFollowedAlsoWhenAnotherTakesItsPlace() throws Exception {
        Process acp = acp("trace", "show", "--follow", file.toString()).start();
        try (BufferedReader out = acp.inputReader()) {
            awaitLine(out, "gone");

            Files.writeString(file, HOSTILE.replace("gone", "added").substring(0, 20), StandardOpenOption.APPEND);
            Files.writeString(file, HOSTILE.replace("gone", "added").substring(20), StandardOpenOption.APPEND);
            awaitLine(out, "added");

            Path next = Files.writeString(temp.resolve("next"), TraceSamples.HEADER + HOSTILE.replace("gone", "new"));
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
            awaitLine(out, "gemini --acp");
            awaitLine(out, "new <U+202E>");
        } finally {
            acp.destroyForcibly();
        }
    }

    private static void awaitLine(BufferedReader out, String text) throws IOException {
        String line;
        do {
            line = out.readLine();
            assertThat(line).as("expected " + text).isNotNull();
        } while (!line.contains(text));
    }

    @Test
    void withoutAFileItIsTheNewestOne() throws Exception {
        Path folder = Files.createDirectories(temp.resolve("acp/traces"));
        Path old = Files.writeString(folder.resolve("b.trace.jsonl"), TraceSamples.CHAIN);
        assertThat(old.toFile().setLastModified(1_000_000)).isTrue();
        Files.writeString(folder.resolve("a.trace.jsonl"), TraceSamples.HEADER + HOSTILE);

        AcpRun run = acp("trace", "show").env("XDG_STATE_HOME", temp.toString()).run();
        AcpRun none = acp("trace", "show")
                .env("XDG_STATE_HOME", temp.resolve("none").toString())
                .run();

        assertThat(run.out()).contains("1 event ");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).startsWith("acp: there is no trace in ");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void outputThatIsLostIsTold() {
        AcpRun full =
                acp("trace", "show", file.toString()).redirected(">/dev/full").run();
        AcpRun page =
                acp("trace", "show", file.toString(), "--html", "/dev/full").run();

        assertThat(full.exitCode()).isEqualTo(6);
        assertThat(full.err()).isEqualTo("acp: standard output cannot be written: No space left on device\n");
        assertThat(page.exitCode()).isEqualTo(6);
        assertThat(page.err()).isEqualTo("acp: the page cannot be written: No space left on device\n");
    }

    @Test
    @Tag("TRC-08")
    void aPromptRecordsItsConnectionAndTheAgentsStandardError() throws Exception {
        Path trace = temp.resolve("prompt.jsonl");
        AcpRun run = acp("prompt", "--trace", trace.toString(), "hello")
                .with("noisy")
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(TraceFile.read(trace))
                .extracting(event -> event.type().text() + " " + event.method())
                .contains("request initialize", "result session/new", "request session/prompt", "stderr null");
        assertThat(TraceFile.header(trace).subject()).contains("ScriptedAgent");
    }

    @Test
    void aTraceThatCannotBeWrittenIsToldBeforeTheAgentStarts() {
        AcpRun run =
                acp("prompt", "--trace", "/nowhere/a.jsonl", "hello").with().run();
        AcpRun full = acp("prompt", "--trace", "/dev/full", "hello").with().run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("acp: the trace cannot be written: there is no /nowhere/a.jsonl\n");
        assertThat(full.err()).startsWith("acp: the trace cannot be written: No space left on device");
    }

    @Test
    void theBuiltInAgentRecordsItsSide() throws Exception {
        Path trace = temp.resolve("agent.jsonl");
        AcpRun run = acp("agent", "--trace", trace.toString())
                .input("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n")
                .run();

        assertThat(run.out()).contains("\"protocolVersion\":1");
        assertThat(TraceFile.read(trace))
                .extracting(event -> event.from() + " " + event.type().text() + " " + event.method())
                .contains("client request initialize", "agent result initialize", "client end null");
    }

    @Test
    @Tag("CON-25")
    void theTimeOfATurnIsThatOfEachEndWithoutWaitingForOthers() throws IOException {
        Files.writeString(file, TraceSamples.HEADER + """
                {"ts":0,"type":"chain","from":"conductor","ends":["client","policy","agent"]}
                {"ts":1,"type":"request","from":"client","to":"policy","flow":1,"id":1,"method":"session/prompt","session":"s"}
                {"ts":2,"type":"request","from":"policy","to":"agent","flow":1,"id":7,"method":"session/prompt","session":"s"}
                {"ts":5,"type":"request","from":"agent","to":"policy","flow":2,"id":3,"method":"session/request_permission","session":"s"}
                {"ts":5.5,"type":"request","from":"policy","to":"client","flow":2,"id":4,"method":"session/request_permission","session":"s"}
                {"ts":15.5,"type":"result","from":"client","to":"policy","flow":2,"id":4,"method":"session/request_permission","session":"s"}
                {"ts":16,"type":"result","from":"policy","to":"agent","flow":2,"id":3,"method":"session/request_permission","session":"s"}
                {"ts":20,"type":"result","from":"agent","to":"policy","flow":1,"id":7,"method":"session/prompt","session":"s","result":{}}
                {"ts":21,"type":"result","from":"policy","to":"client","flow":1,"id":1,"method":"session/prompt","session":"s","result":{}}
                """);

        AcpRun run = show("--times");

        assertThat(run.lines().get(3))
                .as(run.err())
                .matches("1\\.000 +s +20\\.0 s  policy 3\\.00 s, agent 7\\.00 s, client 10\\.0 s");
    }
}
