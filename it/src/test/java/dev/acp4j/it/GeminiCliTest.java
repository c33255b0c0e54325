package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.Feature;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessTree;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.testkit.LeakRule;
import dev.acp4j.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our client drives Gemini CLI through whole turns; its model is {@link ScriptedModel}. See docs/peers.md. */
@Timeout(300)
@Tag("TST-08")
@DisabledOnOs(OS.WINDOWS)
@ExtendWith(LeakRule.class)
class GeminiCliTest {
    private static final String VERSION = "0.61.0";

    @RegisterExtension
    final ForeignAgent peer = new ForeignAgent();

    @TempDir
    Path folder;

    private final List<PermissionQuestion> asked = new CopyOnWriteArrayList<>();

    record Plant(String name) {}

    private ScriptedModel model;
    private Path workspace;

    @BeforeEach
    void prepare() throws IOException {
        model = ScriptedModel.gemini();
        workspace = Files.createDirectory(folder.resolve("workspace")).toRealPath();
        Files.writeString(workspace.resolve("a.txt"), "alpha\n");
        Path config = Files.createDirectories(folder.resolve("home/.gemini"));
        Files.writeString(config.resolve("settings.json"), """
                {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
                 "general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false},
                 "telemetry": {"enabled": false}, "model": {"name": "gemini-2.5-flash"}}
                """);
    }

    @AfterEach
    void close() {
        model.close();
    }

    private Launch gemini() throws IOException, InterruptedException {
        Path bundle = NodePrograms.packageFolder("@google/gemini-cli", VERSION).resolve("bundle/gemini.js");
        return Launch.of("node", bundle.toString(), "--acp")
                .cwd(workspace)
                // However busy the machine is: whether it ends by itself is what is seen here.
                .shutdownTimes(Duration.ofMinutes(1), Duration.ofSeconds(2))
                .inheritOnly("PATH")
                .env("HOME", folder.resolve("home").toString())
                .env("GEMINI_API_KEY", "none")
                .env("GOOGLE_GEMINI_BASE_URL", model.url());
    }

    private ConnectedAgent connect() throws IOException, InterruptedException {
        return connect(request -> {
            asked.add(request);
            return request.allowOnce();
        });
    }

    private ConnectedAgent connect(Client.PermissionHandler permissions) throws IOException, InterruptedException {
        Client.Builder client =
                Workspace.offerTo(Client.builder("acp4j-it", "1")).onPermission(permissions);
        return peer.connect(client, gemini());
    }

    @Test
    void readsAndWritesFilesAndRunsCommandsInWholeTurns() throws Exception {
        try (ConnectedAgent agent = connect()) {
            Session session = agent.newSession(workspace);

            model.willSay("Hello ", "there.");
            assertThat(session.prompt("hello").text()).isEqualTo("Hello there.");
            assertThat(session.view().configOption(SessionConfigOptionCategory.MODE))
                    .isPresent();
            // Its answer has a member that the schema does not know.
            assertThat(peer.wire()).anyMatch(line -> line.contains("\"models\":{"));

            model.willCall("read_file", Map.of("file_path", file("a.txt")));
            Entry.ToolCall read = ForeignAgent.callOf(session.prompt("read a.txt"));
            assertThat(read.kind()).isEqualTo(ToolKind.READ);
            assertThat(model.lastRequest()).contains("alpha");

            replace();
            Entry.ToolCall edit = ForeignAgent.callOf(session.prompt("edit a.txt"));
            // It asks before it tells of the tool call: no tool_call ever comes, only updates of it.
            assertThat(asked)
                    .extracting(request ->
                            Objects.requireNonNull(request.toolCall()).id())
                    .containsExactly(edit.id());
            assertThat(peer.wire())
                    .noneMatch(line -> line.contains("\"sessionUpdate\":\"tool_call\"")
                            && line.contains(edit.id().value()));
            assertThat(edit.kind()).isEqualTo(ToolKind.EDIT);
            assertThat(workspace.resolve("a.txt")).hasContent("gamma");
            assertThat(ClientProgram.methods(peer.wire(), "<--")).contains("fs/read_text_file", "fs/write_text_file");

            model.willCall("run_shell_command", Map.of("command", "echo shell-42", "description", "Counts"));
            Entry.ToolCall run = ForeignAgent.callOf(session.prompt("run"));
            assertThat(run.content().toString()).contains("shell-42");
            assertThat(model.lastRequest()).contains("shell-42");

            session.setConfigOption("mode", "yolo");
            // It says so in a message, too, before it answers.
            assertThat(session.view().messages().getLast().text()).contains("[MODE_UPDATE] yolo");
            assertThat(session.view()
                            .configOption(SessionConfigOptionCategory.MODE)
                            .toString())
                    .contains("currentValue=yolo");

            assertThat(session.view().commands()).isNotEmpty();
            assertThat(peer.problems()).isEmpty();
            peer.end(agent);
            // It ends when its input does, together with the second node process that does its work.
            assertThat(peer.running().ending().orElseThrow().lastStep()).isEqualTo(ProcessTree.Step.WAITED);
        }
    }

