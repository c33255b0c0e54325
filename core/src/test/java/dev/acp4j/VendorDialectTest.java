package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthAccount;
import dev.acp4j.schema.AuthState;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What agents speak beside the schema, with the messages as Gemini, Codex and Claude send them. */
@Timeout(60)
class VendorDialectTest {
    @RegisterExtension
    final Joined joined = new Joined();

    private static final String MODELS = """
            "models":{"currentModelId":"large","availableModels":[\
            {"modelId":"large","name":"Large","description":"Thinks longer"},{"modelId":"small","name":"Small"}]}\
            """;
    private static final String STEERED = "{\"protocolVersion\":1,\"_meta\":{\"steering\":{\"supported\":true}}}";

    private static String model(Session session) {
        return session.view()
                .configOption(SessionConfigOptionCategory.MODEL)
                .map(option ->
                        ((SessionConfigOption.Select) option).currentValue().value())
                .orElse("");
    }

    @Test
    void modelsOfAnAgentWithoutThatOptionAreOneAndAreSetInTheirOwnWay() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open("{\"sessionId\":\"s\"," + MODELS + "}");
            assertThat(model(session)).isEqualTo("large");

            FutureTask<List<SessionConfigOption>> setting =
                    RawAgent.started(() -> session.setConfigOption("model", "small"));
            Message asked = agent.answering("session/set_model", "{}");

