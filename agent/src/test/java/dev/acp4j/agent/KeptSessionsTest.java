package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Stdio;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that are kept in files, of agents that are processes: they survive the process, also one that is killed. */
@Timeout(120)
class KeptSessionsTest {
    @TempDir
    Path folder;

    @TempDir
    Path state;

    private Path sessions;

    /** What {@code acp agent} does. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws InterruptedException {
            ReferenceAgent.create(Path.of(arguments[0])).serve(Stdio.system());
        }
    }

    @BeforeEach
    void makeWorkspace() {
        sessions = state.resolve("acp").resolve("agent");
        new TestWorkspace(folder).file("a.txt", "alpha\n").file("b.txt", "beta\n");
    }

    private List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                sessions.toString());
    }

    private ConnectedAgent agent() throws Exception {
        return connected(
                Launch.of(command().getFirst(), command().subList(1, command().size())));
    }

    private static ConnectedAgent connected(Launch launch) throws InterruptedException {
        return Client.builder("editor", "1")
                .onPermission(PermissionQuestion::allowOnce)
                .connect(launch);
    }

    private static List<String> texts(Session session, Entry.Message.Author author) {
        return session.view().messages().stream()
                .filter(message -> message.author() == author)
                .map(Entry.Message::text)
                .toList();
    }

    private List<Path> files() throws Exception {
        try (Stream<Path> files = Files.list(sessions)) {
            return files.toList();
        }
    }

    private static String permissions(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** Has a conversation in a process of its own, which has ended when this returns. */
    private SessionId converse(String... prompts) throws Exception {
        try (ConnectedAgent agent = agent()) {
            Session session = agent.newSession(folder);
            for (String prompt : prompts) {
                session.prompt(prompt).text();
            }
            return session.id();
        }
    }