    @Test
    void aRejectedToolDoesNotRun() throws Exception {
        try (ConnectedAgent agent = connect(PermissionQuestion::rejectOnce)) {
            Session session = agent.newSession(workspace);

            replace();
            Turn turn = session.prompt("edit a.txt");

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(session.view().toolCalls())
                    .singleElement()
                    // It says no more about a tool that was rejected.
                    .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.PENDING));
            assertThat(workspace.resolve("a.txt")).hasContent("alpha");
        }
    }

    @Test
    void aTurnIsCancelledInTheMiddleOfAnAnswerAndOfAQuestion() throws Exception {
        CountDownLatch question = new CountDownLatch(1);
        try (ConnectedAgent agent = connect(request -> {
            question.countDown();
            new CountDownLatch(1).await();
            return request.allowOnce();
        })) {
            Session session = agent.newSession(workspace);

            model.willStall("Let me think");
            Turn thinking = session.prompt("think");
            for (SessionEvent event : thinking) {
                if (event instanceof SessionEvent.Message) {
                    thinking.cancel();
                }
            }
            assertThat(thinking.result().stopReason()).isEqualTo(StopReason.CANCELLED);

            replace();
            Turn asking = session.prompt("edit a.txt");
            question.await();
            asking.cancel();
            assertThat(asking.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            assertThat(workspace.resolve("a.txt")).hasContent("alpha");

            model.reset();
            model.willSay("Still here.");
            assertThat(session.prompt("and now?").text()).isEqualTo("Still here.");
        }
    }

    @Test
    void aSessionIsLoadedOrItSaysThatItFindsNoneAndTheConnectionWorks() throws Exception {
        Session first;
        try (ConnectedAgent agent = connect()) {
            first = agent.newSession(workspace);
            model.willSay("Hello.");
            first.prompt("hello").result();
        }

        try (ConnectedAgent agent = connect()) {
            assertThat(agent.supports(Feature.LOAD_SESSION)).isTrue();
            // Which of both depends on time: it finds sessions that it has had time to save; see docs/peers.md.
            try {
                assertThat(agent.loadSession(first.id(), workspace).id()).isEqualTo(first.id());
            } catch (RpcError refused) {
                assertThat(refused.code()).isEqualTo(RpcError.INTERNAL_ERROR);
                assertThat(refused.data().orElseThrow().toString()).contains("No previous sessions");
            }
            model.willSay("New.");
            assertThat(agent.newSession(workspace).prompt("hello").text()).isEqualTo("New.");
        }
    }

    @Test
    void aCommandThatRunsWhenTheConnectionIsClosedIsEndedToo() throws Exception {
        Path pipe = ForeignAgent.pipe(workspace.resolve("pipe"));
        try (ConnectedAgent agent = connect()) {
            Session session = agent.newSession(workspace);
            model.willCall(
                    "run_shell_command", Map.of("command", "echo runs > pipe; sleep 1000", "description", "Sleeps"));
            session.prompt("sleep");

            assertThat(Files.readString(pipe)).isEqualTo("runs\n");
            peer.end(agent);
            assertThat(peer.processes()).as("gemini, a shell, sleep").hasSizeGreaterThan(1);
        }
    }

    private void replace() {
        model.willCall(
                "replace",
                Map.of("file_path", file("a.txt"), "old_string", "alpha", "new_string", "gamma", "instruction", "Do"));
    }

    @Test
    void itTakesAMissingFileForAnErrorWhenReadingIsOffered() throws Exception {
        try (ConnectedAgent agent = connect()) {
            Session session = agent.newSession(workspace);
            model.willCall("write_file", Map.of("file_path", file("b.txt"), "content", "beta\n"));
            session.prompt("write b.txt").result();

            // It looks for ENOENT in the text of an Error, but its SDK throws an object that is none.
            assertThat(session.view().toolCalls()).singleElement().satisfies(call -> {
                assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED);
                assertThat(call.content().toString()).contains("b.txt does not exist");
            });
        }
    }

    @Tag("MCX-44")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itsModelUsesAToolOfTheClient(boolean overHttp) throws Exception {
        ToolServer tools = ToolServer.builder("garden", "1")
                .tool("water", "Waters a plant", Plant.class, (plant, call) -> "watered the " + plant.name())
                .build();
        Client.Builder client = Client.builder("acp4j-it", "1").onPermission(PermissionQuestion::allowOnce);
        Session session = peer.withTools(client, gemini(), workspace, tools, overHttp);
        try (ConnectedAgent agent = session.agent()) {
            model.willCall("mcp_garden_water", Map.of("name", "fern"));
            Entry.ToolCall call = ForeignAgent.callOf(session.prompt("water the fern"));

            assertThat(call.content().toString()).contains("watered the fern");
            assertThat(model.lastRequest()).contains("watered the fern");
            assertThat(peer.problems()).isEmpty();
            peer.end(agent);
            assertThat(peer.running().ending().orElseThrow().lastStep()).isEqualTo(ProcessTree.Step.WAITED);
        }
    }

    private String file(String name) {
        return workspace.resolve(name).toString();
    }
}
