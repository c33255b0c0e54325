package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.StringFormat;
import dev.acp4j.schema.StringPropertySchema;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One program over two wires: what holds in both versions of the protocol. */
@Timeout(20)
class BothVersionsTest {
    private static final Path FILE = Path.of("/src/a.txt");

    @RegisterExtension
    final Joined joined = new Joined();

    /** Speaks both versions; the client decides. */
    private static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Joined.agent(onPrompt).protocol(Version.V1, Version.V2);
    }

    private Session session(Agent.Builder agent, Version version) throws Exception {
        return session(agent, version, Joined.client());
    }

    private Session session(Agent.Builder agent, Version version, Client.Builder client) throws Exception {
        ConnectedAgent connected = joined.join(agent, client.protocol(version));
        assertThat(connected.protocolVersion()).isEqualTo(version.number());
        return connected.newSession(Joined.HERE);
    }

    /** Returns what a user interface shows, without what version 1 cannot say. */
    static List<String> shown(Session session) {
        List<String> shown = new ArrayList<>();
        for (Entry entry : session.view().timeline().entries()) {
            shown.add(
                    switch (entry) {
                        case Entry.Message message -> message.author() + ": " + message.text();
                        case Entry.ToolCall call ->
                            "tool " + call.id() + " " + call.title() + " " + call.kind() + " " + call.status() + " "
                                    + texts(call) + " " + call.locations().size() + " " + call.rawInput();
                        case Entry.Plan plan -> "plan " + plan.entries();
                        case Entry.Notice notice -> "notice " + notice.notice().title();
                        case Entry.Question question -> "question " + question.title() + " " + question.state();
                        case Entry.TurnEnd end -> "end " + end.stopReason();
                        default -> entry.toString();
                    });
        }
        return shown;
    }

    private static List<String> texts(Entry.ToolCall call) {
        List<String> texts = new ArrayList<>();
        for (ToolCallContent content : call.content()) {
            texts.add(
                    switch (content) {
                        case ToolCallContent.Content block -> block.content().toString();
                        case ToolCallContent.Diff diff -> "diff " + diff.path();
                        case ToolCallContent.Changes changes -> "diff " + FILE;
                        default -> content.toString();
                    });
        }
        return texts;
    }

    // ---- the same work shows the same timeline

    static void work(AgentTurn turn) throws Exception {
        turn.thought("Hm.");
        var plan = turn.plan("Read", "Change");
        plan.next();
        turn.message("I will ");
        turn.message("change it.");
        try (ToolCallHandle call = turn.toolCall("Edit", ToolKind.EDIT)) {
            call.location(FILE).rawInput(RawJson.parse("{\"path\":1}")).diff(FILE, "a\nb\n", "a\nc\n");
            if (call.requestPermission().isAllowed()) {
                call.start().text("Done");
            }
            call.complete();
        }
        plan.next();
        turn.notice(NoticeSeverity.WARNING, "Careful", null);
        turn.usage(10, 100);
        turn.title("Edits");
        turn.commands(List.of(AvailableCommand.builder("test", "Runs tests").build()));
        turn.message(ContentBlock.text("Second"), MessageId.of("own"));
        plan.set(1, PlanEntryStatus.COMPLETED);
        turn.message("Bye.");
    }

    @Test
    @Tag("SE2-52")
    @Tag("RTR-01")
    void theSameWorkShowsTheSameTimeline() throws Exception {
        List<List<String>> shown = new ArrayList<>();
        for (Version version : Version.values()) {
            Session session = session(
                    agent(BothVersionsTest::work),
                    version,
                    Joined.client().onPermission(PermissionQuestion::allowOnce));
            assertThat(session.prompt("Change it").result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(session.view().title()).contains("Edits");
            assertThat(session.view().commands()).hasSize(1);
            assertThat(session.view().usage()).isPresent();
            shown.add(shown(session));
        }

        assertThat(shown.getFirst()).hasSizeGreaterThan(8).isEqualTo(shown.getLast());
    }

    /** The same work, as an agent says it that thinks in version 2. */
    static void workInVersion2(AgentTurn turn) {
        MessageId said = MessageId.of("m");
        ToolCallId call = ToolCallId.of("t");
        turn.message(ContentBlock.text("It is"), said);
        turn.update(ToolCallUpdate.builder(call)
                .title("Add")
                .content(List.of(ToolCallContent.text("1")))
                .build());
        turn.update(SessionUpdate.ToolCallContentChunk.of(call, ToolCallContent.text("2")));
        turn.update(SessionUpdate.ToolCallContentChunk.of(call, ToolCallContent.text("3")));
        turn.update(SessionUpdate.AgentMessage.builder(said)
                .content(List.of(ContentBlock.text("It is 4.")))
                .build());
        turn.update(
                ToolCallUpdate.builder(call).status(ToolCallStatus.COMPLETED).build());
        turn.update(SessionUpdate.AgentThought.builder(MessageId.of("n"))
                .content(List.of(ContentBlock.text("So "), ContentBlock.text("be it.")))
                .build());
    }

    @Test
    @Tag("SE2-20")
    @Tag("SE2-23")
    @Tag("SE2-24")
    void whatOnlyVersionTwoCanSayShowsTheSameTimelineInVersionOne() throws Exception {
        List<List<String>> shown = new ArrayList<>();
        for (Version version : Version.values()) {
            Session session = session(agent(BothVersionsTest::workInVersion2), version);
            assertThat(session.prompt("2 + 2").result().stopReason()).isEqualTo(StopReason.END_TURN);
            shown.add(shown(session));
        }

        assertThat(shown.getFirst()).isEqualTo(shown.getLast()).hasSize(5);
        assertThat(shown.getFirst().get(1)).isEqualTo("AGENT: It is 4.");
        assertThat(shown.getFirst().get(2)).contains("1", "2", "3");
    }

    /** Says what version 1 has no value for, and asks whether it may. */
    static void strange(AgentTurn turn) throws Exception {
        ToolCallId call = ToolCallId.of("t");
        turn.update(ToolCall.builder(call, "Dream")
                .kind(ToolKind.of("_dream"))
                .status(ToolCallStatus.of("_asleep"))
                .build());
        turn.update(ToolCallUpdate.builder(call)
                .kind(ToolKind.of("_nightmare"))
                .status(ToolCallStatus.of("_snoring"))
                .build());
        turn.plan(List.of(
                PlanEntry.of("Sleep", PlanEntryPriority.of("_urgent"), PlanEntryStatus.of("_blocked")),
                PlanEntry.of("Wake", PlanEntryPriority.LOW, PlanEntryStatus.CANCELLED)));
        PermissionAnswer answer = turn.requestPermission(
                ToolCallUpdate.builder(call).build(),
                List.of(
                        PermissionOption.of(
                                PermissionOptionId.of("twice"), "Twice", PermissionOptionKind.of("_allow_twice")),
                        PermissionOption.of(PermissionOptionId.of("no"), "No", PermissionOptionKind.REJECT_ONCE)));
        assertThat(answer.isAllowed()).isFalse();
        CreateElicitationResponse unused = turn.elicit(CreateElicitationRequest.form(
                ElicitationScope.session(turn.sessionId()),
                "When?",
                ElicitationSchema.builder()
                        .properties(Map.of(
                                "at",
                                StringPropertySchema.builder()
                                        .format(StringFormat.of("_oclock"))
                                        .build()))
                        .build()));
        turn.stop(StopReason.of("_woken"));
    }

    /** Refuses what it is asked, and notes the kinds of options and whether a format is unknown. */
    static Client.Builder refusing(List<String> asked) {
        return Joined.client()
                .onPermission(question -> {
                    question.options().forEach(option -> asked.add(option.kind().value()));
                    return question.rejectOnce();
                })
                .onElicitation(
                        question -> {
                            asked.add(question.raw().orElseThrow().toString().contains("_oclock") ? "_oclock" : "form");
                            return question.decline();
                        },
                        Feature.FORMS);
    }

    static void assertIsOfVersionOne(Session session, TurnResult result) {
        Entry.ToolCall call = session.view().toolCalls().getFirst();
        assertThat(call.kind()).isEqualTo(ToolKind.OTHER);
        assertThat(call.status()).isEqualTo(ToolCallStatus.IN_PROGRESS);
        assertThat(call.meta().get("dev.acp4j/kind")).contains(RawJson.string("_dream"));
        assertThat(call.meta().get("dev.acp4j/status")).contains(RawJson.string("_asleep"));
        PlanEntry blocked = session.view().plan().getFirst();
        assertThat(blocked.priority()).isEqualTo(PlanEntryPriority.MEDIUM);
        assertThat(blocked.status()).isEqualTo(PlanEntryStatus.PENDING);
        assertThat(blocked.meta().raw())
                .isEqualTo(RawJson.parse("{\"dev.acp4j/status\":\"_blocked\",\"dev.acp4j/priority\":\"_urgent\"}"));
        PlanEntry cancelled = session.view().plan().getLast();
        assertThat(cancelled.content()).isEqualTo("Wake (cancelled)");
        assertThat(cancelled.status()).isEqualTo(PlanEntryStatus.COMPLETED);
        assertThat(result.stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(result.meta().get("dev.acp4j/stopReason")).contains(RawJson.string("_woken"));
    }

    @Test
    void valuesThatVersionOneDoesNotHaveBecomeTheNearestOnes() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = session(agent(BothVersionsTest::strange), Version.V1, refusing(asked));

        TurnResult result = session.prompt("Go").result();

        assertIsOfVersionOne(session, result);
        assertThat(asked).containsExactly("reject_once", "form");
    }

    @Test
    void valuesThatNobodyKnowsAreAsTheyAreInVersionTwo() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = session(agent(BothVersionsTest::strange), Version.V2, refusing(asked));

        TurnResult result = session.prompt("Go").result();

        assertThat(session.view().toolCalls().getFirst().status()).isEqualTo(ToolCallStatus.of("_snoring"));
        assertThat(session.view().plan().getFirst().status()).isEqualTo(PlanEntryStatus.of("_blocked"));
        assertThat(result.stopReason()).isEqualTo(StopReason.of("_woken"));
        assertThat(asked).containsExactly("_allow_twice", "reject_once", "_oclock");
    }

    @ParameterizedTest
    @EnumSource
    void aTurnThatSaysOnlyThatItFailedIsAnErrorInVersionOne(Version version) throws Exception {
        Turn turn = session(agent(running -> running.stop(StopReason.ERROR)), version)
                .prompt("Go");

        if (version == Version.V1) {
            assertThatThrownBy(turn::result).hasMessageContaining("The turn has failed");
        } else {
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.ERROR);
        }
    }

    @Test
    void aQuestionWithoutAnOptionThatVersionOneHasIsNotAsked() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = session(
                agent(turn -> {
                    PermissionOption only = PermissionOption.of(
                            PermissionOptionId.of("twice"), "Twice", PermissionOptionKind.of("_allow_twice"));
                    try {
                        PermissionAnswer unused = turn.requestPermission(
                                ToolCallUpdate.builder(ToolCallId.of("t")).build(), List.of(only));
                    } catch (IllegalArgumentException e) {
                        turn.message("Nobody was asked.");
                    }
                }),
                Version.V1,
                refusing(asked));

        assertThat(session.prompt("Go").text()).isEqualTo("Nobody was asked.");
        assertThat(asked).isEmpty();
    }

    @Test
    void aMessageThatBecameAnotherIsANewOneInVersionOne() throws Exception {
        Session session = session(
                agent(turn -> {
                    turn.message(ContentBlock.text("The password is 1234"), MessageId.of("m"));
                    turn.update(SessionUpdate.AgentMessage.builder(MessageId.of("m"))
                            .content(List.of(ContentBlock.text("(withdrawn)")))
                            .build());
                    turn.message(ContentBlock.text(" Sorry."), MessageId.of("m"));
                }),
                Version.V1);

        TurnResult unused = session.prompt("Go").result();

        assertThat(shown(session)).contains("AGENT: The password is 1234", "AGENT: (withdrawn) Sorry.");
    }

    // ---- several clients

    @Test
    void clientsOfBothVersionsShareASession() throws Exception {
        CountDownLatch attached = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        Agent agent = agent(turn -> {
                    running.countDown();
                    attached.await();
                    work(turn);
                })
                .onLoadSession(session -> {})
                .sessionIds(() -> SessionId.of("shared"))
                .build();
        ConnectedAgent first = joined.join(agent, Joined.client().protocol(Version.V1));
        CountDownLatch idle = new CountDownLatch(1);
        ConnectedAgent second =
                joined.join(agent, Joined.client().protocol(Version.V2).onEvent((session, event) -> {
                    if (event instanceof SessionEvent.StateChanged change
                            && change.state() == SessionEvent.StateChanged.State.IDLE) {
                        idle.countDown();
                    }
                }));
        Session one = first.newSession(Joined.HERE);
        Turn turn = one.prompt("Change it");
        running.await();
        Session two = second.resumeSession(one.id(), Joined.HERE);
        attached.countDown();

        TurnResult unused = turn.result();
        idle.await();

        assertThat(shown(two)).contains("AGENT: I will change it.", "AGENT: Bye.");
        assertThat(shown(one)).contains("AGENT: I will change it.", "AGENT: Bye.");
    }

    // ---- the same API

    @ParameterizedTest
    @EnumSource
    void turnsAreCancelled(Version version) throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        Session session = session(
                agent(turn -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                }),
                version);
        Turn turn = session.prompt("Go");
        Turn next = session.prompt("And then");
        running.await();

        session.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(next.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("CAN-21")
    void aRequestIsCancelledAlikeInBoth(Version version) throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Session session = session(
                agent(turn -> {}).on("_wait", (client, params) -> {
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                        throw e;
                    }
                    return RawJson.NULL;
                }),
                version);
        FutureTask<RawJson> calling = new FutureTask<>(() -> session.agent().call("_wait", null));
        Thread caller = Thread.ofVirtual().start(calling);
        running.await();

        caller.interrupt();
        interrupted.await();

        assertThatThrownBy(calling::get).cause().isInstanceOf(InterruptedException.class);
        assertThat(session.agent().isOpen()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void handlersFail(Version version) throws Exception {
        Session session = session(
                agent(turn -> {
                    throw new RpcError(-32000, "Log in");
                }),
                version);

        assertThatThrownBy(() -> session.prompt("Go").result()).isInstanceOf(AuthenticationRequiredException.class);
        assertThatThrownBy(() -> session.prompt("Again").result()).hasMessageContaining("Log in");
    }

    @ParameterizedTest
    @EnumSource
    void sessionsAreListedLoadedResumedAndClosed(Version version) throws Exception {
        Set<String> closed = new TreeSet<>();
        Agent.Builder agent = agent(turn -> turn.message("Hi"))
                .onLoadSession(session -> {
                    session.userMessage(ContentBlock.text("Before"));
                    session.message("Then");
                })
                .onResumeSession(session -> {})
                .onListSessions((client, request) -> dev.acp4j.schema.ListSessionsResponse.builder(
                                List.of(dev.acp4j.schema.SessionInfo.builder(SessionId.of("old"), "/")
                                        .title("Old")
                                        .build()))
                        .build())
                .onCloseSession(session -> closed.add(session.id().value()));
        ConnectedAgent connected = joined.join(agent, Joined.client().protocol(version));

        List<String> titles = new ArrayList<>();
        connected.listSessions(null).forEach(info -> titles.add(String.valueOf(info.title())));
        Session loaded = connected.loadSession(SessionId.of("old"), Joined.HERE);
        List<String> shown = shown(loaded);
        loaded.close();
        Session resumed = connected.resumeSession(SessionId.of("old"), Joined.HERE);

        assertThat(titles).containsExactly("Old");
        assertThat(shown).containsExactly("USER: Before", "AGENT: Then");
        assertThat(resumed.view().timeline().entries()).isEmpty();
        assertThat(resumed.prompt("Go").text()).isEqualTo("Hi");
        assertThat(closed).containsExactly("old");
    }

    @ParameterizedTest
    @EnumSource
    void modesAreAnOption(Version version) throws Exception {
        List<String> set = new ArrayList<>();
        SessionModeState modes = SessionModeState.of(
                SessionModeId.of("ask"),
                List.of(
                        SessionMode.builder(SessionModeId.of("ask"), "Ask").build(),
                        SessionMode.builder(SessionModeId.of("code"), "Code").build()));
        Session session = session(
                agent(turn -> turn.mode(SessionModeId.of("ask")))
                        .onNewSession(opened -> opened.modes(modes))
                        .onSetMode((opened, mode) -> set.add(mode.value())),
                version);

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

    // ---- background work, patches

    @Test
    @Tag("SE2-13")
    @Tag("SE2-16")
    void workBesideTheTurnsIsShownAndCancelledAlone() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Session session = session(
                agent(turn -> {
                    ToolCallHandle call =
                            turn.session().toolCall("Server", ToolKind.EXECUTE).start();
                    call.onCancel(() -> {
                        turn.session().background(List.of());
                        call.cancelled();
                        ended.countDown();
                    });
                    turn.session().background(List.of(dev.acp4j.schema.BackgroundWork.ToolCall.of(call.id())));
                }),
                Version.V2);
        assertThat(session.view().background()).isEmpty();
        TurnResult unused = session.prompt("Start").result();
        Entry.ToolCall server = session.view().toolCalls().getFirst();
        assertThat(session.view().background())
                .hasValueSatisfying(work -> assertThat(work).hasSize(1));
        assertThat(server.isCancellable()).isTrue();

        session.cancel(server.id());
        ended.await();
        // The revision is read before the status, or a change between the two would be waited for without end.
        long revision = session.view().timeline().revision();
        while (session.view().toolCall(server.id()).orElseThrow().status().equals(ToolCallStatus.IN_PROGRESS)) {
            assertThat(session.view().timeline().awaitChange(revision, Duration.ofSeconds(5)))
                    .isTrue();
            revision = session.view().timeline().revision();
        }

        assertThat(session.view().background())
                .hasValueSatisfying(work -> assertThat(work).isEmpty());
        assertThatThrownBy(() -> session.cancel(server.id())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("SE2-20")
    void extensionDataIsPatchedByItsKeysInVersionTwo() throws Exception {
        ToolCallId id = ToolCallId.of("t");
        Session session = session(
                agent(turn -> {
                    turn.update(ToolCallUpdate.builder(id)
                            .title("T")
                            .meta(Meta.of(RawJson.parse("{\"a\":1,\"b\":2}")))
                            .build());
                    turn.update(ToolCallUpdate.builder(id)
                            .meta(Meta.of(RawJson.parse("{\"b\":null,\"c\":3}")))
                            .build());
                    turn.update(ToolCallUpdate.builder(id).title("U").build());
                }),
                Version.V2);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().toolCall(id).orElseThrow().meta().raw())
                .isEqualTo(RawJson.parse("{\"a\":1,\"c\":3}"));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE1-34")
    void whatAVersionLacksIsRefusedWithItsName(Version version) throws Exception {
        List<String> seen = new ArrayList<>();
        Session session = session(
                agent(turn -> {
                    try {
                        turn.message(turn.files().readText(FILE));
                    } catch (UnsupportedException e) {
                        seen.add(e.feature() + " in version " + e.version());
                    }
                }),
                version,
                Joined.client().onReadTextFile((of, request) -> "text"));

        TurnResult unused = session.prompt("Go").result();

        assertThat(seen).isEqualTo(version == Version.V1 ? List.of() : List.of("reading files in version 2"));
    }
}
