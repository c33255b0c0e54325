package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.DiffChange;
import dev.acp4j.schema.DiffPatch;
import dev.acp4j.schema.DiffPatchFormat;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What sessions do when a client of one version uses an agent that only speaks the other. */
@Timeout(20)
class TranslatorTest {
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
        assertThat(problems).isEmpty();
    }

    private static Version other(Version version) {
        return version == Version.V1 ? Version.V2 : Version.V1;
    }

    /** Joins a client of a version with an agent of the other. */
    private ConnectedAgent join(Agent.Builder agent, Client.Builder client, Version version) throws Exception {
        MemoryTransport.Pair outer = MemoryTransport.pair();
        MemoryTransport.Pair inner = MemoryTransport.pair();
        open.add(agent.protocol(other(version)).build().connect(inner.left()));
        FutureTask<Boolean> translating = RawAgent.started(() -> {
            Translator.serve(
                    outer.left(),
                    version,
                    builder -> builder.build().connect(inner.right()),
                    problem -> problems.add(problem.detail()));
            return true;
        });
        open.add(translating::get);
        ConnectedAgent connected = client.protocol(version).connect(outer.right());
        open.add(connected);
        assertThat(connected.protocolVersion()).isEqualTo(version.number());
        return connected;
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
        ConnectedAgent connected = join(
                agent(turn -> {
                    try (ToolCallHandle call =
                                    turn.toolCall("make", ToolKind.EXECUTE).start();
                            AgentTerminal terminal = call.openTerminal("make", Joined.HERE)) {
                        terminal.print("built\n");
                        terminal.exited(0);
                        call.complete();
                    }
                }),
                Joined.client(),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(
                        call -> assertThat(call.content()).containsExactly(ToolCallContent.text("```\nbuilt\n```\n")));
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
    void methodsOfExtensionsGoThrough(Version version) throws Exception {
        ConnectedAgent connected =
                join(agent(turn -> {}).on("_test/echo", (client, params) -> params), Joined.client(), version);

        assertThat(connected.call("_test/echo", dev.acp4j.json.RawJson.parse("{\"a\":1}")))
                .hasToString("{\"a\":1}");
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

    /** Joins a client of version 2 with an agent of version 1 that is played by hand, in its session "s". */
    private Session withRawAgent(Client.Builder client, BlockingQueue<RawAgent> agents) throws Exception {
        MemoryTransport.Pair outer = MemoryTransport.pair();
        FutureTask<Boolean> translating = RawAgent.started(() -> {
            Translator.serve(
                    outer.left(),
                    Version.V2,
                    builder -> {
                        try {
                            RawAgent agent = new RawAgent(builder);
                            agents.add(agent);
                            return agent.connected();
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    },
                    problem -> problems.add(problem.detail()));
            return true;
        });
        open.add(translating::get);
        ConnectedAgent connected = client.protocol(Version.V2).connect(outer.right());
        open.add(connected);
        FutureTask<Session> opening = RawAgent.started(() -> connected.newSession(Joined.HERE));
        RawAgent agent = agents.take();
        agents.add(agent);
        agent.answer("session/new", "{\"sessionId\":\"s\"}");
        return opening.get();
    }

    @Test
    void whatAnAgentSaysAfterACancellationReachesTheClient() throws Exception {
        BlockingQueue<RawAgent> agents = new LinkedBlockingQueue<>();
        Session session = withRawAgent(Joined.client(), agents);
        RawAgent agent = agents.take();
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
        BlockingQueue<RawAgent> agents = new LinkedBlockingQueue<>();
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = withRawAgent(
                Joined.client().onPermission(question -> {
                    Entry.ToolCall call = Objects.requireNonNull(question.toolCall());
                    asked.add(call.title() + " " + call.rawInput() + " " + call.meta());
                    return question.allowOnce();
                }),
                agents);
        RawAgent agent = agents.take();
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
}
