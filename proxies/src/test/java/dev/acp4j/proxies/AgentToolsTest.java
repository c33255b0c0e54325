package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.tap.Poll;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class AgentToolsTest {
    @TempDir
    private Path folder;

    private final List<String> questions = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private Session session(AgentTools.Builder builder, Version version) throws Exception {
        AgentTools tools = builder.agent("reviewer", OtherProgram.launch()).open();
        open.add(tools);
        return session(tools.proxy(), version);
    }

    private Session session(Proxy proxy, Version version) throws Exception {
        Client.Builder client = Client.builder("editor", "1").onPermission(question -> {
            questions.add(question.title());
            return question.allowOnce();
        });
        if (version == Version.V1) {
            client.onReadTextFile((session, request) -> "unsaved text of " + request.path());
            client.onWriteTextFile((session, request) -> {
                throw new AssertionError("somebody writes");
            });
        }
        AskingAgent chain = new AskingAgent(proxy, client, version);
        open.add(chain);
        return chain.client().newSession(folder);
    }

    private static String ask(String prompt) {
        return "agents__ask {\"agent\":\"reviewer\",\"prompt\":\"" + prompt + "\"}";
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("RMP-24")
    void anotherAgentIsAToolWhoseQuestionsReachTheClientWithItsName(Version version) throws Exception {
        Session session = session(AgentTools.builder(), version);

        assertThat(session.prompt(ask("hello")).text()).isEqualTo("other: hello");
        assertThat(session.prompt(ask("ask search")).text()).isEqualTo("allowed");
        assertThat(questions).containsExactly("reviewer: Do it");
        assertThat(session.prompt("agents__ask {\"agent\":\"nobody\",\"prompt\":\"x\"}")
                        .text())
                .contains("arguments.agent");
    }

    @Test
    @Tag("RMP-24")
    void itReadsOnlyAndGetsNeitherKeysNorAgentsToAsk() throws Exception {
        Session session = session(AgentTools.builder(), Version.V1);

        assertThat(session.prompt(ask("offered")).text()).isEqualTo("true false false 0 null");
        assertThat(session.prompt(ask("read a.txt")).text()).isEqualTo("unsaved text of " + folder.resolve("a.txt"));
        assertThat(session.prompt(ask("ask edit")).text()).isEqualTo("not allowed");
        assertThat(questions).isEmpty();
        assertThat(OtherAgent.depth(3, "0")).isZero();
        assertThat(OtherAgent.depth(1, "5")).isEqualTo(1);
    }

    @Test
    @Tag("RMP-24")
    void inACopyItWritesWithoutTouchingTheFolder() throws Exception {
        Files.writeString(folder.resolve("there.txt"), "original");
        Session session = session(AgentTools.builder().inCopies(1 << 20), Version.V1);

        String answer = session.prompt(ask("write there.txt")).text();

        assertThat(answer).startsWith("written\n\nIn its copy, ").endsWith(":\nchanged there.txt");
        assertThat(folder.resolve("there.txt")).hasContent("original");
        assertThat(session.prompt(ask("offered")).text()).startsWith("false false false");
        assertThat(session.prompt(ask("ask edit")).text()).startsWith("allowed");
        Path copy = Path.of(answer.substring(answer.indexOf('/'), answer.indexOf(":\n")));
        assertThat(copy).exists();
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        assertThat(copy).doesNotExist();
    }

    @Test
    @Tag("RMP-24")
    void cancellingTheClientsTurnCancelsItsTurn() throws Exception {
        Session session = session(AgentTools.builder(), Version.V1);
        CountDownLatch works = new CountDownLatch(1);
        Session.Subscription unused = session.onEvent((in, event) -> {
            if (event instanceof SessionEvent.ToolCallChanged call
                    && call.call().toString().contains("Wait")) {
                works.countDown();
            }
        });
        Turn turn = session.prompt(ask("wait"));

        works.await();
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Tag("RMP-24")
    void cancellingTheSessionBeforeItsTurnHasBegunBeginsNone() throws Exception {
        Path fifo = folder.resolve("go");
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")));
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        List<String> words = new ArrayList<>(
                List.of("-c", "touch '" + fifo + ".started'; cat '" + fifo + "' > /dev/null; exec \"$@\"", "sh"));
        words.add(OtherProgram.launch().command());
        words.addAll(OtherProgram.launch().arguments());
        AgentTools tools = AgentTools.builder()
                .agent("reviewer", Launch.of("/bin/sh", words))
                .open();
        open.add(tools);
        String offered =
                ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{\"mcp\":{\"acp\":{}}}}";
        try (Between between = new Between(tools.proxy(), 2, offered)) {
            String opened = between.opened(folder.toString());
            String server = opened.replaceAll(".*\"serverId\":\"([^\"]*)\".*", "$1");
            between.agent.request(
                    70,
                    "mcp/message",
                    "{\"serverId\":\"" + server
                            + "\",\"requestId\":\"1\",\"method\":\"tools/call\",\"params\":{\"name\":\"ask\","
                            + "\"arguments\":{\"agent\":\"reviewer\",\"prompt\":\"write prompted\"},"
                            + "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"},\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
            assertThat(Poll.until(() -> Files.exists(folder.resolve("go.started"))))
                    .isTrue();
            try (OutputStream go = Files.newOutputStream(fifo)) {
                between.client.notification("session/cancel", "{\"sessionId\":\"s\"}");
                between.agent.expect("session/cancel");
                go.write('\n');
            }
            assertThat(Between.text(between.agent.expectResult(70))).contains("was cancelled before it was asked");
        }
        assertThat(folder.resolve("prompted")).doesNotExist();
    }

    @Test
    @Tag("RMP-24")
    void aCopyThatIsMadeWhileItsSessionEndsIsDeleted() throws Exception {
        Files.writeString(folder.resolve("there.txt"), "original");
        FolderCopy copy = FolderCopy.of(folder, 1 << 20);
        AskedSession session = new AskedSession();
        session.close(notice -> {});

        assertThatThrownBy(() -> session.add(copy)).hasMessage("the session has ended");
        assertThat(copy.folder()).doesNotExist();
    }

    @Test
    @Tag("RMP-24")
    void nothingIsKeptOfSessionsThatHaveEnded() throws Exception {
        AgentTools tools =
                AgentTools.builder().agent("reviewer", OtherProgram.launch()).open();
        open.add(tools);
        try (Between between = new Between(
                tools.proxy(), 2, ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}")) {
            for (int i = 0; i < 100; i++) {
                between.opened(folder.toString());
                between.asked("session/close", "{\"sessionId\":\"s\"}", "{}");
            }
            assertThat(Poll.until(() -> tools.ending() == 0)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("RMP-11")
    @Tag("RMP-24")
    void itsTokensAreAddedOnceToThoseThatTheFirstAgentReports(Version version) throws Exception {
        Session session = session(AgentTools.builder(), version);

        long first = session.prompt(ask("hello")).result().usage().orElseThrow().total();
        long second =
                session.prompt(ask("hello")).result().usage().orElseThrow().total();

        // The first agent reports 100 for each turn.
        assertThat(first).isEqualTo(1300);
        assertThat(second).isEqualTo(version == Version.V1 ? 2500 : 1300);
    }

    @Test
    @Tag("RMP-24")
    void whatItUsesCountsForTheBudgetOfTheSession() throws Exception {
        List<String> notices = new CopyOnWriteArrayList<>();
        AgentTools tools =
                AgentTools.builder().agent("reviewer", OtherProgram.launch()).open();
        open.add(tools);
        Proxy budget = Budget.builder().cost(1.4).onNotice(notices::add).build();
        Session session = session(budget.then(tools.proxy()), Version.V1);

        Turn turn = session.prompt(ask("hello"));

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(notices).anyMatch(notice -> notice.contains("1.5 of 1.4"));
    }
}