    @Test
    @Tag("REG-47")
    void theLoginChecksThatConversationsCanBeKeptAndIsNotNeeded() throws Exception {
        AuthMethodId local = AuthMethodId.of("local");
        try (ConnectedAgent agent = agent()) {
            assertThat(agent.authMethods())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            AuthMethod.Agent.class,
                            method -> assertThat(method.id()).isEqualTo(local));
            Session before = agent.newSession(folder);
            agent.authenticate(local);
            agent.logout();

            assertThat(before.prompt("alpha").text()).isNotEmpty();
            assertThat(files()).singleElement().asString().endsWith(before.id() + ".jsonl");
            assertThat(permissions(sessions)).isEqualTo("rwx------");
        }
        Files.delete(files().getFirst());
        Files.delete(sessions);
        Files.createFile(sessions);
        try (ConnectedAgent agent = agent()) {
            assertThatThrownBy(() -> agent.authenticate(local))
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("Conversations cannot be kept in " + sessions);
        }
    }

    @Test
    void aConversationSurvivesItsProcess() throws Exception {
        SessionId id;
        List<Entry.ToolCall> called;
        List<String> said;
        try (ConnectedAgent agent = agent()) {
            Session session = agent.newSession(folder);
            id = session.id();
            session.prompt("alpha").text();
            session.prompt("/replace alpha gamma").text();
            session.setConfigOption("mode", "read-only");
            called = session.view().toolCalls();
            said = texts(session, Entry.Message.Author.AGENT);
        }

        try (ConnectedAgent agent = agent()) {
            Session loaded = agent.loadSession(id, folder);

            assertThat(texts(loaded, Entry.Message.Author.USER)).containsExactly("alpha", "/replace alpha gamma");
            assertThat(texts(loaded, Entry.Message.Author.AGENT)).isEqualTo(said);
            assertThat(loaded.view().toolCalls()).containsExactlyInAnyOrderElementsOf(called);
            assertThat(loaded.view().configOptions())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            SessionConfigOption.Select.class,
                            mode -> assertThat(mode.currentValue().value()).isEqualTo("read-only"));
            assertThat(loaded.prompt("gamma").text()).contains("a.txt:1");
            assertThat(loaded.view().toolCalls()).hasSizeGreaterThan(called.size());
            assertThat(agent.listSessions(folder)).singleElement().satisfies(info -> {
                assertThat(info.sessionId()).isEqualTo(id);
                assertThat(info.title()).isEqualTo("alpha");
                assertThat(info.cwd()).isEqualTo(folder.toString());
            });
        }
    }

    @Test
    void aConversationLongerThanTheMemoryIsReplayedWhole() throws Exception {
        String text = "x".repeat(1 << 20);
        SessionId id;
        try (ConnectedAgent agent = agent()) {
            Session session = agent.newSession(folder);
            id = session.id();
            for (int i = 0; i < 6; i++) {
                session.prompt("/help " + i + text).result();
            }
        }

        try (ConnectedAgent agent = agent()) {
            assertThat(texts(agent.loadSession(id, folder), Entry.Message.Author.USER))
                    .extracting(prompt -> prompt.substring(0, 7))
                    .containsExactly("/help 0", "/help 1", "/help 2", "/help 3", "/help 4", "/help 5");
        }
    }

    @Test
    void aTurnOfAProcessThatWasKilledIsThereAsFarAsItCame() throws Exception {
        SessionId id;
        Path pids = folder.resolve("pid");
        Launch launch = Launch.of("sh", "-c", "echo $$ >" + pids + " && exec \"$@\"", "sh")
                .withArguments(command().toArray(String[]::new));
        try (ConnectedAgent agent = connected(launch)) {
            long pid = Long.parseLong(Files.readString(pids).strip());
            Session session = agent.newSession(folder);
            id = session.id();
            session.prompt("alpha").text();
            try (Turn turn = session.prompt("/run echo begun; cat")) {
                for (SessionEvent event : turn) {
                    if (event instanceof SessionEvent.ToolCallChanged changed
                            && changed.call().content().toString().contains("begun")) {
                        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
                    }
                }
            } catch (RpcException e) {
                // The agent is gone.
            }
        }

        try (ConnectedAgent agent = agent()) {
            Session loaded = agent.loadSession(id, folder);

            assertThat(texts(loaded, Entry.Message.Author.USER)).containsExactly("alpha", "/run echo begun; cat");
            assertThat(texts(loaded, Entry.Message.Author.AGENT).getFirst()).contains("a.txt:1");
            assertThat(loaded.prompt("beta").text()).contains("b.txt:1");
        }
    }

    @Test
    void aLineThatWasBegunIsDropped() throws Exception {
        SessionId id = converse("alpha", "beta");
        Path file = sessions.resolve(id + ".jsonl");
        List<String> lines = Files.readAllLines(file);
        Files.writeString(file, "{\"sessionId\":\"x\",\"upd", StandardOpenOption.APPEND);

        try (ConnectedAgent agent = agent()) {
            assertThat(agent.listSessions(null)).extracting(SessionInfo::title).containsExactly("alpha");
            Session resumed = agent.resumeSession(id, folder);
            assertThat(resumed.prompt("alpha").text()).contains("a.txt:1").doesNotContain("could not be");
        }

        List<String> after = Files.readAllLines(file);
        assertThat(after).startsWith(lines.toArray(String[]::new)).hasSizeGreaterThan(lines.size());
        assertThat(after).allSatisfy(line -> assertThat(line).startsWith("{\"").endsWith("}"));
    }

    @Test
    void aRecordThatCannotBeReadIsReportedAndTheOthersAreThere() throws Exception {
        SessionId id = converse("alpha", "beta");
        Path file = sessions.resolve(id + ".jsonl");
        List<String> lines = Files.readAllLines(file);
        lines.set(2, "{\"turn");
        Files.write(file, lines);

        try (ConnectedAgent agent = agent()) {
            Session loaded = agent.loadSession(id, folder);

            assertThat(texts(loaded, Entry.Message.Author.USER)).containsExactly("alpha", "beta");
            assertThat(loaded.prompt("alpha").text()).contains("1 record of this conversation");
            assertThat(loaded.prompt("alpha").text()).doesNotContain("could not be read");
        }
    }

    @Test
    void onlyTheUserCanReadTheFiles() throws Exception {
        converse("alpha");

        assertThat(files())
                .singleElement()
                .satisfies(file -> assertThat(permissions(file)).isEqualTo("rw-------"));
        assertThat(permissions(sessions)).isEqualTo("rwx------");
    }

    @Test
    void sessionsWithoutATurnLeaveNothing() throws Exception {
        converse();

        assertThat(sessions).doesNotExist();
        try (ConnectedAgent agent = agent()) {
            assertThat(agent.listSessions(null)).isEmpty();
            assertThatThrownBy(() -> agent.loadSession(SessionId.of("../../a"), folder))
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("not found");
        }
    }

    @Test
    void sessionsAreListedByTheirLastUseAndDeletedWithTheirFiles() throws Exception {
        SessionId first = converse("alpha");
        SessionId second = converse("beta");
        try (ConnectedAgent agent = agent()) {
            assertThat(agent.listSessions(null))
                    .extracting(SessionInfo::sessionId)
                    .containsExactly(second, first);
            agent.resumeSession(first, folder).prompt("beta").text();
            assertThat(agent.listSessions(null))
                    .extracting(SessionInfo::sessionId)
                    .containsExactly(first, second);

            agent.deleteSession(first);
            agent.deleteSession(second);

            assertThat(agent.listSessions(null)).isEmpty();
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void twoProcessesDoNotUseOneSession() throws Exception {
        SessionId id = converse("alpha");
        try (ConnectedAgent one = agent();
                ConnectedAgent other = agent()) {
            Session held = one.resumeSession(id, folder);

            assertThatThrownBy(() -> other.loadSession(id, folder))
                    .isInstanceOfSatisfying(
                            RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_REQUEST))
                    .hasMessageContaining("is open in another process");
            assertThatThrownBy(() -> other.deleteSession(id)).hasMessageContaining("is open in another process");
            assertThat(other.listSessions(folder))
                    .extracting(SessionInfo::title)
                    .containsExactly("alpha");
            assertThat(one.listSessions(folder)).extracting(SessionInfo::title).containsExactly("alpha");
            assertThat(held.prompt("beta").text()).contains("b.txt:1");

            held.close();

            assertThat(texts(other.loadSession(id, folder), Entry.Message.Author.USER))
                    .containsExactly("alpha", "beta");
        }
    }

    @Test
    void aSessionLoadedAgainByItsClientIsStillHeld() throws Exception {
        SessionId id = converse("alpha");
        try (ConnectedAgent one = agent();
                ConnectedAgent other = agent()) {
            one.loadSession(id, folder).detach();
            Session again = one.loadSession(id, folder);

            assertThat(again.prompt("beta").text()).contains("b.txt:1");
            assertThatThrownBy(() -> other.loadSession(id, folder)).hasMessageContaining("another process");
        }
    }

    /**
     * The replay is larger than what the agent may queue, so that it waits for its client, which cancels. It is so
     * large that it is not over before the agent has read that.
     */
    @Test
    void aSessionWhoseReplayIsCancelledIsNotHeld() throws Exception {
        SessionId id = converse("alpha");
        Path file = sessions.resolve(id + ".jsonl");
        List<String> lines = Files.readAllLines(file);
        List<String> longer = new ArrayList<>(lines);
        String piece = lines.stream()
                .filter(line -> line.contains("user_message_chunk"))
                .findFirst()
                .orElseThrow();
        longer.addAll(Collections.nCopies(150_000, piece));
        Files.write(file, longer);
        List<String> small = new ArrayList<>(command());
        small.add(1, "-Xmx40m");
        Process process = new ProcessBuilder(small)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedWriter to = process.outputWriter();
                BufferedReader from = process.inputReader()) {
            to.write("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n");
            to.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/load\",\"params\":{\"sessionId\":\"" + id
                    + "\",\"cwd\":" + RawJson.string(folder.toString()) + ",\"mcpServers\":[]}}\n");
            to.flush();
            assertThat(from.readLine()).contains("\"id\":0,\"result\"");
            assertThat(from.readLine()).contains("session/update");

            to.write("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}\n");
            to.flush();
            String line = from.readLine();
            while (line.contains("session/update")) {
                line = from.readLine();
            }

            assertThat(line).contains("\"id\":1,\"error\":{\"code\":-32800");
            try (ConnectedAgent other = agent()) {
                assertThat(other.resumeSession(id, folder).prompt("beta").text())
                        .contains("b.txt:1");
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void aFullDiskDoesNotEndTheTurnAndIsReported() throws Exception {
        Launch full = Launch.of("sh", "-c", "ulimit -f 4 && exec \"$@\"", "sh")
                .withArguments(command().toArray(String[]::new));
        SessionId id;
        try (ConnectedAgent agent = connected(full)) {
            Session session = agent.newSession(folder);
            id = session.id();
            session.prompt("alpha").text();
            String said =
                    session.prompt("beta " + "and something long ".repeat(300)).text();

            assertThat(said).contains("could not be saved").contains("File too large");
            assertThat(session.prompt("alpha").text()).contains("a.txt:1");
        }

        try (ConnectedAgent agent = agent()) {
            Session loaded = agent.loadSession(id, folder);
            assertThat(texts(loaded, Entry.Message.Author.USER)).first().isEqualTo("alpha");
            assertThat(loaded.prompt("alpha").text()).doesNotContain("could not be");
        }
    }
}
