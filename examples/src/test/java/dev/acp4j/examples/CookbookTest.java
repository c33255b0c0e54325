package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.workspace.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs each recipe of docs/cookbook.md. */
@Timeout(120)
class CookbookTest {
    @TempDir
    Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    private ConnectedAgent join(Agent.Builder agent, Client.Builder client) throws InterruptedException {
        var ends = MemoryTransport.pair();
        open.add(agent.build().connect(ends.left()));
        ConnectedAgent connection = client.connect(ends.right());
        open.add(connection);
        return connection;
    }

    private static Agent.Builder agent(Agent.PromptHandler handler) {
        return Agent.builder("agent", "1.0").onPrompt(handler);
    }

    private static Client.Builder client() {
        return Client.builder("client", "1.0");
    }

    // ---- agents

    @Test
    @Tag("API-09")
    void anAnswerIsStreamed() throws Exception {
        var session = join(agent(AgentRecipes::stream), client()).newSession(folder);

        assertThat(session.prompt("one three").text()).isEqualTo("3 5 ");
        assertThat(session.view().messages()).hasSize(3);
    }

    @Test
    @Tag("API-09")
    void aToolCallShowsItsDiff() throws Exception {
        Path file = Files.writeString(folder.resolve("notes.txt"), "teh end");
        var session =
                join(agent(AgentRecipes::edit), Workspace.offerTo(client())).newSession(folder);

        session.prompt("go").result();

        assertThat(file).hasContent("the end");
        assertThat(session.view().toolCalls()).singleElement().satisfies(call -> {
            assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
            assertThat(call.content()).hasSize(1);
        });
    }

    @Test
    @Tag("API-09")
    void aFileIsDeletedOnlyWithPermission() throws Exception {
        Path file = Files.writeString(folder.resolve("old.txt"), "");

        join(agent(AgentRecipes::delete), client().onPermission(ClientRecipes::decide))
                .newSession(folder)
                .prompt("old.txt")
                .result();
        assertThat(file).exists();

        join(agent(AgentRecipes::delete), client().onPermission(request -> request.allowOnce()))
                .newSession(folder)
                .prompt("old.txt")
                .result();
        assertThat(file).doesNotExist();
    }

