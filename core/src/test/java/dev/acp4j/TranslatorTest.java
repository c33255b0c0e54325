package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthState;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.DiffChange;
import dev.acp4j.schema.DiffPatch;
import dev.acp4j.schema.DiffPatchFormat;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.LlmProtocol;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.ProviderInfo;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What sessions do when a client of one version uses an agent that only speaks the other. */
@Timeout(20)
class TranslatorTest {
    @RegisterExtension
    private final Joined joined = new Joined();

    private ConnectedAgent join(Agent.Builder agent, Client.Builder client, Version version) throws Exception {
        return joined.translate(agent, client, version);
    }

    private static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Joined.agent(onPrompt);
    }

    @ParameterizedTest
    @EnumSource
    void theSameWorkShowsTheSameTimeline(Version version) throws Exception {
        ConnectedAgent connected = join(
                agent(BothVersionsTest::work), Joined.client().onPermission(PermissionQuestion::allowOnce), version);
        Session session = connected.newSession(Joined.HERE);

        TurnResult result = session.prompt("Change it").result();

        assertThat(result.stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(session.view().title()).contains("Edits");
        assertThat(session.view().commands()).hasSize(1);
        assertThat(BothVersionsTest.shown(session))
                .contains(
                        "USER: Change it", "AGENT: I will change it.", "AGENT: Second", "AGENT: Bye.", "notice Careful")
                .anySatisfy(line -> assertThat(line).startsWith("tool call-1 Edit edit completed [diff /src/a.txt"))
                .filteredOn(line -> line.startsWith("USER"))
                .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = "V1")
    void whatOnlyVersionTwoCanSayReachesAClientOfVersionOne(Version version) throws Exception {
        ConnectedAgent connected = join(agent(BothVersionsTest::workInVersion2), Joined.client(), version);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("2 + 2").result();

        assertThat(BothVersionsTest.shown(session))
                .hasSize(5)
                .contains("AGENT: It is 4.", "THOUGHT: So be it.")
                .anySatisfy(line -> assertThat(line)
                        .startsWith("tool t Add other completed")
                        .contains("1", "2", "3"));
    }

    @Test
    void theOutputOfATerminalIsTextInVersionOne() throws Exception {
        Session session = join(TerminalsOfBothVersionsTest.running(), Joined.client(), Version.V1)
                .newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().timeline().entries(Entry.Terminal.class)).isEmpty();
        assertThat(session.view().toolCalls().getFirst().content())
                .hasSize(3)
                .first()
                .isEqualTo(ToolCallContent.text("```\nCosts 5 €😀\n```\n"));
    }

    @Test
    void theOutputOfATerminalThatStillRunsIsTextAtTheEndOfTheTurnInVersionOne() throws Exception {
        TerminalId serving = TerminalId.of("serving");
        ConnectedAgent connected = join(
                agent(turn -> {
                    turn.update(TerminalUpdate.builder(serving).command("serve").build());
                    turn.toolCall("Serve", ToolKind.EXECUTE).start().terminal(serving);
                    turn.update(TerminalOutputChunk.of(serving, "listening\n".getBytes(StandardCharsets.UTF_8)));
                }),
                Joined.client(),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call ->
                        assertThat(call.content()).containsExactly(ToolCallContent.text("```\nlistening\n```\n")));
    }

    @Test
    void aMessageThatWasReplacedIsANewOneInVersionOne() throws Exception {
        ConnectedAgent connected = join(
                agent(turn -> {
                    turn.message(ContentBlock.text("The password is 1234"), MessageId.of("m"));
                    turn.update(SessionUpdate.AgentMessage.builder(MessageId.of("m"))
                            .content(List.of(ContentBlock.text("(withdrawn)")))
                            .build());
                }),
                Joined.client(),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(BothVersionsTest.shown(session)).contains("AGENT: The password is 1234", "AGENT: (withdrawn)");
    }

    @Test
    void workBesideTheTurnsIsNotSeenInVersionOneAndCannotBeCancelledAlone() throws Exception {
        ConnectedAgent connected = join(
                agent(turn -> {
                    ToolCallHandle call = turn.session()
                            .toolCall("Server", ToolKind.EXECUTE)
                            .start()
                            .onCancel(() -> {});
                    turn.session().background(List.of(BackgroundWork.ToolCall.of(call.id())));
                }),
                Joined.client(),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Start").result();

        assertThat(session.view().background()).isEmpty();
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.isCancellable()).isFalse());
    }

    @Test
    void aCancelledToolCallHasFailedInVersionOne() throws Exception {
        ConnectedAgent connected = join(
                agent(turn -> turn.toolCall("Build", ToolKind.EXECUTE).start().cancelled()),
                Joined.client(),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
    }

    @Test
    void ofSeveralPlansTheOneThatChangedLastIsThePlanInVersionOne() throws Exception {
        ConnectedAgent connected = join(
                agent(turn -> {
                    for (String id : List.of("first", "second")) {
                        turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Items.of(
                                PlanId.of(id),
                                List.of(PlanEntry.of(id, PlanEntryPriority.MEDIUM, PlanEntryStatus.PENDING)))));
                    }
                }),
                Joined.client(),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().plan()).extracting(PlanEntry::content).containsExactly("second");
    }

    @Test
    void anAgentOfVersionOneGetsNoFilesAndTerminalsOfAClientOfVersionTwo() throws Exception {
        List<Boolean> offered = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent connected = join(
                agent(turn -> {
                    for (Feature feature : List.of(Feature.READ_FILES, Feature.WRITE_FILES, Feature.TERMINALS)) {
                        offered.add(turn.client().supports(feature));
                    }
                }),
                Joined.client().onReadTextFile((session, request) -> "text").onWriteTextFile((session, request) -> {}),
                Version.V2);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(offered).containsExactly(false, false, false);
    }

    @Test
    void theReplayOfAnAgentThatOnlyResumesIsRefusedInVersionTwo() throws Exception {
        ConnectedAgent connected = join(agent(turn -> {}).onResumeSession(session -> {}), Joined.client(), Version.V2);

        assertThatThrownBy(() -> connected.loadSession(SessionId.of("old"), Joined.HERE))
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("replayFrom");
        assertThat(connected
                        .resumeSession(SessionId.of("old"), Joined.HERE)
                        .id()
                        .value())
                .isEqualTo("old");
    }

    @Test
    void loggingOutOfAnAgentThatCannotFailsInVersionTwo() throws Exception {
        AuthMethod method =
                AuthMethod.Agent.builder(AuthMethodId.of("key"), "Key").build();
        ConnectedAgent connected = join(
                agent(turn -> {}).onAuthenticate(List.of(method), (client, id) -> {}), Joined.client(), Version.V2);

        assertThatThrownBy(connected::logout).hasMessageContaining("no way to log out");
    }

    @Test
    void serversOverSseAreNotOfferedInVersionTwo() throws Exception {
        ConnectedAgent connected = join(agent(turn -> {}).supports(Feature.MCP_SSE), Joined.client(), Version.V2);

        assertThat(connected.supports(Feature.MCP_SSE)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void aCancelledTurnEndsWhenTheAgentSaysSo(Version version) throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        ConnectedAgent connected = join(
                agent(turn -> {
                    var call = turn.toolCall("Long", ToolKind.EXECUTE).start();
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        call.fail("The last word");
                    }
                }),
                Joined.client(),
                version);
        Session session = connected.newSession(Joined.HERE);
        Turn turn = session.prompt("Go");
        running.await();

        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(BothVersionsTest.shown(session))
                .anySatisfy(line -> assertThat(line).contains("The last word"));
    }

    @ParameterizedTest
    @EnumSource
    void errorsOfTheAgentReachTheClient(Version version) throws Exception {
        ConnectedAgent connected = join(
                agent(turn -> {
                    throw new RpcError(-32000, "Log in");
                }),
                Joined.client(),
                version);
        Session session = connected.newSession(Joined.HERE);

        assertThatThrownBy(() -> session.prompt("Go").result())
                .isInstanceOf(AuthenticationRequiredException.class)
                .hasMessageContaining("Log in");
    }

    @ParameterizedTest
    @EnumSource
    void sessionsAreListedLoadedAndResumedByTheirIds(Version version) throws Exception {
        Agent.Builder agent = agent(turn -> turn.message("Hi"))
                .sessionIds(() -> SessionId.of("mine"))
                .onLoadSession(session -> {
                    session.userMessage(ContentBlock.text("Before"));
                    session.message("Then");
                })
                .onResumeSession(session -> {})
                .onCloseSession(session -> {})
                .onListSessions((client, request) -> ListSessionsResponse.builder(
                                List.of(SessionInfo.builder(SessionId.of("old"), "/")
                                        .title("Old")
                                        .build()))
                        .build());
        ConnectedAgent connected = join(agent, Joined.client(), version);

        List<String> titles = new ArrayList<>();
        connected.listSessions(null).forEach(info -> titles.add(String.valueOf(info.title())));
        Session loaded = connected.loadSession(SessionId.of("old"), Joined.HERE);
        Session fresh = connected.newSession(Joined.HERE);

        assertThat(titles).containsExactly("Old");
        assertThat(BothVersionsTest.shown(loaded)).containsExactly("USER: Before", "AGENT: Then");
        assertThat(fresh.id().value()).isEqualTo("mine");
        assertThat(loaded.prompt("Go").text()).isEqualTo("Hi");
        loaded.close();
        assertThat(connected
                        .resumeSession(SessionId.of("old"), Joined.HERE)
                        .prompt("Go")
                        .text())
                .isEqualTo("Hi");
    }

    @ParameterizedTest
    @EnumSource
    void modesAndOptionsAreSetAtTheAgent(Version version) throws Exception {
        List<String> set = Collections.synchronizedList(new ArrayList<>());
        SessionModeState modes = SessionModeState.of(
                SessionModeId.of("ask"),
                List.of(
                        SessionMode.builder(SessionModeId.of("ask"), "Ask").build(),
                        SessionMode.builder(SessionModeId.of("code"), "Code").build()));
        ConnectedAgent connected = join(
                agent(turn -> turn.mode(SessionModeId.of("ask")))
                        .onNewSession(session -> session.modes(modes))
                        .onSetMode((session, mode) -> set.add(mode.value())),
                Joined.client(),
                version);
        Session session = connected.newSession(Joined.HERE);

        List<SessionConfigOption> unused = session.setConfigOption("mode", "code");
        String chosen = current(session);
        TurnResult ended = session.prompt("Go").result();

        assertThat(set).containsExactly("code");
        assertThat(chosen).isEqualTo("code");
        assertThat(ended.stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(current(session)).isEqualTo("ask");
    }

    private static String current(Session session) {
        return session.view()
                .configOption(SessionConfigOptionCategory.MODE)
                .map(option ->
                        ((SessionConfigOption.Select) option).currentValue().value())
                .orElse("");
    }

    @ParameterizedTest
    @EnumSource
    void questionsAreAskedOfTheClient(Version version) throws Exception {
        List<String> said = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent connected = join(
                agent(turn -> {
                    turn.message(turn.ask("Delete it?") ? "yes" : "no");
                    CreateElicitationResponse page = turn.elicit(CreateElicitationRequest.url(
                            ElicitationScope.session(turn.sessionId()),
                            "Log in here",
                            ElicitationId.of("e"),
                            "https://example.org/"));
                    said.add(page.getClass().getSimpleName());
                }),
                Joined.client()
                        .onPermission(PermissionQuestion::allowOnce)
                        .onElicitation(question -> question.accept(), Feature.PAGES),
                version);
        Session session = connected.newSession(Joined.HERE);

        assertThat(session.prompt("Go").text()).isEqualTo("yes");
        assertThat(said).containsExactly("Accept");
    }

    @ParameterizedTest
    @EnumSource
    void usersLogInAndOut(Version version) throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        AuthMethod method =
                AuthMethod.Agent.builder(AuthMethodId.of("key"), "Key").build();
        ConnectedAgent connected = join(
                agent(turn -> {})
                        .onAuthenticate(List.of(method), (client, id) -> seen.add(id.value()))
                        .onLogout(client -> seen.add("out")),
                Joined.client(),
                version);

        connected.authenticate(AuthMethodId.of("key"));
        connected.logout();

        assertThat(seen).containsExactly("key", "out");
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfTheAgentEndsTheConnection(Version version) throws Exception {
        ConnectedAgent connected = join(agent(turn -> turn.client().rpc().close()), Joined.client(), version);
        Session session = connected.newSession(Path.of(""));

        Turn unused = session.prompt("Go");
        connected.awaitClosed();

        assertThat(connected.isOpen()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void whatAnAgentSaysAtOnceOfANewSessionReachesTheClient(Version version) throws Exception {
        ConnectedAgent connected = join(
                agent(turn -> turn.message("Bye.")).onNewSession(session -> {
                    session.message("Welcome.");
                    session.title("Greeting");
                }),
                Joined.client(),
                version);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(BothVersionsTest.shown(session)).contains("AGENT: Welcome.", "AGENT: Bye.");
        assertThat(session.view().title()).contains("Greeting");
    }

    @Test
    void whatAnAgentSaysAfterACancellationReachesTheClient() throws Exception {
        Joined.Hand hand = joined.translateByHand(Joined.client(), Version.V2);
        RawAgent agent = hand.agent();
        Session session = hand.open();
        Turn turn = session.prompt("Go");
        Message prompt = agent.expect("session/prompt");

        turn.cancel();
        Message cancelled = agent.expect("session/cancel");
        agent.says("The last word");
        agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(cancelled.params()).isNotNull();
        assertThat(BothVersionsTest.shown(session)).contains("AGENT: The last word");
    }

    @Test
    void aQuestionHasAllThatTheToolCallHas() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Joined.Hand hand = joined.translateByHand(
                Joined.client().onPermission(question -> {
                    Entry.ToolCall call = Objects.requireNonNull(question.toolCall());
                    asked.add(call.title() + " " + call.rawInput() + " " + call.meta());
                    return question.allowOnce();
                }),
                Version.V2);
        RawAgent agent = hand.agent();
        Session session = hand.open();
        Turn turn = session.prompt("Go");
        Message prompt = agent.expect("session/prompt");

        agent.request(
                7,
                "session/request_permission",
                "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"c\",\"title\":\"rm\",\"rawInput\":{\"path\":\"/\"},"
                        + "\"_meta\":{\"a\":1}},\"options\":[{\"optionId\":\"y\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}");
        Message answer = agent.read();
        agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(answer).asString().contains("\"optionId\":\"y\"");
        assertThat(asked).containsExactly("rm {\"path\":\"/\"} {\"a\":1}");
    }

    @Test
    void anotherModeIsToldAsAModeToClientsOfVersionOne() throws Exception {
        List<String> modes = Collections.synchronizedList(new ArrayList<>());
        SessionModeState offered = SessionModeState.of(
                SessionModeId.of("plan"),
                List.of(
                        SessionMode.builder(SessionModeId.of("plan"), "Plan").build(),
                        SessionMode.builder(SessionModeId.of("work"), "Work").build()));
        ConnectedAgent connected = join(
                agent(turn -> turn.mode(SessionModeId.of("work"))).onNewSession(session -> session.modes(offered)),
                Joined.client().onUpdate((session, update, meta) -> {
                    if (update instanceof SessionUpdate.CurrentModeUpdate change) {
                        modes.add(change.currentModeId().value());
                    }
                }),
                Version.V1);

        TurnResult unused = connected.newSession(Joined.HERE).prompt("Go").result();

        assertThat(modes).containsExactly("work");
    }

    @Test
    void hunksOfFilesOfOneNameAreShownWhereTheyBelong() throws Exception {
        String patch = "diff --git a/index.ts b/index.ts\n--- a/index.ts\n+++ b/index.ts\n@@ -1 +1 @@\n-a\n+b\n";
        ConnectedAgent connected = join(
                agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("Edit", ToolKind.EDIT)) {
                        call.content(ToolCallContent.Changes.builder(List.of(
                                        DiffChange.Modify.builder("/p/src/index.ts")
                                                .build(),
                                        DiffChange.Modify.builder("/p/index.ts").build()))
                                .patch(DiffPatch.of(DiffPatchFormat.GIT_PATCH, patch))
                                .build());
                        call.complete();
                    }
                }),
                Joined.client(),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().toolCalls().getFirst().content())
                .filteredOn(ToolCallContent.Diff.class::isInstance)
                .extracting(content -> ((ToolCallContent.Diff) content).path())
                .containsExactly("/p/index.ts");
    }

    @Test
    void valuesThatVersionOneDoesNotHaveBecomeTheNearestOnes() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = join(agent(BothVersionsTest::strange), BothVersionsTest.refusing(asked), Version.V1)
                .newSession(Joined.HERE);

        TurnResult result = session.prompt("Go").result();

        BothVersionsTest.assertIsOfVersionOne(session, result);
        assertThat(asked).containsExactly("reject_once", "form");
    }

    // ---- what belongs to no session

    @ParameterizedTest
    @EnumSource
    void aLoginAndAMethodOfAnExtensionAskTheUserOnBehalfOfTheClientsRequest(Version version) throws Exception {
        AuthMethod method =
                AuthMethod.Agent.builder(AuthMethodId.of("key"), "Key").build();
        List<String> answers = Collections.synchronizedList(new ArrayList<>());
        List<RequestId> sent = Collections.synchronizedList(new ArrayList<>());
        List<RequestId> asked = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent connected = join(
                agent(turn -> {})
                        .onAuthenticate(List.of(method), (client, id) -> answers.add(which(client)))
                        .onLogout(client -> {})
                        .on("_test/ask", (client, params) -> RawJson.string(which(client))),
                Joined.client()
                        .onElicitation(
                                question -> {
                                    assertThat(question.session()).isNull();
                                    asked.add(Objects.requireNonNull(
                                            ((CreateElicitationRequest.Form) question.request()).requestId()));
                                    return question.decline();
                                },
                                Feature.FORMS)
                        .interceptOutgoing((message, next) -> {
                            if (message.method().startsWith("auth")
                                    || message.method().equals("_test/ask")) {
                                sent.add(Objects.requireNonNull(message.id()));
                            }
                            next.pass(message);
                        }),
                version);
        // So that the ids of the client are not those of the translator.
        Session unused = connected.newSession(Joined.HERE);
        assertThatThrownBy(() -> connected.call("session/unknown", RawJson.parse("{}")))
                .isInstanceOf(RpcError.class);

        connected.authenticate(AuthMethodId.of("key"));
        RawJson answer = connected.call("_test/ask", null);

        assertThat(answers).containsExactly("Decline");
        assertThat(answer).isEqualTo(RawJson.string("Decline"));
        assertThat(asked).hasSize(2).isEqualTo(sent);
    }

    private static String which(ConnectedClient client) throws InterruptedException {
        return client.elicit(CreateElicitationRequest.form(
                        client.requestScope(),
                        "Which?",
                        ElicitationSchema.builder().build()))
                .getClass()
                .getSimpleName();
    }

    @ParameterizedTest
    @EnumSource
    void requestsAndNotificationsOfExtensionsGoThroughInBothDirections(Version version) throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Meta offered = Meta.of("test/ask", RawJson.parse("true"));
        Meta wanted = Meta.of("test/back", RawJson.parse("true"));
        ConnectedAgent connected = join(
                agent(turn -> {})
                        .capabilitiesMeta(offered)
                        .on("_test/ask", (client, params) -> {
                            assertThat(client.raw().toString()).contains("\"test/back\":true");
                            return client.call("_test/back", params);
                        })
                        .onNotification("_test/tell", (client, params) -> client.send("_test/told", params)),
                Joined.client()
                        .capabilitiesMeta(wanted)
                        .on("_test/back", (agent, params) -> RawJson.parse("{\"was\":" + params + "}"))
                        .onNotification("_test/told", (agent, params) -> told.add(params.toString())),
                version);

        RawJson answer = connected.call("_test/ask", RawJson.parse("{\"a\":1}"));
        connected.send("_test/tell", RawJson.parse("{\"b\":2}"));

        assertThat(connected.raw().toString()).contains("\"test/ask\":true");
        assertThat(answer).hasToString("{\"was\":{\"a\":1}}");
        assertThat(told.take()).isEqualTo("{\"b\":2}");
        assertThatThrownBy(() -> connected.call("_test/unknown", null))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.METHOD_NOT_FOUND));
    }

    @ParameterizedTest
    @EnumSource
    void whatHasNoSessionAndCapabilitiesThatNobodyKnowsAreNotCarried(Version version) throws Exception {
        ConnectedAgent connected = join(
                agent(turn -> {}).capability("own", RawJson.parse("true")).on("nes/start", (client, params) -> params),
                Joined.client(),
                version);

        assertThat(connected.capability("own")).isEmpty();
        assertThatThrownBy(() -> connected.call("nes/start", RawJson.parse("{}")))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.METHOD_NOT_FOUND));
    }

    @Test
    void aRequestOfAnExtensionIsCancelledAtTheAgent() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        ConnectedAgent connected = join(
                agent(turn -> {}).on("_test/wait", (client, params) -> {
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        cancelled.countDown();
                        throw e;
                    }
                    return RawJson.NULL;
                }),
                Joined.client(),
                Version.V1);
        FutureTask<RawJson> calling = new FutureTask<>(() -> connected.call("_test/wait", null));
        Thread caller = Thread.ofPlatform().start(calling);
        running.await();

        caller.interrupt();
        cancelled.await();

        assertThatThrownBy(calling::get).hasCauseInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @EnumSource
    void whatAnAgentSaysAtOnceInAnExtensionWaitsForTheClient(Version version) throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        ConnectedAgent unused = joined.translate(
                builder -> {
                    RawAgent agent = RawAgent.of(version == Version.V1 ? Version.V2 : Version.V1, builder);
                    try {
                        agent.notification("_test/told", "{\"a\":1}");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return agent.connected();
                },
                Joined.client().onNotification("_test/told", (agent, params) -> told.add(params.toString())),
                version);

        assertThat(told.take()).isEqualTo("{\"a\":1}");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("AUT-05")
    @Tag("AUT-06")
    void providersAndTheStateOfTheLoginAreThoseOfTheAgent(Version version) throws Exception {
        ProviderId main = ProviderId.of("main");
        List<SetProviderRequest> set = Collections.synchronizedList(new ArrayList<>());
        List<ProviderId> disabled = Collections.synchronizedList(new ArrayList<>());
        BlockingQueue<AuthStatus> told = new LinkedBlockingQueue<>();
        AuthStatus out = new AuthStatus(AuthState.UNAUTHENTICATED, List.of());
        AuthStatus in = new AuthStatus(AuthState.AUTHENTICATED, List.of());
        ConnectedAgent connected = join(
                agent(turn -> turn.client().authStatus(in))
                        .onAuthStatus(client -> out)
                        .onProviders(new Agent.ProvidersHandler() {
                            @Override
                            public List<ProviderInfo> list(ConnectedClient client) {
                                return List.of(ProviderInfo.builder(main, List.of(LlmProtocol.OPENAI), false)
                                        .build());
                            }

                            @Override
                            public void set(ConnectedClient client, SetProviderRequest configuration) {
                                set.add(configuration);
                            }

                            @Override
                            public void disable(ConnectedClient client, ProviderId provider) {
                                disabled.add(provider);
                            }
                        }),
                Joined.client().onAuthStatus((agent, status) -> told.add(status)),
                version);
        SetProviderRequest configuration = SetProviderRequest.builder(main, LlmProtocol.OPENAI, "https://llm.example")
                .headers(Map.of("Authorization", "Bearer 4711"))
                .build();

        assertThat(connected.providers()).extracting(ProviderInfo::providerId).containsExactly(main);
        connected.setProvider(configuration);
        connected.disableProvider(main);
        assertThat(connected.authStatus()).isEqualTo(out);
        TurnResult unused = connected.newSession(Joined.HERE).prompt("Log in").result();

        assertThat(set).containsExactly(configuration);
        assertThat(disabled).containsExactly(main);
        assertThat(told.take()).isEqualTo(in);
    }

    @ParameterizedTest
    @EnumSource
    void messagesOfMcpGoThroughInBothDirections(Version version) throws Exception {
        McpServerAcpId tools = McpServerAcpId.of("tools");
        BlockingQueue<String> progress = new LinkedBlockingQueue<>();
        ConnectedAgent connected = join(
                agent(turn -> turn.message(turn.client()
                                .call(
                                        ClientMethods.MESSAGE_MCP,
                                        MessageMcpRequest.builder(tools, McpRequestId.of("1"), "tools/list")
                                                .build())
                                .toString()))
                        .supports(Feature.MCP_ACP)
                        .onNotification(AgentMethods.MESSAGE_MCP, (client, message) -> progress.add(message.method())),
                Joined.client().on(ClientMethods.MESSAGE_MCP, (agent, request) -> {
                    agent.send(
                            AgentMethods.MESSAGE_MCP,
                            MessageMcpNotification.builder(tools, request.requestId(), "notifications/progress")
                                    .build());
                    return MessageMcpResponse.Result.of(RawJson.parse("{\"tools\":[]}"));
                }),
                version);
        Session session = connected.newSession(
                SessionSetup.in(Joined.HERE).withMcpServers(List.of(McpServer.Acp.of("tools", tools))));

        assertThat(session.prompt("Go").text()).contains("{\"tools\":[]}");
        assertThat(progress.take()).isEqualTo("notifications/progress");
    }

    // ---- subagents

    @ParameterizedTest
    @EnumSource
    void aSubagentOfASubagentSpeaksAndAsksInItsOwnName(Version version) throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = join(
                        SubagentsTest.agent(SubagentsTest::delegateTwice),
                        SubagentsTest.answering(SubagentsTest.client(version), asked)
                                .onEvent((of, event) -> {
                                    if (of.id().equals(SubagentsTest.GRANDCHILD)
                                            && event instanceof SessionEvent.Message) {
                                        said.countDown();
                                    }
                                }),
                        version)
                .newSession(Joined.HERE);

        assertThat(session.prompt("Go").text()).isEqualTo("true Decline");

        said.await();
        Session grandchild = session.subagents().getFirst().subagents().getFirst();
        assertThat(grandchild.id()).isEqualTo(SubagentsTest.GRANDCHILD);
        assertThat(grandchild.view().messages().getFirst().text()).isEqualTo("Deep.");
        assertThat(asked).containsExactly("permission grandchild", "input grandchild");
    }

    @ParameterizedTest
    @EnumSource
    void theCancellationOfASubagentReachesTheAgent(Version version) throws Exception {
        CountDownLatch offered = new CountDownLatch(2);
        Set<SessionId> offering = ConcurrentHashMap.newKeySet();
        CountDownLatch cancelled = new CountDownLatch(2);
        Session session = join(
                        SubagentsTest.agent(turn -> {
                            AgentSubagent child = turn.session().subagent(SubagentsTest.CHILD, "Child");
                            child.onCancel(cancelled::countDown);
                            child.subagent(SubagentsTest.GRANDCHILD, "Grandchild")
                                    .onCancel(cancelled::countDown);
                        }),
                        SubagentsTest.client(version).onEvent((of, event) -> {
                            if (event instanceof SessionEvent.SubagentChanged change
                                    && change.subagent().isCancellable()
                                    && offering.add(change.subagent().id())) {
                                offered.countDown();
                            }
                        }),
                        version)
                .newSession(Joined.HERE);
        TurnResult unused = session.prompt("Go").result();
        offered.await();
        Session child = session.subagents().getFirst();

        child.cancel();
        child.subagents().getFirst().cancel();

        cancelled.await();
        assertThat(cancelled.getCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aSessionThatIsOpenedAgainHasItsSubagentsAgain(Version version) throws Exception {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        ConnectedAgent connected = join(
                SubagentsTest.agent(turn -> {})
                        .onLoadSession(session ->
                                session.subagent(SubagentsTest.CHILD, "Child").message("Here."))
                        .onCloseSession(session -> {}),
                SubagentsTest.client(version).onEvent((of, event) -> {
                    if (of.id().equals(SubagentsTest.CHILD) && event instanceof SessionEvent.Message message) {
                        said.add(message.text());
                    }
                }),
                version);

        for (int i = 0; i < 2; i++) {
            Session session = connected.loadSession(SessionId.of("old"), Joined.HERE);
            assertThat(said.take()).isEqualTo("Here.");
            session.close();
        }

        assertThat(said).isEmpty();
    }

    @Test
    void whatASubagentSaysBeforeTheSessionIsOpenReachesTheClient() throws Exception {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        Joined.Hand hand = joined.translateByHand(
                SubagentsTest.client(Version.V2).onEvent((of, event) -> {
                    if (event instanceof SessionEvent.Message message) {
                        said.add(of.id() + ": " + message.text());
                    }
                }),
                Version.V2);
        RawAgent agent = hand.agent();
        FutureTask<Session> opening = RawAgent.started(() -> hand.connected().newSession(Joined.HERE));
        Message request = agent.expect("session/new");
        agent.update("subagent_update", "\"sessionId\":\"b\",\"title\":\"B\"");
        agent.updateOf("b", "agent_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"Early\"}");
        agent.answer(request, "{\"sessionId\":\"s\"}");

        Session session = opening.get();

        assertThat(said.take()).isEqualTo("b: Early");
        assertThat(session.subagents()).extracting(Session::id).containsExactly(SessionId.of("b"));
    }
}
