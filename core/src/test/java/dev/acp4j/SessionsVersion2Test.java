package dev.acp4j;

import static dev.acp4j.RawAgent.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.CommandType;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening and configuring sessions in version 2; the other side is played by hand. */
@Timeout(20)
class SessionsVersion2Test {
    private static final String OPTIONS =
            "\"configOptions\":[{\"type\":\"select\",\"configId\":\"model\",\"name\":\"Model\","
                    + "\"currentValue\":\"%s\",\"options\":[{\"value\":\"a\",\"name\":\"A\"},{\"value\":\"b\",\"name\":\"B\"}]},"
                    + "{\"type\":\"boolean\",\"configId\":\"web\",\"name\":\"Web\",\"currentValue\":%s}]";

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private RawAgent agent(Client.Builder client, String sessions) throws Exception {
        RawAgent agent = new RawAgent(
                client.protocol(Version.V2),
                "{\"protocolVersion\":2,\"capabilities\":{\"session\":" + sessions
                        + "},\"info\":{\"name\":\"hand\",\"version\":\"1\"}}");
        open.add(agent);
        return agent;
    }

    private RawAgent agent(Client.Builder client) throws Exception {
        return agent(client, "{\"mcp\":{\"stdio\":{}}}");
    }

    // ---- opening

    @Test
    @Tag("SE2-01")
    void asASessionIsSetUpSoItIsAskedForAndResumed() throws Exception {
        RawAgent agent = agent(Joined.client(), "{\"mcp\":{\"stdio\":{}},\"additionalDirectories\":{}}");
        SessionSetup setup = SessionSetup.in(Joined.HERE)
                .withAdditionalDirectories(List.of(Joined.HERE.resolve("more")))
                .withMcpServers(List.of(McpServer.Stdio.of("m", "/bin/m", List.of("-x"), List.of())))
                .withMeta(Meta.of(RawJson.parse("{\"k\":1}")));

        FutureTask<Session> opening = started(() -> agent.connected().newSession(setup));
        Message asked = agent.answering("session/new", "{\"sessionId\":\"s\"}");
        opening.get().detach();
        FutureTask<Session> resuming = started(() -> agent.connected().resumeSession(SessionId.of("s"), setup));
        Message again = agent.answering("session/resume", "{}");

        String said = "\"cwd\":" + RawJson.string(Joined.HERE.toString()) + ",\"additionalDirectories\":["
                + RawJson.string(Joined.HERE.resolve("more").toString())
                + "],\"mcpServers\":[{\"type\":\"stdio\",\"name\":\"m\",\"command\":\"/bin/m\",\"args\":[\"-x\"]";
        assertThat(asked.params()).asString().contains(said, "\"_meta\":{\"k\":1}");
        assertThat(again.params()).asString().contains(said, "\"_meta\":{\"k\":1}", "\"sessionId\":\"s\"");
        assertThat(again.params()).asString().doesNotContain("replayFrom");
        assertThat(resuming.get().id()).hasToString("s");
    }

    @Test
    @Tag("SE2-51")
    void aServerThatIsAddedOnTheWayLeavesTheRestAsItIs() throws Exception {
        McpServer own = McpServer.Stdio.of("own", "/bin/own", List.of(), List.of());
        McpServer added = McpServer.Stdio.of("added", "/bin/added", List.of(), List.of());
        RawAgent agent = agent(Joined.client()
                .changeOutgoing(
                        AgentMethods.NEW_SESSION,
                        request -> request.toBuilder().addMcpServer(added).build()));

        FutureTask<Session> opening = started(() -> agent.connected()
                .newSession(SessionSetup.in(Joined.HERE)
                        .withMcpServers(List.of(own))
                        .withMeta(Meta.of(RawJson.parse("{\"k\":1}")))));
        Message asked = agent.answering("session/new", "{\"sessionId\":\"s\"}");

        assertThat(opening.get().id()).hasToString("s");
        assertThat(asked.params())
                .asString()
                .contains(
                        "\"cwd\":" + RawJson.string(Joined.HERE.toString()),
                        "/bin/own",
                        "/bin/added",
                        "\"_meta\":{\"k\":1}");
    }

