package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessTree;
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
import java.util.Locale;
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

/** Our client drives opencode through whole turns; its model is {@link ScriptedModel}. See docs/peers.md. */
@Timeout(300)
@Tag("TST-08")
@DisabledOnOs(OS.WINDOWS)
@ExtendWith(LeakRule.class)
class OpencodeTest {
    private static final String VERSION = "1.18.33";

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
        model = ScriptedModel.openAi();
        workspace = Files.createDirectory(folder.resolve("workspace")).toRealPath();
        Files.writeString(workspace.resolve("a.txt"), "alpha\n");
        Path config = Files.createDirectories(folder.resolve("home/.config/opencode"));
        Files.writeString(config.resolve("opencode.json"), """
                {"autoupdate": false, "share": "disabled", "enabled_providers": ["local"],
                 "model": "local/m", "small_model": "local/m",
                 "permission": {"edit": "ask", "bash": "ask"},
                 "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "Local",
                   "options": {"baseURL": "%s/v1", "apiKey": "none"},
                   "models": {"m": {"name": "M", "tool_call": true, "limit": {"context": 100000, "output": 4000}}}}}}
                """.formatted(model.url()));
    }

    @AfterEach
    void close() {
        model.close();
    }

    /** The package opencode-ai only finds and links the program of a platform; this is where it comes from. */
    private Launch opencode() throws IOException, InterruptedException {
        boolean linux = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux");
        boolean arm = System.getProperty("os.arch").equals("aarch64");
        // "baseline" runs on processors without AVX2, too.
        String platform = (linux ? "linux" : "darwin") + (arm ? "-arm64" : "-x64-baseline");
        Path program =
                NodePrograms.packageFolder("opencode-" + platform, VERSION).resolve("bin/opencode");
        return Launch.of(program.toString(), "acp", "--pure")
                .cwd(workspace)
                // However busy the machine is: whether it ends by itself is what is seen here.
                .shutdownTimes(Duration.ofMinutes(1), Duration.ofSeconds(2))
                .inheritOnly("PATH")
                .env("HOME", folder.resolve("home").toString())
                .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
                .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
                .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
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
        return peer.connect(client, opencode());
    }

    @Test
    void readsAndWritesFilesAndRunsCommandsInWholeTurns() throws Exception {
        try (ConnectedAgent agent = connect()) {
            Session session = agent.newSession(workspace);

            model.willSay("Hello ", "there.");
            assertThat(session.prompt("hello").text()).isEqualTo("Hello there.");
            // Its modes are a config option.
            assertThat(session.view().configOptions()).hasSize(2);

            model.willCall("read", Map.of("filePath", file("a.txt")));
            Entry.ToolCall read = ForeignAgent.callOf(session.prompt("read a.txt"));
            assertThat(read.kind()).isEqualTo(ToolKind.READ);
            // It reads files itself, though we offer it.
            assertThat(ClientProgram.methods(peer.wire(), "<--")).doesNotContain("fs/read_text_file");
            assertThat(model.lastRequest()).contains("1: alpha");

            model.willCall("write", Map.of("filePath", file("b.txt"), "content", "beta\n"));
            Entry.ToolCall write = ForeignAgent.callOf(session.prompt("write b.txt"));
            assertThat(asked)
                    .extracting(request ->
                            Objects.requireNonNull(request.toolCall()).id())
                    .containsExactly(write.id());
            assertThat(workspace.resolve("b.txt")).hasContent("beta");
            assertThat(ClientProgram.methods(peer.wire(), "<--")).contains("fs/write_text_file");

            model.willCall("bash", Map.of("command", "echo shell-$((40 + 2))", "description", "Counts"));
            Entry.ToolCall run = ForeignAgent.callOf(session.prompt("run"));
            assertThat(run.content().toString()).contains("shell-42");
            assertThat(model.lastRequest()).contains("shell-42");
            assertThat(asked).hasSize(2);

            assertThat(session.view().commands()).isNotEmpty();
            assertThat(peer.problems()).isEmpty();
            peer.end(agent);
            // It ends when its input does.
            assertThat(peer.running().ending().orElseThrow().lastStep()).isEqualTo(ProcessTree.Step.WAITED);
        }
    }

    @Test
    void aRejectedToolDoesNotRun() throws Exception {
        try (ConnectedAgent agent = connect(PermissionQuestion::rejectOnce)) {
            Session session = agent.newSession(workspace);

            model.willCall("write", Map.of("filePath", file("b.txt"), "content", "beta\n"));
            Turn turn = session.prompt("write b.txt");

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(session.view().toolCalls())
                    .singleElement()
                    .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
            assertThat(workspace.resolve("b.txt")).doesNotExist();
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

            model.willCall("write", Map.of("filePath", file("b.txt"), "content", "beta\n"));
            Turn asking = session.prompt("write b.txt");
            question.await();
            asking.cancel();
            assertThat(asking.result().stopReason()).isEqualTo(StopReason.CANCELLED);
            assertThat(workspace.resolve("b.txt")).doesNotExist();

            model.reset();
            model.willSay("Still here.");
            assertThat(session.prompt("and now?").text()).isEqualTo("Still here.");
        }
    }

    @Test
    void aSessionIsListedAndLoadedByTheNextProcess() throws Exception {
        Session first;
        try (ConnectedAgent agent = connect()) {
            first = agent.newSession(workspace);
            model.willCall("read", Map.of("filePath", file("a.txt")));
            first.prompt("read a.txt").result();
        }

        try (ConnectedAgent agent = connect()) {
            assertThat(agent.listSessions(workspace))
                    .anySatisfy(info -> assertThat(info.sessionId()).isEqualTo(first.id()));
            Session loaded = agent.loadSession(first.id(), workspace);

            assertThat(loaded.view().messages().get(0).text()).isEqualTo("read a.txt");
            assertThat(loaded.view().messages().getLast().text()).isEqualTo("Done now.");
            assertThat(loaded.view().toolCalls())
                    .singleElement()
                    .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED));
            model.willSay("I remember.");
            assertThat(loaded.prompt("again").text()).isEqualTo("I remember.");
            assertThat(model.lastRequest()).contains("read a.txt");
        }
    }

    @Test
    void aCommandThatRunsWhenTheConnectionIsClosedIsEndedToo() throws Exception {
        Path pipe = ForeignAgent.pipe(workspace.resolve("pipe"));
        try (ConnectedAgent agent = connect()) {
            Session session = agent.newSession(workspace);
            model.willCall("bash", Map.of("command", "echo runs > pipe; sleep 1000", "description", "Sleeps"));
            session.prompt("sleep");

            assertThat(Files.readString(pipe)).isEqualTo("runs\n");
            peer.end(agent);
            assertThat(peer.processes()).as("opencode, a shell, sleep").hasSizeGreaterThan(1);
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
        Session session = peer.withTools(client, opencode(), workspace, tools, overHttp);
        try (ConnectedAgent agent = session.agent()) {
            model.willCall("garden_water", Map.of("name", "fern"));
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
