package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.SessionSetup;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.Tracer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of sessions on standard input and output: real processes. */
class McpServersTest extends McpSession {
    private static McpServers.Builder patient() {
        return McpServers.builder().patience(Duration.ofSeconds(50)).startTime(Duration.ofSeconds(50));
    }

    private Session open(McpServer... servers) throws Exception {
        return connect(patient()).newSession(with(servers));
    }

    // ---- connecting

    @Tag("MCX-01")
    @Tag("TST-06")
    @Test
    void theToolsOfASessionsServersAreListedAndCalledByName() throws Exception {
        Session session = open(scripted("files"), scripted("more"));

        assertThat(say(session, "tools")).contains("files__echo", "more__echo");
        assertThat(say(session, "call files__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");
        assertThat(say(session, "call more.echo {\"text\":\"again\"}")).isEqualTo("echo: again");
    }

    @Tag("MCX-02")
    @ParameterizedTest
    @ValueSource(strings = {"http", "sse", "acp", "carrier-pigeon"})
    void aKindThatWasNotAdvertisedIsRefusedWithTheServersName(String kind) throws Exception {
        ConnectedAgent agent = connect(patient());

        RawJson setup = RawJson.parse("{\"cwd\":" + RawJson.string(folder.toString())
                + ",\"mcpServers\":[{\"type\":\"" + kind
                + "\",\"name\":\"web\",\"url\":\"http://127.0.0.1:1/\",\"serverId\":\"s\",\"headers\":[]}]}");

        assertThatThrownBy(() -> agent.call("session/new", setup))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS))
                .hasMessageContaining("\"web\"");
    }

    @Tag("MCX-02")
    @Test
    void aServerThatFailsIsAnEntryWithExitCodeAndLastLinesAndANotice() throws Exception {
        Session session = open(scripted("files"), scripted("bad", "broken"));

        String servers = say(session, "servers");

        assertThat(servers)
                .contains("files (READY)", "bad (FAILED)", "initialize", "exit code 3", "no such file: servers.conf");
        assertThat(say(session, "tools")).contains("files__echo").doesNotContain("bad__");
        assertThat(session.view().notices()).singleElement().satisfies(notice -> {
            assertThat(notice.title()).contains("MCP server bad is not connected");
            assertThat(notice.description()).contains("exit code 3", "no such file");
        });
    }

    @Tag("MCX-02")
    @Test
    void byChoiceAServerThatFailsFailsTheSetup() throws Exception {
        ConnectedAgent agent = connect(patient().required());

        assertThatThrownBy(() -> agent.newSession(with(scripted("bad", "broken"))))
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("bad")
                .hasMessageContaining("exit code 3");
    }

    @Tag("MCX-02")
    @ParameterizedTest
    @ValueSource(strings = {"no-such-command-of-acp4j", "/bin/false"})
    void aCommandThatIsNoServerSaysWhatToDoNext(String command) throws Exception {
        Session session = open(McpServer.Stdio.of("none", command, List.of(), List.of()));

        assertThat(say(session, "servers")).contains("none (FAILED)", "Run its command by hand in " + folder);
    }

    @Test
    void twoServersOfOneNameAreRefused() throws Exception {
        ConnectedAgent agent = connect(patient());

        assertThatThrownBy(() -> agent.newSession(with(scripted("files"), scripted("files", "noisy"))))
                .hasMessageContaining("used twice");
    }

    @Tag("MCX-03")
    @Test
    void aCallbackSeesTheDeclarationBeforeAnythingStarts() throws Exception {
        List<McpServer> seen = new ArrayList<>();
        ConnectedAgent agent = connect(patient().approval((session, server) -> {
            seen.add(server);
            throw new SecurityException("not on this machine");
        }));

        Session session = agent.newSession(with(scripted("files")));

        assertThat(say(session, "servers")).contains("files (FAILED)", "not on this machine");
        assertThat(seen).hasSize(1);
        assertThat(log("files")).doesNotExist();
    }

    @Tag("MCX-04")
    @Test
    void aSlowServerHoldsUpNeitherTheSetupNorTheTurnAndJoinsLater() throws Exception {
        try (ServerSocket gate = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
            ConnectedAgent agent = connect(McpServers.builder()
                    .startTime(Duration.ofSeconds(50))
                    .patience(Duration.ofMillis(1))
                    .grace(Duration.ZERO)
                    .onChange(server -> changes.add(server.name())));
            Session session = agent.newSession(with(scripted("slow", "gate=" + gate.getLocalPort())));

            assertThat(say(session, "servers")).contains("slow (STARTING)");
            gate.accept().close();

            assertThat(changes.take()).isEqualTo("slow");
            assertThat(say(session, "call slow__echo {\"text\":\"here\"}")).isEqualTo("echo: here");
            assertThat(logged("slow", "pid")).hasSize(1);
        }
    }

    @Tag("MCX-05")
    @Test
    void aServerRunsInTheSessionsFolderWithItsVariablesAndNoModelKeys() throws Exception {
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        ConnectedAgent agent =
                connect(patient().restarts(2, Duration.ofMillis(10)).onChange(server -> changes.add(server.name())));
        Session session = agent.newSession(with(scripted("files")));
        String expected = folder.toRealPath() + " kanarienvogel-4711 null";
        assertThat(System.getenv("ANTHROPIC_API_KEY")).isNotEmpty();

        assertThat(say(session, "call files__environment")).isEqualTo(expected);
        changes.clear();
        say(session, "call files__die");
        assertThat(changes.take()).isEqualTo("files");
        assertThat(say(session, "call files__environment")).isEqualTo(expected);
    }

    @Tag("MCX-06")
    @ParameterizedTest
    @ValueSource(strings = {"close", "delete", "resume", "disconnect", "agent"})
    void theProcessTreeEndsWithTheSession(String way) throws Exception {
        ConnectedAgent agent = connect(patient());
        Session session = agent.newSession(with(scripted("files", "child")));
        assertThat(say(session, "servers")).contains("READY");
        ProcessHandle server = process("files", "pid");
        ProcessHandle child = process("files", "child");

        switch (way) {
            case "delete" -> agent.deleteSession(session.id());
            case "resume" -> {
                session.detach();
                agent.resumeSession(session.id(), with());
            }
            case "disconnect" -> agent.close();
            case "agent" -> endSessions();
            default -> session.close();
        }

        assertThat(server.onExit().get()).isNotNull();
        assertThat(child.onExit().get()).isNotNull();
    }

    @Tag("MCX-06")
    @Test
    void theProcessTreesEndWithAnAgentThatIsKilled() throws Exception {
        // Not a Launch, which would end what the agent has lost.
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        McpAgentProgram.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        ConnectedAgent agent = closing(
                client.builder().connect(StreamTransport.of(program.getInputStream(), program.getOutputStream())));
        Session session = agent.newSession(with(scripted("files", "child", "deaf")));
        assertThat(say(session, "servers")).contains("READY");
        ProcessHandle server = process("files", "pid");
        ProcessHandle child = process("files", "child");

        program.destroyForcibly();

        assertThat(server.onExit().get()).isNotNull();
        assertThat(child.onExit().get()).isNotNull();
    }

    @Tag("MCX-06")
    @Test
    void nothingIsLeftOfManySessionsWithSeveralServersBehindWrappers() throws Exception {
        Path pids = folder.resolve("pids");
        ConnectedAgent agent = connect(patient());
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            sessions.add(agent.newSession(with(wrapped("a", pids), wrapped("b", pids), wrapped("c", pids))));
        }
        for (Session session : sessions) {
            assertThat(say(session, "servers")).contains("a (READY)", "b (READY)", "c (READY)");
        }
        List<ProcessHandle> processes = Files.readAllLines(pids).stream()
                .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                .toList();
        assertThat(processes).hasSize(9 * 3 * 3).allMatch(ProcessHandle::isAlive);

        for (int i = 0; i < 2; i++) {
            sessions.get(i).close();
            agent.deleteSession(sessions.get(2 + i).id());
        }
        agent.close();

        for (ProcessHandle process : processes) {
            assertThat(process.onExit().get()).isNotNull();
        }
    }

    /** Returns a server in a shell, behind another shell, with a process in the background. Each writes its number. */
    private static McpServer wrapped(String name, Path pids) {
        String server = """
                echo $$ >> "$0"
                while read -r line; do
                  id=${line#*\\"id\\":}
                  id=${id%%[,\\}]*}
                  case "$line" in
                    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-06-18",\
                "capabilities":{},"serverInfo":{"name":"s","version":"1"}}}' ;;
                  esac
                done
                """;
        String wrapper = "echo $$ >> \"$0\"; sleep 300 & echo $! >> \"$0\"; sh -c \"$1\" \"$0\"; exit $?";
        return McpServer.Stdio.of(name, "sh", List.of("-c", wrapper, pids.toString(), server), List.of());
    }

    @Tag("MCX-07")
    @Test
    void sessionsDoNotShareServers() throws Exception {
        ConnectedAgent agent = connect(patient().asks(tool -> false));
        McpServer.Stdio declared = (McpServer.Stdio) scripted("files");
        Session one = agent.newSession(with(declared));
        Session two = agent.newSession(with(declared));
        Session other = agent.newSession(with(McpServer.Stdio.of(
                "files", declared.command(), declared.args(), List.of(EnvVariable.of("CANARY", "zeisig")))));

        assertThat(say(one, "call files__environment")).contains(" kanarienvogel-4711 ");
        assertThat(say(other, "call files__environment")).contains(" zeisig ");
        assertThat(say(two, "call files__environment")).contains(" kanarienvogel-4711 ");

        assertThat(logged("files", "pid")).hasSize(3).doesNotHaveDuplicates();
    }

    @Tag("MCX-08")
    @Test
    void aServerThatDiesFailsItsCallIsStartedAgainAndTheCallIsNotRepeated() throws Exception {
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        ConnectedAgent agent =
                connect(patient().restarts(2, Duration.ofMillis(10)).onChange(server -> changes.add(server.name())));
        Session session = agent.newSession(with(scripted("files"), scripted("other")));
        assertThat(say(session, "servers")).contains("files (READY)", "other (READY)");
        // Both report that they are ready, perhaps after they are seen to be.
        assertThat(List.of(changes.take(), changes.take())).containsExactlyInAnyOrder("files", "other");

        String died = say(session, "call files__die");

        assertThat(died).startsWith("error:").contains("not connected", "not repeated");
        assertThat(say(session, "call other__echo {\"text\":\"still\"}")).isEqualTo("echo: still");
        assertThat(changes.take()).isEqualTo("files");
        assertThat(say(session, "call files__echo {\"text\":\"back\"}")).isEqualTo("echo: back");
        assertThat(logged("files", "call die")).hasSize(1);
    }

    @Tag("MCX-08")
    @Test
    void aServerThatKeepsEndingIsGivenUp() throws Exception {
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(
                patient().restarts(2, Duration.ofMillis(300)).onChange(server -> changes.add(server.name())),
                client.builder().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.Noticed noticed) {
                        notices.add(noticed.notice().title());
                    }
                }));
        Session session = agent.newSession(with(scripted("files")));
        assertThat(changes.take()).isEqualTo("files");

        for (int time = 0; time < 2; time++) {
            say(session, "call files__die");
            assertThat(notices.take()).contains("is started again");
            assertThat(changes.take()).isEqualTo("files");
        }
        say(session, "call files__die");

        assertThat(notices.take()).contains("is not connected");
        assertThat(say(session, "servers")).contains("files (FAILED)");
        assertThat(logged("files", "pid")).hasSize(3);
    }

    @Tag("MCX-09")
    @Test
    void noiseAndAnswersToNothingDoNoHarm() throws Exception {
        Session session = open(scripted("files", "noisy"));

        assertThat(say(session, "call files__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");
    }

    @Tag("MCX-09")
    @Test
    void aLineThatIsTooLongFailsItsCallOnly() throws Exception {
        Session session = open(scripted("files"));

        assertThat(say(session, "call files__huge")).startsWith("error:").contains("larger than");
        assertThat(say(session, "call files__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");
        assertThat(logged("files", "call huge")).hasSize(1);
    }

    @Tag("MCX-09")
    @Test
    void aSecondAnswerAndARequestWithAnIdOfOursDoNoHarm() throws Exception {
        Session session = open(scripted("files"));

        assertThat(say(session, "call files__confuse")).isEqualTo("first");
        assertThat(say(session, "call files__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");
    }

    // ---- calls

    @Tag("MCX-10")
    @Test
    void startingAndListingHaveTimeLimits() throws Exception {
        try (ServerSocket gate = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ConnectedAgent agent = connect(McpServers.builder()
                    .patience(Duration.ofSeconds(50))
                    .startTime(Duration.ofMillis(100))
                    .listTime(Duration.ofMillis(100)));
            Session slow = agent.newSession(with(scripted("slow", "gate=" + gate.getLocalPort())));

            assertThat(say(slow, "servers"))
                    .contains("slow (FAILED)", "no answer to initialize within", "raise the time to start");
        }
        ConnectedAgent agent = connect(patient().listTime(Duration.ofMillis(100)));
        Session unlisted = agent.newSession(with(scripted("files", "unlisted")));

        assertThat(say(unlisted, "servers")).contains("files (FAILED)", "no answer to tools/list within");
    }

    @Tag("MCX-10")
    @Test
    void singleToolsHaveTimesOfTheirOwn() throws Exception {
        List<String> asked = new ArrayList<>();
        ConnectedAgent agent = connect(patient().callTime(tool -> {
            asked.add(tool.fullName());
            return tool.name().equals("late") ? Duration.ofMillis(100) : null;
        }));
        Session session = agent.newSession(with(scripted("files")));

        assertThat(say(session, "call files__late")).contains("did not answer in time");
        assertThat(say(session, "call files__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");
        assertThat(asked).contains("files.late", "files.echo");
    }

    @Tag("MCX-10")
    @Test
    void aCallThatIsSilentForTooLongIsCancelledAtTheServerAndAnErrorForTheModel() throws Exception {
        ConnectedAgent agent =
                connect(patient().callTime(tool -> tool.name().equals("slow") ? Duration.ofMillis(200) : null));
        Session session = agent.newSession(with(scripted("files")));

        assertThat(say(session, "call files__slow")).startsWith("error:").contains("did not answer in time");
        // The server answers the next call after it has been told of the cancellation.
        assertThat(say(session, "call files__echo {\"text\":\"next\"}")).isEqualTo("echo: next");
        assertThat(logged("files", "cancelled")).hasSize(1);
    }

    @Tag("MCX-10")
    @Tag("MCX-43")
    @Test
    // What waits for room has no end of its own.
    @Timeout(40)
    void aCallToAServerThatReadsNothingMoreEndsInTimeAlsoWhenThereIsNoRoomForIt() throws Exception {
        String deaf = """
                for answer in '"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}' \
                    '"tools":[{"name":"take","inputSchema":{"type":"object"}}]'; do
                  line=
                  until case "$line" in *'"id"'*) true ;; *) false ;; esac; do read -r line; done
                  id=${line#*\\"id\\":}
                  echo '{"jsonrpc":"2.0","id":'"${id%%[,\\}]*}"',"result":{'"$answer"'}}'
                done
                sleep 300
                """;
        LinkedBlockingQueue<ConnectedServer> ready = new LinkedBlockingQueue<>();
        connect(patient().onChange(ready::add).callTime(Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .newSession(with(McpServer.Stdio.of("deaf", "sh", List.of("-c", deaf), List.of())));
        ConnectedServer server = ready.take();
        // A queue has room for 64 MiB, or an eighth of the heap.
        RawJson large = RawJson.parse("{\"text\":\"" + "x".repeat(40 << 20) + "\"}");

        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> server.call("take", large))
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("no answer to tools/call within 1000 ms");
        }
    }

    @Tag("MCX-11")
    @ParameterizedTest
    @ValueSource(strings = {"slow", "late"})
    void cancellingATurnCancelsItsCallsAndTheServerStaysUsable(String tool) throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        ConnectedAgent agent = connect(patient(), client.builder().onEvent((session, event) -> {
            if (event instanceof SessionEvent.ToolCallChanged changed
                    && changed.call().status().equals(ToolCallStatus.IN_PROGRESS)) {
                running.countDown();
            }
        }));
        Session session = agent.newSession(with(scripted("files")));

        Turn turn = session.prompt("call files__" + tool);
        running.await();
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(say(session, "call files__echo {\"text\":\"next\"}")).isEqualTo("echo: next");
    }

    @Tag("MCX-12")
    @Test
    void aCallIsAToolCallWithInputOutputProgressAndTheServersFailure() throws Exception {
        Session session = open(scripted("files"));

        assertThat(say(session, "call files__content {\"a\":1}")).isEqualTo("one");
        Entry.ToolCall call = lastCall(session);
        assertThat(call.title()).isEqualTo("files.content");
        assertThat(call.kind()).isEqualTo(ToolKind.OTHER);
        assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
        assertThat(call.rawInput()).isEqualTo(RawJson.parse("{\"a\":1}"));
        assertThat(call.rawOutput()).isEqualTo(RawJson.parse("{\"places\":3}"));

        assertThat(say(session, "call files__fail")).isEqualTo("error: the disk is full");
        assertThat(lastCall(session).status()).isEqualTo(ToolCallStatus.FAILED);
        assertThat(lastCall(session).content()).containsExactly(ToolCallContent.text("the disk is full"));

        assertThat(say(session, "call files__refuse")).contains("no such disk");
        assertThat(lastCall(session).status()).isEqualTo(ToolCallStatus.FAILED);
    }

    @Tag("MCX-12")
    @Test
    void progressIsShownAsItComes() throws Exception {
        CompletableFuture<String> shown = new CompletableFuture<>();
        ConnectedAgent agent = connect(patient(), client.builder().onEvent((session, event) -> {
            if (event instanceof SessionEvent.ToolCallChanged changed
                    && !changed.call().content().isEmpty()) {
                shown.complete(changed.call().content().toString());
            }
        }));
        Session session = agent.newSession(with(scripted("files")));

        Turn turn = session.prompt("call files__slow");

        assertThat(shown.get()).contains("reading (3 of 10)");
        turn.cancel();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Tag("MCX-13")
    @Test
    void contentGoesOverOneToOneInOrder() throws Exception {
        Session session = open(scripted("files"));

        say(session, "call files__content");

        List<String> kinds = new ArrayList<>();
        for (ToolCallContent content : lastCall(session).content()) {
            ContentBlock block = ((ToolCallContent.Content) content).content();
            kinds.add(block.getClass().getSimpleName());
        }
        assertThat(kinds).containsExactly("Text", "Image", "Audio", "ResourceLink", "Resource", "Resource", "Unknown");
        String sent = String.join("\n", wire());
        assertThat(sent)
                .contains("\"annotations\":{\"priority\":0.5}")
                .contains("\"_meta\":{\"a/b\":1}")
                .contains("{\"type\":\"hologram\",\"depth\":3}");
    }

    @Tag("MCX-14")
    @Test
    void eachCallAsksUnderServerAndToolNameWithItsArgumentsWhateverTheServerClaims() throws Exception {
        client.decide(PermissionOptionKind.REJECT_ONCE, PermissionOptionKind.ALLOW_ALWAYS);
        Session session = open(scripted("files"));

        assertThat(say(session, "call files__echo {\"text\":\"a\"}")).contains("did not allow files.echo");
        assertThat(say(session, "call files__echo {\"text\":\"b\"}")).isEqualTo("echo: b");
        assertThat(say(session, "call files__echo {\"text\":\"c\"}")).isEqualTo("echo: c");

        assertThat(client.permissions()).hasSize(2).allSatisfy(question -> {
            assertThat(question.title()).isEqualTo("files.echo");
            assertThat(question.toolCall()).isNotNull();
        });
        assertThat(Objects.requireNonNull(client.permissions().getFirst().toolCall())
                        .rawInput())
                .isEqualTo(RawJson.parse("{\"text\":\"a\"}"));
        assertThat(logged("files", "call echo")).hasSize(2);
    }

    @Tag("MCX-15")
    @Test
    void resourcesAndPromptsAreReadThroughTheServer() throws Exception {
        CompletableFuture<String> read = new CompletableFuture<>();
        LinkedBlockingQueue<ConnectedServer> ready = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(patient().onChange(ready::add));
        agent.newSession(with(scripted("files")));
        ConnectedServer server = ready.take();

        assertThat(server.resources()).singleElement().satisfies(link -> {
            assertThat(link.uri()).isEqualTo("memo://1");
            assertThat(link.size()).isEqualTo(3);
        });
        assertThat(server.read("memo://1")).hasSize(2);
        assertThat(server.prompts()).hasSize(2).first().satisfies(prompt -> {
            assertThat(prompt.name()).isEqualTo("review");
            assertThat(prompt.arguments()).containsExactly(new Prompt.Argument("file", "", true));
        });
        assertThat(server.prompt("review", Map.of("file", "A.java")))
                .singleElement()
                .satisfies(message -> assertThat(message.content()).isEqualTo(ContentBlock.text("Review A.java")));
        assertThat(server.instructions()).isEqualTo("Call echo.");
        assertThat(read).isNotDone();
    }

    @Tag("MCX-15")
    @Test
    void templatesAreListedExpandedAndRead() throws Exception {
        LinkedBlockingQueue<ConnectedServer> ready = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(patient().onChange(ready::add));
        agent.newSession(with(scripted("files")));
        ConnectedServer server = ready.take();

        ResourceTemplate template = server.resourceTemplates().getFirst();

        assertThat(server.resourceTemplates())
                .containsExactly(new ResourceTemplate(
                        "files", "memo://{+folder}/note{?line}", "note", "A note", "A line of a note", "text/plain"));
        assertThat(template.variables()).containsExactly("folder", "line");
        String uri = template.expand(Map.of("folder", "a/b c"));
        assertThat(server.read(uri).getFirst())
                .isInstanceOfSatisfying(
                        ResourceContents.Text.class,
                        text -> assertThat(text.uri()).isEqualTo("memo://a/b%20c/note"));
        assertThatThrownBy(() -> template.expand(Map.of("file", "x")))
                .hasMessage("the template memo://{+folder}/note{?line} has no variable file; it has [folder, line]");
    }

    @Tag("MCX-15")
    @Test
    void aResourceThatIsTooLargeIsAnErrorWithItsSizeAndTheLimit() throws Exception {
        LinkedBlockingQueue<ConnectedServer> ready = new LinkedBlockingQueue<>();
        // The scripted server has "abc" and three bytes.
        ConnectedAgent narrow = connect(patient().onChange(ready::add).resourceBytes(5));
        narrow.newSession(with(scripted("files")));
        ConnectedServer server = ready.take();
        ConnectedAgent wide = connect(patient().onChange(ready::add).resourceBytes(6));
        wide.newSession(with(scripted("files")));

        assertThatThrownBy(() -> server.read("memo://1"))
                .hasMessageContaining("the resource memo://1 of the MCP server files has 6 bytes, more than the 5");
        assertThat(ready.take().read("memo://1")).hasSize(2);
    }

    @Tag("MCX-25")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void whatAServerNeedsOfItsClientIsNamedByTheErrorOfAResource(String era) throws Exception {
        LinkedBlockingQueue<ConnectedServer> ready = new LinkedBlockingQueue<>();
        connect(patient().onChange(ready::add)).newSession(with(scripted("files", era)));
        ConnectedServer server = ready.take();

        assertThatThrownBy(() -> server.read("memo://locked"))
                .isInstanceOfSatisfying(
                        MissingCapabilityError.class,
                        missing -> assertThat(missing.required()).containsExactly("elicitation.url", "sampling"))
                .hasMessageContaining("who are you?");
    }

    @Tag("MCX-15")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void updatesOfAResourceArriveUntilTheSubscriptionIsClosedAndAlsoAfterARestart(String era) throws Exception {
        LinkedBlockingQueue<ConnectedServer> ready = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> updates = new LinkedBlockingQueue<>();
        ConnectedAgent agent =
                connect(patient().asks(tool -> false).onChange(ready::add).restarts(5, Duration.ofMillis(1)));
        Session session = agent.newSession(with(scripted("files", era)));
        ConnectedServer server = ready.take();

        var subscription = server.subscribe("memo://1", updates::add);
        var second = server.subscribe("memo://1", updates::add);
        second.close();
        assertThat(say(session, "call files__touch")).isEqualTo("touched");
        assertThat(updates.take()).isEqualTo("memo://1/part");

        assertThat(say(session, "call files__die")).startsWith("error: ");
        assertThat(updates.take()).isEqualTo("memo://1");
        assertThat(ready.take()).isSameAs(server);
        assertThat(say(session, "call files__touch")).isEqualTo("touched");
        assertThat(updates.take()).isEqualTo("memo://1/part");

        subscription.close();
        assertThat(say(session, "call files__touch")).isEqualTo("touched");
        assertThat(updates).isEmpty();
        assertThat(logged("files", era.equals("legacy") ? "resources/subscribe" : "listen"))
                .filteredOn(line -> line.contains("memo://1"))
                .hasSize(2);
        if (era.equals("legacy")) {
            assertThatThrownBy(() -> server.subscribe("memo://none", updates::add))
                    .hasMessageContaining("no such memo");
        }
    }

    @Tag("MCX-15")
    @Test
    // An answer waits for what came before it for 30 seconds.
    @Timeout(20)
    void aSubscriptionIsClosedByItsUpdateWhileAnotherOneBegins() throws Exception {
        LinkedBlockingQueue<ConnectedServer> ready = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(patient().onChange(ready::add));
        agent.newSession(with(scripted("files")));
        ConnectedServer server = ready.take();
        CompletableFuture<ConnectedServer.Subscription> first = new CompletableFuture<>();
        CountDownLatch closed = new CountDownLatch(1);
        first.complete(server.subscribe("memo://1", uri -> {
            first.join().close();
            closed.countDown();
        }));

        // The server reports an update of both before it answers.
        try (var second = server.subscribe("memo://eager", uri -> {})) {
            assertThat(second).isNotNull();
            closed.await();
        }
    }

    @Tag("MCX-15")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void promptsAreOfferedAsCommandsBehindThoseOfTheAgentAndAgainWhenTheyChange(String era) throws Exception {
        offersPrompts = true;
        LinkedBlockingQueue<List<AvailableCommand>> offered = new LinkedBlockingQueue<>();
        ConnectedAgent agent =
                connect(patient().asks(tool -> false), client.builder().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.CommandsChanged changed) {
                        offered.add(changed.commands());
                    }
                }));
        Session session = agent.newSession(with(scripted("files", era)));
        List<AvailableCommand> commands = offered.take();
        while (commands.size() < 3) {
            commands = offered.take();
        }

        assertThat(commands).extracting(AvailableCommand::name).containsExactly("own", "files:review", "files:sum-up");
        assertThat(commands.get(2).description()).isEqualTo("Sum up");
        assertThat(String.valueOf(commands.get(2).input())).contains("file [how]");

        assertThat(say(session, "call files__change")).isEqualTo("changed");
        while (commands.size() < 4) {
            commands = offered.take();
        }
        assertThat(commands).extracting(AvailableCommand::name).endsWith("files:later");
    }

    @Tag("MCX-15")
    @Test
    // A list is waited for longer.
    @Timeout(20)
    void theAgentOffersItsCommandsWhileAServerListsItsPrompts() throws Exception {
        offersPrompts = true;
        ConnectedAgent agent = connect(patient().asks(tool -> false));
        Session session = agent.newSession(with(scripted("files", "unprompted")));
        assertThat(say(session, "call files__prompted")).isEqualTo("prompted");

        assertThat(say(session, "offer")).isEqualTo("offered");
    }

    @Tag("MCX-15")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    /files:review A.java                | Review A.java
                    /files:review A.java and B.java     | Review A.java and B.java
                    /files:review "A  B.java"           | Review A  B.java
                    /files:review file='A B'            | Review A B
                    /files:sum-up A.java  in one  line  | Review A.javain one  line
                    /files:sum-up how=x A.java          | Review A.javax
                    """)
    void aCommandFillsInThePromptWithItsArguments(String command, String expected) throws Exception {
        Session session = open(scripted("files"));

        assertThat(say(session, command)).contains("[Message[role=user", "text=" + expected + ",");
    }

    @Tag("MCX-15")
    @Test
    void anArgumentOfACommandMayBeLong() throws Exception {
        Session session = open(scripted("files"));
        String word = "x".repeat(100_000);
        String escapes = "\\a".repeat(50_000);

        assertThat(say(session, "/files:review " + word)).contains("text=Review " + word + ",");
        assertThat(say(session, "/files:review \"" + escapes + word + "\""))
                .contains("text=Review " + "a".repeat(50_000) + word + ",");
    }

    @Tag("MCX-15")
    @Test
    void aCommandThatCannotBeFilledInFailsWithItsUsage() throws Exception {
        Session session = open(scripted("files"), scripted("bad", "broken"));

        assertThatThrownBy(() -> say(session, "/files:sum-up how=short"))
                .hasMessageContaining("/files:sum-up file [how]: it needs file");
        assertThatThrownBy(() -> say(session, "/files:review file=A B"))
                .hasMessageContaining("/files:review file: it takes no more than that: B");
        assertThatThrownBy(() -> say(session, "/bad:review A")).hasMessageContaining("bad is not connected");
        assertThat(say(session, "/files:none")).isEqualTo("?");
        assertThat(say(session, "/other:review A")).isEqualTo("?");
    }

    // ---- log messages

    @Tag("MCX-20")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void logMessagesComeFromTheLevelOnThatWasAskedForWithoutSecretsAndCut(String era) throws Exception {
        LinkedBlockingQueue<LogMessage> logged = new LinkedBlockingQueue<>();
        ConnectedAgent agent =
                connect(patient().asks(tool -> false).onLog(LogMessage.Level.WARNING, (server, message) -> {
                    assertThat(server.name()).isEqualTo("files");
                    logged.add(message);
                }));
        Session session = agent.newSession(with(scripted("files", era)));

        assertThat(say(session, "call files__log")).isEqualTo("logged");

        LogMessage first = logged.take();
        assertThat(first.level()).isEqualTo(LogMessage.Level.WARNING);
        assertThat(first.logger()).isEqualTo("disk");
        assertThat(first.text()).startsWith("nearly full, ").doesNotContain("kanarienvogel");
        LogMessage second = logged.take();
        assertThat(second.level()).isEqualTo(LogMessage.Level.ERROR);
        assertThat(second.logger()).isNull();
        assertThat(second.text()).startsWith("{\"full\":true").doesNotContain("12345678");
        LogMessage last = logged.take();
        assertThat(last.text()).hasSize(4_000);
        assertThat(last.logger())
                .startsWith("net ")
                .doesNotContain("kanarienvogel")
                .hasSize(200);
        assertThat(logged("files", "level")).contains("level warning");
    }

    @Tag("MCX-20")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void withoutAListenerNoLogMessagesAreAskedFor(String era) throws Exception {
        ConnectedAgent agent = connect(patient().asks(tool -> false));
        Session session = agent.newSession(with(scripted("files", era)));

        assertThat(say(session, "call files__log")).isEqualTo("logged");

        assertThat(logged("files", "level")).containsExactly("level null");
    }

    @Tag("MCX-16")
    @Test
    void toolsWithNearlyEqualNamesAreKeptApartAndTheServerGetsItsOwnName() throws Exception {
        Session session = open(scripted("files"));

        List<String> names = say(session, "tools")
                .lines()
                .filter(name -> name.contains("twice"))
                .toList();

        assertThat(names).hasSize(2).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-zA-Z0-9_-]{1,64}"));
        for (String name : names) {
            say(session, "call " + name + " {\"text\":\"x\"}");
        }
        assertThat(logged("files", "call twice.echo")).hasSize(1);
        assertThat(logged("files", "call twice_echo")).hasSize(1);
    }

    @Tag("MCX-17")
    @Test
    void allPagesOfAListAreReadAndARepeatedPageIsAnError() throws Exception {
        Session session = open(scripted("files", "pages"), scripted("round", "endless"));

        assertThat(say(session, "tools")).isEqualTo("files__page1\nfiles__page2\nfiles__page3");
        assertThat(say(session, "servers")).contains("round (FAILED) - list tools: ", "repeats a page");
    }

    @Tag("MCX-17")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void aChangeOfTheToolsTakesEffectInTheNextTurnWithAnEvent(String era) throws Exception {
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(patient().onChange(server -> changes.add(server.name())));
        Session session = agent.newSession(with(scripted("files", era)));
        assertThat(say(session, "tools")).doesNotContain("files__later");
        changes.clear();

        assertThat(say(session, "call files__change")).isEqualTo("changed");

        assertThat(changes.take()).isEqualTo("files");
        assertThat(say(session, "tools")).contains("files__later");
    }

    // ---- questions of servers

    @Tag("MCX-18")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void aQuestionOfAServerIsAskedInTheSessionAndItsAnswerGoesBack(String era) throws Exception {
        client.fill(Map.of("account", ElicitationContentValue.of("main")));
        Session session = open(scripted("bank", era));

        assertThat(say(session, "call bank__ask")).startsWith("accept {\"account\":\"main\"}");
        assertThat(say(session, "call bank__ask")).startsWith("decline null");
        assertThat(client.elicitations())
                .hasSize(2)
                .allSatisfy(question -> assertThat(question.request().toString())
                        .contains("bank: Which account?")
                        .contains(session.id().value()));
    }

    @Tag("MCX-18")
    @Test
    void onlyModesThatTheClientHasAreDeclaredAndAQuestionThatItCannotShowIsCancelled() throws Exception {
        ConnectedAgent agent = connect(patient().asks(tool -> false), dev.acp4j.Client.builder("plain", "1"));
        Session session = agent.newSession(with(scripted("bank")));

        assertThat(say(session, "call bank__capabilities")).isEqualTo("{\"roots\":{}}");
        assertThat(say(session, "call bank__ask")).isEqualTo("cancel null");
        assertThat(say(session, "call bank__ask {\"url\":true}")).isEqualTo("cancel null");
    }

    @Tag("MCX-18")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void theUserIsSentToAPage(String era) throws Exception {
        client.fill(Map.of());
        Session session = open(scripted("bank", era));

        assertThat(say(session, "call bank__ask {\"url\":true}")).startsWith("accept ");
        assertThat(client.elicitations().getFirst().request())
                .isInstanceOfSatisfying(CreateElicitationRequest.Url.class, page -> {
                    assertThat(page.url()).isEqualTo("http://127.0.0.1:1/login");
                    assertThat(page.message()).isEqualTo("bank: Log in");
                });
    }

    @Tag("MCX-18")
    @Test
    void twoQuestionsOfOneCallAreBothAnswered() throws Exception {
        client.fill(Map.of("account", ElicitationContentValue.of("main")));
        client.fill(Map.of("account", ElicitationContentValue.of("side")));
        Session session = open(scripted("bank", "modern"));

        assertThat(say(session, "call bank__ask {\"two\":true}"))
                .startsWith("accept {\"account\":\"main\"} {\"account\":\"side\"}");
    }

    @Tag("MCX-19")
    @Test
    void theStateOfARequestGoesBackByteForByte() throws Exception {
        client.fill(Map.of("account", ElicitationContentValue.of("main")));
        Session session = open(scripted("bank", "modern"));

        assertThat(say(session, "call bank__ask")).endsWith(" \"  state\\u0041 \" 1");
    }

    @Tag("MCX-19")
    @Test
    void aRequestWithoutAStateIsRepeatedWithoutOneAndUnderAnotherId() throws Exception {
        client.fill(Map.of("account", ElicitationContentValue.of("main")));
        Session session = open(scripted("bank", "modern"));

        assertThat(say(session, "call bank__ask {\"stateless\":true}")).endsWith("} null 1");

        assertThat(logged("bank", "id")).hasSize(2).doesNotHaveDuplicates();
    }

    @Tag("MCX-18")
    @Tag("MCX-23")
    @Test
    void aServerThatAsksWithoutEndIsStoppedAndNobodyIsToldTheStateOfItsRequest() throws Exception {
        Session session = open(scripted("bank", "modern"));

        String told = say(session, "call bank__insist");

        assertThat(told).isEqualTo("error: the MCP server bank refused: the server asked more than 8 times");
        assertThat(logged("bank", "call insist")).hasSize(8);
        assertThat(wire()).noneMatch(line -> line.contains(ScriptedServer.STATE));
        assertThat(lastCall(session).toString()).doesNotContain(ScriptedServer.STATE);
    }

    @Tag("MCX-25")
    @Test
    void aResultOfATypeThatNobodyKnowsIsAnError() throws Exception {
        Session session = open(scripted("bank", "modern"));

        assertThat(say(session, "call bank__riddle"))
                .isEqualTo("error: the MCP server bank refused: the server answered with a result of unknown type "
                        + "perhaps");
    }

    @Tag("MCX-20")
    @Test
    void rootsAreTheSessionsFoldersAndSamplingIsRefused() throws Exception {
        Session session = open(scripted("files"));

        assertThat(say(session, "call files__roots")).contains(folder.toUri().toString());
        assertThat(say(session, "call files__sample")).isEqualTo("-32601");
        assertThat(say(session, "call files__capabilities"))
                .contains("\"roots\":{}")
                .doesNotContain("sampling");
    }

    @Tag("MCX-22")
    @Tag("TRC-10")
    @Test
    void theTraceOfThePromptGoesOnInEachCall() throws Exception {
        Session session = open(scripted("files"));
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

        String meta = session.prompt(List.of(ContentBlock.text("call files__meta")), Meta.of(Meta.TRACEPARENT, trace))
                .text();

        assertThat(meta).contains("\"traceparent\":\"" + trace + "\"");
    }

    @Tag("MCX-23")
    @Test
    void declaredValuesAreInNoTextThatPeopleRead() throws Exception {
        Session session = open(scripted("bad", "broken"));

        String told = say(session, "servers");

        assertThat(told).contains("no such file: servers.conf").doesNotContain("kanarienvogel");
    }

    @Tag("MCX-23")
    @Test
    void aSecretIsInNoTraceLogErrorOrText() throws Exception {
        String canary = "kanarienvogel-4711";
        List<TraceEvent> traced = new CopyOnWriteArrayList<>();
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                logged.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("dev.acp4j.mcp");
        log.addHandler(handler);
        McpServer http = McpServer.Http.of(
                "gone",
                "http://127.0.0.1:1/mcp",
                List.of(HttpHeader.of("Authorization", "Bearer " + canary), HttpHeader.of("X-Key", canary)));
        SessionSetup setup = with(scripted("bad", "broken"), http);
        try {
            Session session = connect(
                            McpServers.builder().http().patience(Duration.ofSeconds(50)),
                            client.builder().trace(Tracer.of(traced::add)))
                    .newSession(setup);
            String servers = say(session, "servers");
            String failed = say(session, "call bad__echo");

            assertThat(servers).contains("bad (FAILED)", "gone (FAILED)");
            assertThat(logged).anyMatch(line -> line.contains("bad")).anyMatch(line -> line.contains("gone"));
            assertThat(traced.stream().map(event -> String.valueOf(event.body())))
                    .anyMatch(body -> body.contains("X-Key") && body.contains("CANARY"))
                    .noneMatch(body -> body.contains(canary));
            assertThat(servers
                            + failed
                            + setup
                            + logged
                            + traced
                            + session.view().notices()
                            + session.view().toolCalls())
                    .doesNotContain(canary);
        } finally {
            log.removeHandler(handler);
        }
    }

    // ---- eras and schemas

    @Tag("MCX-24")
    @Tag("MCX-25")
    @Test
    void onStandardInputTheHandshakeComesFirstAndARefusalMakesTheServerModern() throws Exception {
        Session session = open(scripted("old"), scripted("new", "modern"), scripted("ancient", "ancient"));

        String servers = say(session, "servers");

        assertThat(servers)
                .contains("old (READY) 2025-06-18", "new (READY) 2026-07-28", "ancient (FAILED)", "2023-01-01");
        assertThat(say(session, "call new__echo {\"text\":\"hi\"}")).isEqualTo("echo: hi");
        assertThat(say(session, "call new__meta"))
                .contains("io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities");
    }

    @Tag("MCX-26")
    @Test
    void argumentsAreCheckedBeforeTheyAreSentAndABadSchemaCostsOneTool() throws Exception {
        Session session = open(scripted("files", "bad-schema"));

        assertThat(say(session, "call files__echo {\"text\":7}"))
                .startsWith("error:")
                .contains("arguments.text");
        assertThat(say(session, "call files__echo {}")).contains("text");
        assertThat(say(session, "call files__echo []")).contains("must be an object");
        assertThat(logged("files", "call echo")).isEmpty();
        assertThat(say(session, "tools")).doesNotContain("files__bad").contains("files__content");
    }

    @Tag("MCX-26")
    @Test
    void aSchemaWithoutEndIsAnErrorOfItsTool() {
        ArgumentCheck endless = ArgumentCheck.of(RawJson.parse("{\"$ref\":\"#\"}"));

        assertThat(endless.problems(RawJson.EMPTY_OBJECT)).contains("not usable");
    }

    @Tag("MCX-26")
    @Test
    void nothingIsFetchedForASchema() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ArgumentCheck check = ArgumentCheck.of(
                    RawJson.parse("{\"$ref\":\"http://127.0.0.1:" + web.getLocalPort() + "/schema\"}"));

            assertThat(check.problems(RawJson.EMPTY_OBJECT)).isNotEmpty();

            web.setSoTimeout(1);
            assertThatThrownBy(web::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }
}
