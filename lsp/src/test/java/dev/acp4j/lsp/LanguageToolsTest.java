package dev.acp4j.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.tap.Poll;
import dev.acp4j.testkit.FakeTime;
import dev.acp4j.testkit.TestClient;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tools of the proxy in whole sessions, with a server that is a process and does what its arguments say. */
@Timeout(180)
class LanguageToolsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path temporary;

    private Path folder;
    private Path log;
    private final TestClient client = TestClient.create();
    private final List<String> notices = Collections.synchronizedList(new ArrayList<>());
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("project"));
        log = temporary.resolve("log");
        Files.createFile(log);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private <T extends AutoCloseable> T closing(T one) {
        open.push(one);
        return one;
    }

    // ---- the session

    private LanguageServer server(String... behaviour) {
        List<String> arguments = new ArrayList<>(List.of(
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ScriptedLanguageServer.class.getName(),
                log.toString()));
        arguments.addAll(List.of(behaviour));
        Launch launch = Launch.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), arguments)
                .shutdownTimes(Duration.ofMillis(200), Duration.ofMillis(200));
        return LanguageServer.of("script", launch, Map.of(".script", "script"));
    }

    private LanguageTools.Builder tools(String... behaviour) {
        return LanguageTools.builder()
                .server(server(behaviour))
                .answerTime(LONG)
                .onNotice(notices::add);
    }

    private ConnectedAgent connect(LanguageTools tools, Client.Builder with) throws Exception {
        Agent agent = McpServers.builder()
                .acp()
                .callTime(tool -> LONG)
                .addTo(Agent.builder("agent", "1")
                        .onPrompt(LanguageToolsTest::obey)
                        .onCloseSession(session -> {}))
                .build();
        Transports ends = closing(Transports.joined());
        closing(agent.connect(ends.agent()));
        closing(tools);
        return closing(with.connect(tools.proxy().before(ends.client())));
    }

    private Session session(LanguageTools.Builder tools) throws Exception {
        return connect(tools.build(), client.builder()).newSession(folder);
    }

    private static void obey(AgentTurn turn) throws Exception {
        McpServers mcp = McpServers.of(turn);
        String[] words = turn.text().split(" ", 3);
        switch (words[0]) {
            case "tools" -> mcp.tools(turn).forEach(tool -> turn.message(tool.name() + " "));
            case "write" -> turn.session().files().writeText(Path.of(words[1]), words[2]);
            case "diff" -> {
                try (ToolCallHandle call = turn.toolCall("edit", ToolKind.EDIT)) {
                    call.diff(Path.of(words[1]), null, words[2]);
                }
            }
            default -> {
                var result = mcp.call(turn, "lsp." + words[0], RawJson.parse(words[1]));
                turn.message((result.isError() ? "error: " : "") + result.text());
            }
        }
    }

    private static String ask(Session session, String tool, String arguments) throws Exception {
        return session.prompt(tool + " " + arguments.replace(" ", "\\u0020")).text();
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private List<String> log(String begin) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.startsWith(begin))
                .toList();
    }

    /** The same, for a condition. */
    private List<String> lines(String begin) {
        try {
            return log(begin);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- answers

    @Test
    @Tag("RMP-26")
    void theAgentGetsDiagnosticsDefinitionsReferencesAndSymbols() throws Exception {
        file("a.script", "def one\n  \uD83D\uDE00 one bad\n");
        Session session = session(tools("noisy"));

        assertThat(session.prompt("tools").text()).isEqualTo("diagnostics definition references symbols ");
        assertThat(log("pid")).isEmpty();
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}"))
                .isEqualTo("1 diagnostic in a.script:\na.script:2:10: error: \uD83D\uDE00 one bad [script E1]");
        // A smiley is two UTF-16 code units.
        assertThat(ask(session, "definition", "{\"file\":\"a.script\",\"line\":2,\"column\":6}"))
                .isEqualTo("1 definition for a.script:2:6:\na.script:1:5: def one");
        assertThat(ask(session, "definition", "{\"file\":\"" + folder + "/a.script\",\"line\":2,\"symbol\":\"bad\"}"))
                .isEqualTo("The server knows no definition for a.script:2:10.");
        assertThat(ask(session, "references", "{\"file\":\"a.script\",\"line\":2,\"symbol\":\"one\"}"))
                .isEqualTo("2 references for a.script:2:6:\na.script:1:5: def one\na.script:2:6: \uD83D\uDE00 one bad");
        assertThat(ask(session, "symbols", "{\"file\":\"a.script\"}"))
                .isEqualTo("a.script:\n  function one 1:5\n    variable body 1:1");
        assertThat(ask(session, "symbols", "{\"query\":\"one\"}"))
                .isEqualTo(
                        "Note: In the files of script (.script) nothing was looked for: the language server for script"
                                + " does not offer workspace/symbol");
        assertThat(log("pid")).hasSize(1);
    }

    @Test
    @Tag("RMP-26")
    void aPlaceThatIsNotThereIsNamed() throws Exception {
        file("a.script", "def one\n");
        Session session = session(tools());

        assertThat(ask(session, "definition", "{\"file\":\"a.script\",\"line\":3,\"column\":1}"))
                .isEqualTo("error: line: expected a number from 1 to 1, got 3");
        assertThat(ask(session, "definition", "{\"file\":\"a.script\",\"line\":1,\"column\":9}"))
                .isEqualTo("error: column: expected a number from 1 to 8 in line 1, got 9");
        assertThat(ask(session, "definition", "{\"file\":\"a.script\",\"line\":1,\"symbol\":\"on\"}"))
                .isEqualTo("error: symbol: line 1 has no on; it is: def one");
        assertThat(ask(session, "diagnostics", "{\"file\":\"b.script\"}")).contains("error: there is no file b.script");
        file("a.text", "");
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.text\"}"))
                .isEqualTo("error: no language server is configured for a.text; there are script (.script)");
    }

    @Test
    @Tag("RMP-26")
    void nothingOutsideOfTheFoldersIsReadNotEvenThroughALink() throws Exception {
        Path secret = Files.writeString(temporary.resolve("secret.script"), "def secret");
        Files.createSymbolicLink(folder.resolve("link.script"), secret);
        Session session = session(tools());

        for (String name : List.of("../secret.script", "link.script", secret.toString())) {
            assertThat(ask(session, "symbols", "{\"file\":\"" + name + "\"}"))
                    .contains("is not in the folders of the session, so it is not read");
        }
        assertThat(log("")).isEmpty();
    }

    @Test
    @Tag("RMP-26")
    void aPlaceThatAServerNamesBehindALinkOutOfTheFoldersHasNoLine() throws Exception {
        Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("secret.script"), "def secret");
        Files.createSymbolicLink(folder.resolve("vendor"), elsewhere);
        file("a.script", "use\n");
        Session session = session(tools("elsewhere"));

        assertThat(ask(session, "definition", "{\"file\":\"a.script\",\"line\":1,\"column\":1}"))
                .contains("vendor/secret.script:1:1")
                .doesNotContain("def secret");
    }

    // ---- texts

    @Test
    @Tag("RMP-26")
    void anAnswerIsOfTheFilesOnDiskAsTheyAreNow() throws Exception {
        Path file = file("a.script", "bad\n");
        Session session = session(tools());
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).startsWith("1 diagnostic");

        Files.writeString(file, "good\n");
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).isEqualTo("No diagnostics in a.script.");
        Files.writeString(file, "also bad\n");
        file("new.script", "def two");
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).contains("a.script:1:6: error: also bad");

        assertThat(log("workspace/didChangeWatchedFiles"))
                .last()
                .asString()
                .contains("new.script\",\"type\":1")
                .contains("a.script\",\"type\":2");
        assertThat(log("textDocument/didSave")).hasSize(2);
        Files.delete(file);
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).contains("error: there is no file a.script");
    }

    @Test
    @Tag("RMP-26")
    void whatTheClientHasUnsavedCountsUntilTheFileOnDiskChanges() throws Exception {
        Path file = file("a.script", "good\n");
        client.file(file, "good\n");
        Session session = session(tools());
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).isEqualTo("No diagnostics in a.script.");

        session.prompt("write " + file + " bad idea").result();
        assertThat(client.text(file)).contains("bad idea");
        assertThat(ask(session, "diagnostics", "{}"))
                .contains("a.script:1:1: error: bad idea")
                .contains("Note: a.script is as the client has it, which is not saved.");

        Files.writeString(file, "a better one\n");
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).isEqualTo("No diagnostics in a.script.");
    }

    @Test
    @Tag("RMP-26")
    void filesOfDiffsAreAmongThoseThatWereWritten() throws Exception {
        Path file = file("a.script", "bad\n");
        Session session = session(tools());

        assertThat(ask(session, "diagnostics", "{}"))
                .isEqualTo("No file was asked about or written in this session yet: name one.");
        session.prompt("diff " + file + " bad").result();
        assertThat(ask(session, "diagnostics", "{}")).startsWith("1 diagnostic in a.script:");
    }

    @Test
    @Tag("RMP-26")
    void anAnswerThatMayBeFromBeforeTheLastWriteSaysSo() throws Exception {
        Path file = file("a.script", "bad\n");
        FakeTime time = new FakeTime();
        Session session = session(tools("late").time(time));
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).startsWith("1 diagnostic");

        Files.writeString(file, "good\n");
        Turn late = session.prompt("diagnostics {\"file\":\"a.script\"}");
        time.awaitWaiters(1);
        time.advance(LONG);

        assertThat(late.text())
                .startsWith("1 diagnostic")
                .contains("Note: The server has not sent the diagnostics of a.script as it is now: these are from"
                        + " before the last write. Ask again.");
    }

    @Test
    @Tag("RMP-26")
    void aServerThatSendsNothingIsNotTakenForOneThatFindsNothing() throws Exception {
        file("a.script", "bad\n");
        FakeTime time = new FakeTime();
        Session session = session(tools("mute").time(time));
        assertThat(ask(session, "symbols", "{\"file\":\"a.script\"}")).isEqualTo("No symbols in a.script.");

        Turn turn = session.prompt("diagnostics {\"file\":\"a.script\"}");
        time.awaitWaiters(1);
        time.advance(LONG);

        assertThat(turn.text()).contains("The server has sent no diagnostics of a.script in time. That does not mean");
    }

    @Test
    @Tag("RMP-26")
    void aWriteThatIsUnderWayIsNamed() throws Exception {
        Path file = file("a.script", "good\n");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        ConnectedAgent agent = connect(tools("pull").build(), client.builder().onWriteTextFile((session, request) -> {
            begun.countDown();
            end.await();
            Files.writeString(Path.of(request.path()), request.content());
        }));
        Session writer = agent.newSession(folder);
        Session reader = agent.newSession(folder);
        assertThat(ask(reader, "diagnostics", "{\"file\":\"a.script\"}")).isEqualTo("No diagnostics in a.script.");

        Turn write = writer.prompt("write " + file + " bad");
        begun.await();
        assertThat(ask(reader, "diagnostics", "{\"file\":\"a.script\"}"))
                .startsWith("No diagnostics in a.script.")
                .contains("Note: This may be from before a write that was under way: a.script. Ask again.");
        end.countDown();
        write.result();
        assertThat(ask(reader, "diagnostics", "{\"file\":\"a.script\"}"))
                .isEqualTo("1 diagnostic in a.script:\na.script:1:1: error: bad [script E1]");
    }

    @Test
    @Tag("RMP-26")
    void diagnosticsWithoutAVersionCountWhenNothingMoreCame() throws Exception {
        file("a.script", "bad\n");
        Session session = session(tools("unversioned").quiet(Duration.ofMillis(50)));

        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).startsWith("1 diagnostic");
    }

    // ---- servers that misbehave

    @Test
    @Tag("RMP-26")
    void editsAreNotAppliedAndCommandsNotRun() throws Exception {
        Path file = file("a.script", "def one\none\n");
        Session session = session(tools("edits"));

        assertThat(ask(session, "definition", "{\"file\":\"a.script\",\"line\":2,\"column\":1}"))
                .contains("a.script:1:5: def one");

        assertThat(Poll.until(() -> lines("answer").size() == 2)).isTrue();
        assertThat(log("answer").get(0)).contains("\"applied\":false");
        assertThat(log("answer").get(1)).isEqualTo("answer null");
        assertThat(file).hasContent("def one\none\n");
        assertThat(log("workspace/executeCommand")).isEmpty();
    }

    @Test
    @Tag("RMP-26")
    void aServerThatDoesNotAnswerIsNamedAndStartedAgain() throws Exception {
        file("a.script", "def one\n");
        // Time stands still, so only what waits for an answer ends, by the clock of the machine.
        Session session =
                session(tools("silent").answerTime(Duration.ofSeconds(2)).time(new FakeTime()));
        String question = "{\"file\":\"a.script\",\"line\":1,\"column\":5}";

        String silence = "error: the language server for script did not answer textDocument/definition in time";
        assertThat(ask(session, "definition", question)).isEqualTo(silence);
        assertThat(Poll.until(() -> !lines("$/cancel").isEmpty())).isTrue();
        assertThat(ask(session, "definition", question)).isEqualTo(silence);
        assertThat(Poll.until(() -> !notices.isEmpty())).isTrue();
        assertThat(notices.get(0)).contains("it did not answer 2 requests, and was ended");
        // Whether the new one answers in time is not the point.
        assertThat(ask(session, "symbols", "{\"file\":\"a.script\"}")).isNotEmpty();
        assertThat(log("pid")).hasSize(2);
    }

    @Test
    @Tag("RMP-26")
    void aServerThatDiesIsStartedAgainAFewTimes() throws Exception {
        file("a.script", "def one\n");
        Session session = session(tools("dies"));
        String question = "{\"file\":\"a.script\",\"line\":1,\"column\":5}";

        for (int i = 1; i <= 3; i++) {
            assertThat(ask(session, "definition", question)).contains("ended while it was told");
            int count = i;
            assertThat(Poll.until(() -> notices.size() == count)).isTrue();
        }
        assertThat(ask(session, "definition", question))
                .contains("exit code 7")
                .contains("out of luck")
                .contains("It is not started again in this session.");
        assertThat(log("pid")).hasSize(3);
    }

    @Test
    @Tag("RMP-26")
    void aServerThatCannotStartIsReportedWithItsLastLines() throws Exception {
        file("a.script", "def one\n");
        Session session = session(tools("broken"));

        assertThat(ask(session, "symbols", "{\"file\":\"a.script\"}"))
                .contains("failed while starting: it ended with exit code 3")
                .contains("no such interpreter");
        assertThat(notices).singleElement().asString().startsWith("The language server for script (");
    }

    @Test
    @Tag("RMP-26")
    void aServerThatCountsColumnsInAnotherWayIsRefused() throws Exception {
        file("a.script", "def one\n");

        assertThat(ask(session(tools("utf-8")), "symbols", "{\"file\":\"a.script\"}"))
                .contains("it counts columns in utf-8, and only utf-16 was offered");
    }

    @Test
    @Tag("RMP-26")
    void aFloodOfDiagnosticsAndOfReferencesIsBounded() throws Exception {
        file("a.script", "def one bad\n");
        Session session = session(tools("flood", "huge"));

        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}"))
                .isEqualTo("1 diagnostic in a.script:\na.script:1:9: error: def one bad [script E1]");
        assertThat(ask(session, "references", "{\"file\":\"a.script\",\"line\":1,\"symbol\":\"one\"}"))
                .startsWith("10000 references")
                .endsWith("… and 9801 more lines, which are left out");
        assertThat(ask(session, "diagnostics", "{}")).hasSizeLessThan(40_000).contains("which are left out");
    }

    @Test
    @Tag("RMP-26")
    void aQuestionIsAskedAgainWhenTheTextHasChangedMeanwhile() throws Exception {
        file("a.script", "def one\n");

        assertThat(ask(session(tools("modified")), "definition", "{\"file\":\"a.script\",\"line\":1,\"column\":5}"))
                .startsWith("1 definition");
    }

    @Test
    @Tag("RMP-26")
    void aServerThatIsStillBusyMakesTheAnswerIncomplete() throws Exception {
        Path file = file("a.script", "good\n");
        FakeTime time = new FakeTime();
        Session session = session(tools("busy").time(time));
        assertThat(ask(session, "diagnostics", "{\"file\":\"a.script\"}")).isEqualTo("No diagnostics in a.script.");

        Files.writeString(file, "bad\n");
        Turn turn = session.prompt("diagnostics {\"file\":\"a.script\"}");
        // Whether it waits for the server to be idle depends on which of both is first.
        Thread clock = Thread.ofPlatform().daemon().start(() -> {
            try {
                time.awaitWaiters(1);
                time.advance(Duration.ofSeconds(11));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        assertThat(turn.text())
                .startsWith("1 diagnostic")
                .contains("Note: The language server for script is still busy (Indexing)");
        clock.interrupt();
        clock.join();
    }

    // ---- the end

    @Test
    @Tag("RMP-26")
    void theServerAndAllThatItHasStartedEndWithTheLastSessionOfTheFolder() throws Exception {
        file("a.script", "def one\n");
        ConnectedAgent agent = connect(tools("child", "deaf").build(), client.builder());
        Session first = agent.newSession(folder);
        Session second = agent.newSession(folder);
        assertThat(ask(first, "symbols", "{\"file\":\"a.script\"}")).contains("one");
        assertThat(ask(second, "symbols", "{\"file\":\"a.script\"}")).contains("one");
        assertThat(log("pid")).hasSize(1);

        first.close();
        assertThat(ask(second, "symbols", "{\"file\":\"a.script\"}")).contains("one");
        second.close();

        for (String line : List.of(log("pid ").get(0), log("child ").get(0))) {
            long pid = Long.parseLong(line.substring(line.indexOf(' ') + 1));
            assertThat(Poll.until(() ->
                            ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)))
                    .as(line)
                    .isTrue();
        }
    }

    @Test
    @Tag("RMP-26")
    void noMoreServersRunThanMay() throws Exception {
        file("a.script", "def one\n");
        Path other = Files.createDirectory(temporary.resolve("other"));
        Files.writeString(other.resolve("b.script"), "def two\n");
        ConnectedAgent agent = connect(tools().mostServers(1).build(), client.builder());
        Session first = agent.newSession(folder);
        assertThat(ask(first, "symbols", "{\"file\":\"a.script\"}")).contains("one");

        assertThat(ask(agent.newSession(other), "symbols", "{\"file\":\"b.script\"}"))
                .isEqualTo("error: as many language servers run as may, 1; those of a session end when it is closed");
    }

    @Test
    @Tag("RMP-26")
    void serversAreStartedOnlyForTheFoldersThatTheyAreFor() throws Exception {
        file("a.script", "def one\n");
        Path trusted = Files.createDirectory(temporary.resolve("trusted"));
        Path link = Files.createSymbolicLink(trusted.resolve("link"), folder);
        ConnectedAgent agent = connect(tools().in(trusted).build(), client.builder());

        for (Path cwd : List.of(folder, link)) {
            assertThat(ask(agent.newSession(cwd), "symbols", "{\"file\":\"a.script\"}"))
                    .isEqualTo("error: there are no language servers for the folder of this session");
        }
        assertThat(log("")).isEmpty();
    }
}