    @Test
    @Tag("API-09")
    void workThatDoesNotBlockIsCancelledToo() throws Exception {
        var session = join(agent(AgentRecipes::count), client()).newSession(folder);
        try (var turn = session.prompt("go")) {
            var events = turn.iterator();
            assertThat(events.hasNext()).isTrue();
            turn.cancel();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
    }

    @Test
    @Tag("API-09")
    void theUserIsAskedForInput() throws Exception {
        var session = join(
                        agent(AgentRecipes::askForName),
                        client().onElicitation(question ->
                                question.accept(Map.of("name", new ElicitationContentValue.Text("Ada")))))
                .newSession(folder);

        assertThat(session.prompt("go").text()).contains("Ada");
    }

    @Test
    @Tag("API-09")
    void modesAndOptionsAreOfferedAndChanged() throws Exception {
        var session = join(AgentRecipes.withModes(), client()).newSession(folder);

        session.setConfigOption("mode", "work");
        session.setConfigOption(SessionConfigId.of("brief"), SessionConfigOptionValue.of(true));
        session.prompt("go").result();

        assertThat(session.view().configOptions()).hasSize(2).containsAll(AgentRecipes.options(true));
        assertThat(session.view().configOptions().getFirst().toString()).contains("currentValue=work");
        assertThat(session.view().title()).contains("Mode: work");
    }

    @Test
    @Tag("API-09")
    void aConversationIsLoadedAndContinued() throws Exception {
        Files.writeString(folder.resolve("s1.log"), "hello\n");
        var stored = SessionInfo.builder(SessionId.of("s1"), folder.toString()).build();
        var agent = agent(turn -> turn.message("Here."))
                .onLoadSession(AgentRecipes::load)
                .onListSessions((from, request) ->
                        ListSessionsResponse.builder(List.of(stored)).build());
        var connection = join(agent, client());

        ClientRecipes.continueNewest(connection, folder);

        var again = connection.loadSession(SessionId.of("s1"), folder);
        assertThat(again.view().messages()).hasSize(2);
    }

    @Test
    @Tag("API-09")
    void aMethodOfOnesOwnIsAnswered() throws Exception {
        var connection = join(agent(turn -> {}).on("_example.com/count", AgentRecipes::countMembers), client());

        assertThat(connection.call("_example.com/count", RawJson.parse("{\"a\":1,\"b\":2}")))
                .isEqualTo(RawJson.number(2));
    }

    @Test
    @Tag("API-09")
    void theServersOfASessionAreListed() throws Exception {
        var server = McpServer.Stdio.of("files", "/usr/bin/files-server", List.of(), List.of());
        var session = join(agent(AgentRecipes::listServers), client())
                .newSession(SessionSetup.in(folder).withMcpServers(List.of(server)));

        assertThat(session.prompt("go").text()).isEqualTo("files: /usr/bin/files-server\n");
    }

    @Test
    @Tag("API-09")
    void anAgentLogsToAFile() throws Exception {
        Path file = folder.resolve("agent.log");
        Logger root = Logger.getLogger("");
        List<Handler> before = List.of(root.getHandlers());
        AgentRecipes.logTo(file);
        System.getLogger("agent").log(System.Logger.Level.INFO, "started");
        for (Handler handler : root.getHandlers()) {
            if (!before.contains(handler)) {
                root.removeHandler(handler);
                handler.close();
            }
        }

        assertThat(file).content().contains("started");
    }

    // ---- clients

    private static Launch echo() {
        String java = ProcessHandle.current().info().command().orElse("java");
        return Launch.of(java, "-cp", System.getProperty("java.class.path"), EchoAgent.class.getName());
    }

    @Test
    @Tag("API-09")
    void anAgentIsAskedOnceAndOnceMoreWhenItFails() throws Exception {
        Path died = folder.resolve("died");
        String once = "[ -e " + died + " ] && exec \"$@\"; touch " + died + "; exit 3";
        Launch launch = Launch.of(
                "sh",
                "-c",
                once,
                "sh",
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                EchoAgent.class.getName());

        assertThat(ClientRecipes.askAgain(launch, folder, "hello")).isEqualTo("You said: hello");
        assertThat(died).exists();
    }

    @Test
    @Tag("API-09")
    void filesAreLent() throws Exception {
        Path file = Files.writeString(folder.resolve("notes.txt"), "teh end");
        var ends = MemoryTransport.pair();
        try (var served = agent(AgentRecipes::edit).build().connect(ends.left());
                var connection = ClientRecipes.helpful().connect(ends.right())) {
            connection.newSession(folder).prompt("go").result();
            assertThat(served.supports(dev.acp4j.Feature.TERMINALS)).isTrue();
        }
        assertThat(file).hasContent("the end");
    }

    @Test
    @Tag("API-09")
    void progressIsShown() throws Exception {
        var session = join(agent(AgentRecipes::stream), client().onEvent(ClientRecipes::show))
                .newSession(folder);

        assertThat(session.prompt("a").text()).isEqualTo("1 ");
    }

    @Test
    @Tag("API-09")
    void aTurnThatTakesTooLongIsCancelled() throws Exception {
        var session =
                join(agent(turn -> new CountDownLatch(1).await()), client()).newSession(folder);

        assertThat(ClientRecipes.promptFor(Duration.ofMillis(20), session, "go").stopReason())
                .isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Tag("API-09")
    void whatWasSaidIsRecorded() throws Exception {
        Path file = folder.resolve("trace.jsonl");

        ClientRecipes.traced(echo(), folder, file);

        assertThat(TraceFile.read(file)).hasSizeGreaterThan(6);
    }

    // ---- tests

    @Test
    @Tag("API-09")
    void agentsAreTestedInMemory() throws Exception {
        var agent = agent(AgentRecipes::stream).build();

        assertThat(TestRecipes.answerOf(agent, "four")).isEqualTo("4 ");
        assertThat(TestRecipes.errorForAnUnknownSession(agent)).contains("-32002", "Session not found", "version 1");
    }
}