    @Test
    @Tag("SE2-01")
    @Tag("SE2-02")
    void whatIsReplayedIsThereAndToldWhenTheSessionIs() throws Exception {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        RawAgent agent = agent(Joined.client().onEvent((session, event) -> {
            if (event instanceof SessionEvent.Chunk piece) {
                told.add(piece.text());
            }
        }));

        FutureTask<Session> loading = started(() -> agent.connected().loadSession(SessionId.of("s"), Joined.HERE));
        Message asked = agent.expect("session/resume");
        agent.update("user_message", "\"messageId\":\"u\",\"content\":[{\"type\":\"text\",\"text\":\"Question\"}]");
        agent.update("agent_message", "\"messageId\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"Answer\"}]");
        agent.update("state_update", "\"state\":\"requires_action\"");
        agent.answer(asked, "{}");

        Session session = loading.get();
        assertThat(told).containsExactly("Question", "Answer");
        assertThat(session.view().messages()).extracting(Entry.Message::text).containsExactly("Question", "Answer");
        assertThat(session.view().state()).isEqualTo(SessionEvent.StateChanged.State.REQUIRES_ACTION);
    }

    @Test
    @Tag("SE2-35")
    void aSessionThatIsRefusedKeepsItsReasonAndTheConnection() throws Exception {
        RawAgent agent = agent(Joined.client());

        FutureTask<Session> opening = started(() -> agent.connected().newSession(Joined.HERE));
        agent.refuse(agent.expect("session/new"), -7, "No room");

        assertThatThrownBy(opening::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(RpcError.class, e -> {
                    assertThat(e.code()).isEqualTo(-7);
                    assertThat(e.message()).isEqualTo("No room");
                });
        assertThat(agent.open().id()).hasToString("s");
    }

    @Test
    @Tag("SE2-48")
    void serversThatTheAgentCannotReachAreNotSentToIt() throws Exception {
        RawAgent agent = agent(Joined.client(), "{\"mcp\":{\"http\":{}}}");
        for (McpServer server : List.<McpServer>of(
                McpServer.Stdio.of("m", "/bin/m", List.of(), List.of()),
                McpServer.Sse.of("m", "https://x.org/", List.of()))) {
            assertThatThrownBy(() -> agent.connected()
                            .newSession(SessionSetup.in(Joined.HERE).withMcpServers(List.of(server))))
                    .isInstanceOfSatisfying(
                            UnsupportedException.class,
                            e -> assertThat(e.version()).isEqualTo(2));
        }
        agent.settleSilently();
    }

    // ---- commands

    @Test
    @Tag("SE2-28")
    void commandsComeWithTheSessionAndMayBeOfAnyType() throws Exception {
        RawAgent agent = agent(Joined.client());
        String commands = "\"availableCommands\":[{\"type\":\"command\",\"name\":\"%s\",\"description\":\"Tests\"},"
                + "{\"type\":\"_macro\",\"name\":\"m\",\"description\":\"Runs\",\"keys\":\"ctrl-m\"}]";

        Session session = agent.open("{\"sessionId\":\"s\"," + commands.formatted("test") + "}");
        List<AvailableCommand> opened = session.view().commands();
        agent.update("available_commands_update", commands.formatted("build"));
        agent.settleSilently();
        List<AvailableCommand> changed = session.view().commands();
        session.detach();
        FutureTask<Session> resuming = started(() -> agent.connected().resumeSession(SessionId.of("s"), Joined.HERE));
        agent.answer("session/resume", "{" + commands.formatted("again") + "}");

        assertThat(opened).extracting(AvailableCommand::name).containsExactly("test", "m");
        assertThat(opened)
                .extracting(AvailableCommand::type)
                .containsExactly(CommandType.COMMAND, CommandType.of("_macro"));
        assertThat(opened.getLast().rest().toString()).contains("keys");
        assertThat(changed).extracting(AvailableCommand::name).containsExactly("build", "m");
        assertThat(resuming.get().view().commands())
                .extracting(AvailableCommand::name)
                .containsExactly("again", "m");
    }

    @Test
    @Tag("SE2-28")
    void anAgentSaysOfWhatTypeItsCommandsAre() throws Exception {
        RawClient client = clientOf(Joined.agent(turn -> turn.commands(List.of(AvailableCommand.of("test", "Tests"))))
                .protocol(Version.V2));

        client.send("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"go\"}]}");

        assertThat(client.until("available_commands_update"))
                .last()
                .asString()
                .contains("{\"name\":\"test\",\"description\":\"Tests\",\"type\":\"command\"}");
    }

    private RawClient clientOf(Agent.Builder agent) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        open.add(agent.sessionIds(() -> SessionId.of("s")).build().connect(pair.left()));
        RawClient client = new RawClient(pair.right());
        open.add(client);
        client.send("initialize", RawClient.INITIALIZE);
        client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        String unused = client.answerOf(1);
        return client;
    }