            assertThat(asked.params()).hasToString("{\"sessionId\":\"s\",\"modelId\":\"small\"}");
            assertThat(setting.get())
                    .singleElement()
                    .satisfies(option -> assertThat(((SessionConfigOption.Select) option).currentValue())
                            .isEqualTo(SessionConfigValueId.of("small")));
            assertThat(model(session)).isEqualTo("small");
        }
    }

    @Test
    void anOptionOfTheAgentComesBeforeItsModels() throws Exception {
        String option =
                "\"configOptions\":[{\"id\":\"llm\",\"name\":\"Model\",\"category\":\"model\",\"type\":\"select\","
                        + "\"currentValue\":\"x\",\"options\":[{\"value\":\"x\",\"name\":\"X\"}]}]";
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open("{\"sessionId\":\"s\"," + MODELS + "," + option + "}");

            assertThat(session.view().configOptions()).hasSize(1);
            assertThat(model(session)).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @CsvSource({"injected, INJECTED", "startedNewTurn, NEW_TURN", "promptRequired, NOT_TAKEN", "_odd, NOT_TAKEN"})
    void aTurnIsSteeredWithoutBeingCancelled(String outcome, Session.Steered steered) throws Exception {
        try (RawAgent agent = new RawAgent(client(), STEERED)) {
            Session session = agent.open();
            Turn turn = session.prompt("go");
            Message prompt = agent.expect("session/prompt");

            FutureTask<Session.Steered> steering = RawAgent.started(() -> session.steer("Leave the tests alone"));
            Message asked = agent.answering("_session/steering", "{\"outcome\":\"" + outcome + "\"}");

            assertThat(asked.params())
                    .hasToString(
                            "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Leave the tests alone\"}]}");
            assertThat(steering.get()).isEqualTo(steered);
            agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            assertThat(turn.result().stopReason().value()).isEqualTo("end_turn");
        }
    }

    @Test
    void anAgentThatDoesNotOfferSteeringIsNotAsked() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();

            assertThatThrownBy(() -> session.steer("Stop that"))
                    .isInstanceOf(UnsupportedException.class)
                    .hasMessage("the agent does not offer steering a running turn");
        }
    }

    // ---- what agents report

    @Test
    void theTokensOfATurnAreCounted() throws Exception {
        TurnResult result = ended("\"usage\":{\"totalTokens\":120,\"inputTokens\":100,\"outputTokens\":20,"
                + "\"cachedReadTokens\":90,\"thoughtTokens\":null}");

        assertThat(result.usage()).contains(new TokenUsage(120, 100, 20, null, 90L, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"usage\":7",
                "\"usage\":{\"totalTokens\":120}",
                "\"usage\":{\"totalTokens\":-1,\"inputTokens\":0,\"outputTokens\":0}",
                "\"usage\":{\"totalTokens\":1.5,\"inputTokens\":0,\"outputTokens\":0}"
            })
    void aCountThatIsNoneEndsTheTurnAllTheSame(String usage) throws Exception {
        assertThat(ended(usage).usage()).isEmpty();
    }

    @Test
    void whyAnAgentCannotGoOnIsSomethingToActOn() throws Exception {
        TurnResult result =
                ended("\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"sessionFailure\":{\"id\":\"t1:error\","
                        + "\"revision\":1,\"category\":\"limit\",\"severity\":\"error\",\"title\":\"The rate limit is reached.\","
                        + "\"actions\":[\"retry\"]}}}}");

        assertThat(result.failure())
                .contains(new SessionFailure(
                        "t1:error", "limit", "error", "The rate limit is reached.", List.of("retry")));
        assertThat(ended("\"_meta\":{\"jetbrains\":{}}").failure()).isEmpty();
    }

    private static TurnResult ended(String members) throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Turn turn = agent.open().prompt("go");
            agent.answer(agent.expect("session/prompt"), "{\"stopReason\":\"end_turn\"," + members + "}");
            return turn.result();
        }
    }

    @Test
    void anAgentReportsHowTheUserIsLoggedIn() throws Exception {
        BlockingQueue<AuthStatus> reports = new LinkedBlockingQueue<>();
        String offers = "{\"protocolVersion\":1,\"agentCapabilities\":{\"_meta\":{\"authStatus\":{}}}}";
        try (RawAgent agent =
                new RawAgent(client().onAuthStatus((connection, status) -> reports.add(status)), offers)) {
            assertThat(agent.connected().supports(Feature.AUTH_STATUS)).isTrue();
            assertThat(agent.connected().authStatus().state()).isEqualTo(AuthState.UNKNOWN);

            agent.notification(
                    "_auth/status_update",
                    "{\"kind\":\"account\",\"label\":\"ChatGPT Plus\","
                            + "\"account\":{\"email\":\"a@b.example\",\"plan\":\"plus\"}}");
            AuthStatus first = reports.take();

            AuthAccount account = first.accounts().getFirst();
            assertThat(account.label()).isEqualTo("ChatGPT Plus");
            assertThat(account.email()).isEqualTo("a@b.example");
            assertThat(account.rest().get("plan")).contains(RawJson.string("plus"));
            assertThat(first.toString()).doesNotContain("a@b.example");
            assertThat(first.isLoggedIn()).isTrue();
            assertThat(agent.connected().authStatus()).isEqualTo(first);

            agent.notification("_auth/status_update", "{\"kind\":\"none\",\"label\":\"Not logged in\"}");

            assertThat(reports.take().isLoggedIn()).isFalse();
        }
    }

    @Test
    void aClientAnnouncesWhatItTakes() throws Exception {
        List<Meta> announced = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent unused = joined.join(
                agent(turn -> {}).changeIncoming(AgentMethods.INITIALIZE, request -> {
                    announced.add(request.clientCapabilities().meta());
                    return request;
                }),
                client().agentTerminals(true).sessionFailures(true));

        assertThat(announced)
                .hasToString("[{\"terminal_output\":true,\"jetbrains\":{\"air\":{\"version\":1,"
                        + "\"capabilities\":[\"sessionFailure\"]}}}]");
    }

    // ---- terminals of the agent

    private static final String BEGUN = """
            "toolCallId":"c1","title":"make","status":"in_progress","content":[{"type":"terminal","terminalId":"c1"}],\
            "_meta":{"terminal_info":{"cwd":"/work","terminal_id":"c1"}}""";

    private static String printed(String member, String data) {
        return "\"toolCallId\":\"c1\",\"_meta\":{\"" + member + "\":{\"terminal_id\":\"c1\",\"data\":\"" + data
                + "\"}}";
    }

    private static Entry.Terminal terminal(Session session) {
        return session.view().terminal(TerminalId.of("c1")).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"terminal_output", "terminal_output_delta"})
    void theOutputOfACommandThatAnAgentRunsByItselfIsShownAsItComes(String member) throws Exception {
        BlockingQueue<SessionEvent> events = new LinkedBlockingQueue<>();
        try (RawAgent agent = new RawAgent(client().onEvent((session, event) -> events.add(event)))) {
            Session session = agent.open();
            agent.update("tool_call", BEGUN);
            agent.update("tool_call_update", printed(member, "one\\n"));
            agent.settle();

            assertThat(terminal(session).output()).isEqualTo("one\n");
            assertThat(terminal(session).cwd()).isEqualTo("/work");
            assertThat(terminal(session).exitStatus()).isNull();

            agent.update("tool_call_update", printed(member, "two\\n"));
            agent.update(
                    "tool_call_update",
                    "\"toolCallId\":\"c1\",\"status\":\"failed\",\"_meta\":{\"terminal_exit\":"
                            + "{\"terminal_id\":\"c1\",\"exit_code\":2,\"signal\":null}}");
            agent.settle();

            assertThat(terminal(session).output()).isEqualTo("one\ntwo\n");
            assertThat(terminal(session).output(4)).isEqualTo("two\n");
            assertThat(terminal(session).exitStatus()).isEqualTo(TerminalExitStatus.exited(2));
            assertThat(session.view().toolCalls())
                    .singleElement()
                    .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
            StringBuilder output = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                output.append(((SessionEvent.TerminalChanged) events.take()).output())
                        .append('|');
                assertThat(events.take()).isInstanceOf(SessionEvent.ToolCallChanged.class);
            }
            assertThat(output).hasToString("|one\n|two\n||");
        }
    }

    @Test
    void aToolCallThatShowsNothingShowsItsTerminal() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            agent.update("tool_call", "\"toolCallId\":\"c1\",\"title\":\"make\"");
            agent.update("tool_call_update", printed("terminal_output_delta", "one"));
            agent.settle();

            assertThat(session.view()
                            .toolCall(ToolCallId.of("c1"))
                            .orElseThrow()
                            .content())
                    .containsExactly(ToolCallContent.terminal(TerminalId.of("c1")));
            assertThat(terminal(session).output()).isEqualTo("one");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"terminal_output\":1}",
                "{\"terminal_output\":{\"data\":\"x\"}}",
                "{\"terminal_output\":{\"terminal_id\":7,\"data\":\"x\"}}",
                "{\"other\":{\"terminal_id\":\"c1\"}}"
            })
    void whatOnlyLooksLikeATerminalIsExtensionData(String meta) throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            agent.update("tool_call", "\"toolCallId\":\"c1\",\"title\":\"make\",\"_meta\":" + meta);
            agent.settle();

            assertThat(session.view().terminal(TerminalId.of("c1"))).isEmpty();
            assertThat(session.view().toolCalls())
                    .singleElement()
                    .satisfies(call -> assertThat(call.meta()).hasToString(meta));
        }
    }

    @ParameterizedTest
    @CsvSource({"terminal_output, terminal_output", "terminal_output_delta, terminal_output_delta"})
    void anAgentShowsTheOutputOfItsCommandsInTheWayThatTheClientAnnounces(String announced, String member)
            throws Exception {
        List<RawJson> sent = shown(Meta.of(announced, RawJson.parse("true")));

        assertThat(sent)
                .extracting(update -> String.valueOf(
                        ((JsonObject) update.value()).get("_meta").orElse(null)))
                .containsExactly(
                        "null",
                        "{\"terminal_info\":{\"terminal_id\":\"call-1\",\"cwd\":\"" + HERE + "\"}}",
                        "{\"" + member + "\":{\"terminal_id\":\"call-1\",\"data\":\"grü\"}}",
                        "{\"" + member + "\":{\"terminal_id\":\"call-1\",\"data\":\"n\\n\"}}",
                        "{\"terminal_exit\":{\"terminal_id\":\"call-1\",\"exit_code\":0,\"signal\":null}}",
                        "null");
        assertThat(sent.get(1)).asString().contains("{\"type\":\"terminal\",\"terminalId\":\"call-1\"}");
    }

    @Test
    void aClientThatShowsNoTerminalsGetsTheOutputAsText() throws Exception {
        List<RawJson> sent = shown(Meta.EMPTY);

        assertThat(sent).noneSatisfy(update -> assertThat(update).asString().contains("terminal"));
        assertThat(sent.get(sent.size() - 2))
                .asString()
                .contains("{\"type\":\"text\",\"text\":\"```\\ngrün\\n```\\n\"}");
    }

    /** Returns the updates of a turn that runs a command. */
    private List<RawJson> shown(Meta capabilities) throws Exception {
        List<RawJson> sent = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    byte[] text = "grün\n".getBytes(StandardCharsets.UTF_8);
                    try (ToolCallHandle call = turn.toolCall(ToolCall.builder(ToolCallId.of("call-1"), "make")
                                    .build());
                            AgentTerminal terminal = call.openTerminal("make", HERE)) {
                        terminal.print(Arrays.copyOf(text, 4));
                        terminal.print(Arrays.copyOfRange(text, 4, text.length));
                        terminal.exited(0);
                        call.complete();
                        assertThat(terminal.output()).isEqualTo("grün\n");
                    }
                }),
                client().capabilitiesMeta(capabilities).onEvent((session, event) -> {
                    if (event instanceof SessionEvent.ToolCallChanged changed) {
                        RawJson params = Objects.requireNonNull(
                                changed.raw().orElseThrow().params());
                        sent.add(((JsonObject) params.value())
                                .get("update")
                                .map(RawJson::of)
                                .orElseThrow());
                    }
                }));
        connection.newSession(HERE).prompt("go").result();
        return sent;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 255, -1, Integer.MIN_VALUE})
    void anExitCodeIsReadAsItWasWritten(int code) throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE);
                            AgentTerminal terminal = call.openTerminal("make", HERE)) {
                        terminal.exited(code);
                    }
                }),
                client().agentTerminals(true));
        Session session = connection.newSession(HERE);
        session.prompt("go").result();

        ToolCallId call = session.view().toolCalls().getFirst().id();
        assertThat(session.view()
                        .terminal(TerminalId.of(call.value()))
                        .orElseThrow()
                        .exitStatus())
                .isEqualTo(TerminalExitStatus.exited(code));
    }

    @Test
    void aTerminalThatIsLeftByAnExceptionHasEnded() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE);
                            AgentTerminal terminal = call.openTerminal("make", HERE)) {
                        terminal.print("one");
                        throw new IllegalStateException("broken");
                    }
                }),
                client().agentTerminals(true));
        Session session = connection.newSession(HERE);

        assertThatThrownBy(() -> session.prompt("go").result()).isInstanceOf(RpcError.class);

        Entry.ToolCall call = session.view().toolCalls().getFirst();
        assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED);
        Entry.Terminal terminal =
                session.view().terminal(TerminalId.of(call.id().value())).orElseThrow();
        assertThat(terminal.output()).isEqualTo("one");
        assertThat(terminal.exitStatus()).isEqualTo(TerminalExitStatus.builder().build());
    }
}