    // ---- options

    private static @Nullable String model(Session session) {
        for (SessionConfigOption option : session.view().configOptions()) {
            if (option instanceof SessionConfigOption.Select select) {
                return select.currentValue().value();
            }
        }
        return null;
    }

    private static @Nullable Boolean web(Session session) {
        for (SessionConfigOption option : session.view().configOptions()) {
            if (option instanceof SessionConfigOption.Toggle toggle) {
                return toggle.currentValue();
            }
        }
        return null;
    }

    @Test
    @Tag("SE2-29")
    @Tag("SE2-31")
    void anOptionIsSetByAnIdOrABooleanAndAllAreAsTheAnswerSays() throws Exception {
        RawAgent agent = agent(Joined.client());
        Session session = agent.open("{\"sessionId\":\"s\"," + OPTIONS.formatted("a", true) + "}");
        assertThat(model(session)).isEqualTo("a");
        assertThat(web(session)).isTrue();

        FutureTask<List<SessionConfigOption>> choosing = started(() -> session.setConfigOption("model", "b"));
        Message chosen = agent.answering("session/set_config_option", "{" + OPTIONS.formatted("b", false) + "}");
        assertThat(choosing.get()).hasSize(2);
        assertThat(model(session)).isEqualTo("b");
        assertThat(web(session)).isFalse();
        FutureTask<List<SessionConfigOption>> turning =
                started(() -> session.setConfigOption(SessionConfigId.of("web"), SessionConfigOptionValue.of(true)));
        Message turned = agent.answering("session/set_config_option", "{\"configOptions\":[]}");

        assertThat(turning.get()).isEmpty();
        assertThat(chosen.params())
                .isEqualTo(
                        RawJson.parse("{\"sessionId\":\"s\",\"configId\":\"model\",\"type\":\"id\",\"value\":\"b\"}"));
        assertThat(turned.params())
                .isEqualTo(RawJson.parse(
                        "{\"sessionId\":\"s\",\"configId\":\"web\",\"type\":\"boolean\",\"value\":true}"));
    }

    @Test
    @Tag("SE2-30")
    void theOptionsAreThoseOfTheLastUpdateThatHasArrivedReadOrNot() throws Exception {
        RawAgent agent = agent(Joined.client());
        Session session = agent.open("{\"sessionId\":\"s\"," + OPTIONS.formatted("a", true) + "}");
        Turn turn = session.prompt("hello");
        agent.answer("session/prompt", "{\"messageId\":\"u\"}");

        agent.update("config_option_update", OPTIONS.formatted("b", false));
        agent.settleSilently();

        assertThat(model(session)).isEqualTo("b");
        assertThat(turn.iterator().next()).isInstanceOf(SessionEvent.ConfigChanged.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"configId\":\"model\",\"type\":\"id\",\"value\":\"b\" | model Id[value=b]",
                "\"configId\":\"web\",\"type\":\"boolean\",\"value\":false | web Toggle[value=false]",
                "\"configId\":\"x\",\"type\":\"_range\",\"value\":[1,2] | x Unknown[type=_range, value=[1,2]]",
            })
    @Tag("SE2-29")
    void anAgentIsToldWhichValueAnOptionGets(String members, String set) throws Exception {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        RawClient client =
                clientOf(Joined.agent(turn -> {}).protocol(Version.V2).onSetConfigOption((session, option, value) -> {
                    told.add(option + " " + value);
                    return List.of(SessionConfigOption.Toggle.builder(SessionConfigId.of("web"), "Web", false)
                            .build());
                }));

        client.send("session/set_config_option", "{\"sessionId\":\"s\"," + members + "}");

        assertThat(client.answerOf(2))
                .contains("\"type\":\"boolean\"", "\"configId\":\"web\"", "\"currentValue\":false");
        assertThat(told).containsExactly(set);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"sse\",\"name\":\"m\",\"url\":\"http://x/\",\"headers\":[]}",
                "{\"type\":\"_own\",\"name\":\"m\"}"
            })
    @Tag("SE2-48")
    void serversOfOtherTypesAreRefusedByTheirType(String server) throws Exception {
        RawClient client =
                clientOf(Joined.agent(turn -> {}).protocol(Version.V2).supports(Feature.MCP_STDIO, Feature.MCP_HTTP));

        client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[" + server + "]}");

        assertThat(client.answerOf(2)).contains("-32602").contains("\"data\":{\"type\":");
    }
}
