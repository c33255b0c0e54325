package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMessage;
import dev.acp4j.schema.SessionMessageChunk;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Subagents and messages between sessions, in both versions of the protocol. */
@Timeout(20)
final class SubagentsTest {
    static final SessionId CHILD = SessionId.of("child");
    static final SessionId GRANDCHILD = SessionId.of("grandchild");

    @RegisterExtension
    final Joined joined = new Joined();

    static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Joined.agent(onPrompt).protocol(Version.V1, Version.V2).supports(Feature.SUBAGENTS);
    }

    static Client.Builder client(Version version) {
        return Joined.client().protocol(version).supports(Feature.SUBAGENTS);
    }

    private Session open(Agent.Builder agent, Client.Builder client) throws Exception {
        return joined.join(agent, client).newSession(Joined.HERE);
    }

    /** A subagent that works while its parent speaks. */
    private static void delegate(AgentTurn turn) throws Exception {
        turn.message("I ");
        AgentSubagent tests = turn.session().subagent(CHILD, "Tests");
        tests.about(SubagentUpdate.builder(CHILD)
                .description("Runs the tests")
                .cwd("/tests")
                .build());
        tests.state(StateUpdate.Running.builder().build());
        tests.message("All ");
        turn.message("delegate.");
        tests.message("pass.");
        try (ToolCallHandle call = tests.toolCall("Clean", ToolKind.DELETE)) {
            call.complete();
        }
        tests.state(StateUpdate.Idle.builder().stopReason(StopReason.END_TURN).build());
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-42")
    void whatASubagentSaysIsInASessionThatTheClientNeverOpened(Version version) throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        Session session = open(agent(SubagentsTest::delegate), client(version).onEvent((of, event) -> {
            if (of.id().equals(CHILD)) {
                heard.countDown();
            }
        }));
        TurnResult unused = session.prompt("go").result();

        Session child = session.subagents().getFirst();

        assertThat(child.id()).isEqualTo(CHILD);
        assertThat(child.parent()).contains(session);
        assertThat(session.parent()).isEmpty();
        assertThat(child.cwd()).isEqualTo(Path.of("/tests"));
        assertThat(child.view().messages())
                .singleElement()
                .satisfies(said -> assertThat(said.text()).isEqualTo("All pass."));
        assertThat(child.view().toolCalls()).hasSize(1);
        assertThat(session.view().messages().getLast().text()).isEqualTo("I delegate.");
        heard.await();
        Entry.Subagent entry =
                session.view().timeline().entries(Entry.Subagent.class).getFirst();
        assertThat(entry.title()).isEqualTo("Tests");
        assertThat(entry.description()).isEqualTo("Runs the tests");
        assertThat(entry.state()).isEqualTo(SessionEvent.StateChanged.State.IDLE);
        assertThat(entry.isCancellable()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-42")
    void aClientCannotDirectASubagentAndCancelsItOnlyIfItMay(Version version) throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        Session session = open(
                agent(turn -> {
                    AgentSubagent worker = turn.session().subagent(CHILD, "Worker");
                    if (turn.text().equals("allow")) {
                        worker.onCancel(cancelled::countDown);
                    }
                }),
                client(version));
        TurnResult first = session.prompt("go").result();
        Session child = session.subagents().getFirst();

        assertThatThrownBy(() -> child.prompt("hi")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> child.setConfigOption(SessionConfigId.of("a"), SessionConfigOptionValue.of(true)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(child::cancel).isInstanceOf(IllegalStateException.class);

        TurnResult second = session.prompt("allow").result();
        child.cancel();
        cancelled.await();

        assertThat(first.stopReason()).isEqualTo(second.stopReason());
        session.detach();
        assertThat(child.agent().openSession(CHILD)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-42")
    void theQuestionOfASubagentIsAskedInItsName(Version version) throws Exception {
        BlockingQueue<SessionId> asked = new LinkedBlockingQueue<>();
        Agent.Builder asking = agent(turn -> {
            AgentSubagent worker = turn.session().subagent(CHILD, "Worker");
            turn.message(worker.ask("Really?") ? "yes" : "no");
        });
        Client.PermissionHandler decides = question -> {
            asked.add(question.session().id());
            return question.option(PermissionOptionKind.ALLOW_ONCE)
                    .map(question::choose)
                    .orElseThrow();
        };

        Session session = open(asking, client(version).onPermission(decides));
        assertThat(session.prompt("go").text()).isEqualTo("yes");
        assertThat(asked.take()).isEqualTo(CHILD);

        if (version == Version.V1) {
            Session knowsNone = open(asking, Joined.client().onPermission(decides));
            assertThat(knowsNone.prompt("go").text()).isEqualTo("yes");
            assertThat(asked.take()).isEqualTo(knowsNone.id());
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-43")
    void messagesBetweenSessionsGrowAndChange(Version version) throws Exception {
        MessageId id = MessageId.of("m");
        MessageId there = MessageId.of("n");
        Session session = open(
                agent(turn -> {
                    turn.update(SessionMessageChunk.of(id, ContentBlock.text("Run ")));
                    turn.update(SessionMessage.builder(id)
                            .senderSessionId(turn.sessionId())
                            .recipientSessionId(CHILD)
                            .build());
                    turn.update(SessionMessageChunk.of(id, ContentBlock.text("it.")));
                    turn.update(
                            SessionMessage.builder(id).recipientMessageId(there).build());
                    if (turn.text().equals("replace")) {
                        turn.update(SessionMessage.builder(id)
                                .clearRecipientSessionId()
                                .content(List.of(ContentBlock.text("Stop.")))
                                .build());
                    }
                }),
                client(version));

        TurnResult unused = session.prompt("go").result();
        Entry.SessionMessage said =
                session.view().timeline().entries(Entry.SessionMessage.class).getFirst();
        assertThat(said.text()).isEqualTo("Run it.");
        assertThat(said.sender()).isEqualTo(session.id());
        assertThat(said.recipient()).isEqualTo(CHILD);
        assertThat(said.senderMessage()).isNull();
        assertThat(said.recipientMessage()).isEqualTo(there);

        unused = session.prompt("replace").result();
        List<Entry.SessionMessage> all = session.view().timeline().entries(Entry.SessionMessage.class);
        assertThat(all).singleElement().satisfies(now -> {
            assertThat(now.text()).isEqualTo("Stop.");
            assertThat(now.recipient()).isNull();
            assertThat(now.sender()).isEqualTo(session.id());
        });
    }

    private static void everything(AgentTurn turn) throws Exception {
        delegate(turn);
        turn.update(SessionMessageChunk.of(MessageId.of("m"), ContentBlock.text("hidden")));
    }

    @ParameterizedTest
    @EnumSource
    void anAgentThatHasNotSwitchedThemOnSendsNothingOfThem(Version version) throws Exception {
        List<String> wire = new ArrayList<>();
        Agent.Builder off = Joined.agent(SubagentsTest::everything)
                .protocol(Version.V1, Version.V2)
                .interceptOutgoing((message, next) -> {
                    wire.add(message.toString());
                    next.pass(message);
                });
        Session session = open(off, client(version));

        assertThat(session.prompt("go").text()).isEqualTo("I delegate.");

        assertThat(String.join("\n", wire)).doesNotContain("child", "subagent_update", "session_message", "hidden");
        assertThat(session.subagents()).isEmpty();
    }

    @Test
    void aClientOfVersion1ThatHasNotSwitchedThemOnGetsNothingOfThem() throws Exception {
        List<String> wire = new ArrayList<>();
        Agent.Builder on = agent(SubagentsTest::everything).interceptOutgoing((message, next) -> {
            wire.add(message.toString());
            next.pass(message);
        });
        Session session = open(on, Joined.client());

        assertThat(session.prompt("go").text()).isEqualTo("I delegate.");

        assertThat(String.join("\n", wire)).doesNotContain("child", "subagent_update", "session_message", "hidden");
    }

    @ParameterizedTest
    @EnumSource
    void aTranslatorPassesSubagentsOn(Version served) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch said = new CountDownLatch(1);
        Session session = joined.translate(
                        agent(SubagentsTest::delegate),
                        client(served).onEvent((of, event) -> {
                            if (event instanceof SessionEvent.SubagentChanged change
                                    && change.subagent().state() == SessionEvent.StateChanged.State.IDLE) {
                                ended.countDown();
                            }
                            if (event instanceof SessionEvent.Message piece
                                    && of.id().equals(CHILD)
                                    && piece.text().equals("pass.")) {
                                said.countDown();
                            }
                        }),
                        served)
                .newSession(Joined.HERE);
        TurnResult unused = session.prompt("go").result();
        ended.await();
        said.await();

        Session child = session.subagents().getFirst();
        assertThat(child.view().messages()).hasSize(1);
        assertThat(child.view().messages().getFirst().text()).isEqualTo("All pass.");
    }

    /** A subagent of a subagent, which asks for permission and for input. */
    static void delegateTwice(AgentTurn turn) throws Exception {
        AgentSubagent child = turn.session().subagent(CHILD, "Child");
        AgentSubagent grandchild = child.subagent(GRANDCHILD, "Grandchild");
        grandchild.message("Deep.");
        boolean may = grandchild.ask("Really?");
        CreateElicitationResponse answer = grandchild.elicit(CreateElicitationRequest.form(
                ElicitationScope.session(GRANDCHILD),
                "Which?",
                ElicitationSchema.builder().build()));
        turn.message(may + " " + answer.getClass().getSimpleName());
    }

    /** Answers all questions, and notes for which session. */
    static Client.Builder answering(Client.Builder client, List<String> asked) {
        return client.onPermission(question -> {
                    asked.add("permission " + question.session().id());
                    return question.allowOnce();
                })
                .onElicitation(
                        question -> {
                            asked.add("input "
                                    + Objects.requireNonNull(question.session()).id());
                            return question.decline();
                        },
                        Feature.FORMS);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-42")
    void aSubagentOfASubagentSpeaksAndAsksInItsOwnName(Version version) throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = open(agent(SubagentsTest::delegateTwice), answering(client(version), asked));

        assertThat(session.prompt("go").text()).isEqualTo("true Decline");

        Session grandchild = session.subagents().getFirst().subagents().getFirst();
        assertThat(grandchild.id()).isEqualTo(GRANDCHILD);
        assertThat(grandchild.view().messages().getFirst().text()).isEqualTo("Deep.");
        assertThat(asked).containsExactly("permission grandchild", "input grandchild");
    }

    @Test
    void withoutSubagentsTheirQuestionsAreThoseOfTheSession() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Session session = open(agent(SubagentsTest::delegateTwice), answering(Joined.client(), asked));

        assertThat(session.prompt("go").text()).isEqualTo("true Decline");

        assertThat(asked).containsExactly("permission " + session.id(), "input " + session.id());
    }

    @ParameterizedTest
    @EnumSource
    void theUpdateOfAnotherSubagentIsRefused(Version version) throws Exception {
        List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
        Session session = open(
                agent(turn -> {
                    AgentSubagent worker = turn.session().subagent(CHILD, "Worker");
                    try {
                        worker.about(
                                SubagentUpdate.builder(SessionId.of("other")).build());
                    } catch (IllegalArgumentException e) {
                        thrown.add(e);
                    }
                    turn.update(SessionUpdate.AgentMessageChunk.of(ContentBlock.text("done"), null));
                }),
                client(version));

        assertThat(session.prompt("go").text()).isEqualTo("done");
        assertThat(thrown).hasSize(1);
    }

    @Test
    void aSubagentStaysWithTheSessionThatAnnouncedIt() throws Exception {
        try (RawAgent agent = new RawAgent(client(Version.V1))) {
            Session session = agent.open();
            agent.update("subagent_update", "\"sessionId\":\"b\",\"title\":\"B\"");
            agent.updateOf("b", "subagent_update", "\"sessionId\":\"c\",\"title\":\"C\"");
            agent.updateOf("c", "subagent_update", "\"sessionId\":\"b\",\"title\":\"mine\"");
            agent.settle();

            Session b = session.subagents().getFirst();
            Session c = b.subagents().getFirst();
            assertThat(b.parent()).contains(session);
            assertThat(c.parent()).contains(b);
            session.detach();

            assertThat(agent.connected().isOpen()).isTrue();
        }
    }

    @Test
    void theSessionsOfSubagentsStayWhenTheTimelineDropsTheirEntries() throws Exception {
        try (RawAgent agent = new RawAgent(client(Version.V1).limits(Limits.STANDARD.withViewBytes(20_000)))) {
            Session session = agent.open();
            agent.update("subagent_update", "\"sessionId\":\"b\",\"title\":\"B\"");
            for (int i = 0; i < 200; i++) {
                agent.update("tool_call", "\"toolCallId\":\"" + i + "\",\"title\":\"" + "x".repeat(100) + "\"");
            }
            agent.settle();
            assertThat(session.view().timeline().entries(Entry.Subagent.class)).isEmpty();

            assertThat(session.subagents()).extracting(Session::id).containsExactly(SessionId.of("b"));

            session.detach();
            assertThat(agent.connected().openSession(SessionId.of("b"))).isNull();
        }
    }

    @Test
    void subagentsAreBoundedWhichIsReportedAndClosedOnesMakeRoom() throws Exception {
        List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch reported = new CountDownLatch(1);
        Client.Builder client = client(Version.V1).onProblem(problem -> {
            problems.add(problem);
            reported.countDown();
        });
        try (RawAgent agent = new RawAgent(client)) {
            Session session = agent.open();
            for (int i = 0; i < 258; i++) {
                agent.update("subagent_update", "\"sessionId\":\"sub-" + i + "\",\"title\":\"B\"");
            }
            agent.settle();
            reported.await();

            assertThat(session.subagents()).hasSize(256);
            assertThat(problems)
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.detail()).contains("sub-256", "more than 256"));

            session.subagents().getFirst().close();
            agent.update("subagent_update", "\"sessionId\":\"later\",\"title\":\"B\"");
            agent.settle();

            assertThat(session.subagents())
                    .hasSize(256)
                    .last()
                    .extracting(Session::id)
                    .isEqualTo(SessionId.of("later"));
        }
    }

    @Test
    void whatASubagentSaysInAReplayIsToldToEachClientThatLoads() throws Exception {
        MessageId said = MessageId.of("m");
        Agent agent = agent(turn -> {})
                .onLoadSession(session -> {
                    AgentSubagent worker = session.subagent(CHILD, "Worker");
                    worker.message(ContentBlock.text("One "), said);
                    worker.update(SessionUpdate.AgentMessage.builder(said)
                            .content(List.of(ContentBlock.text("One two")))
                            .build());
                })
                .build();
        for (int i = 0; i < 2; i++) {
            Session session = joined.join(agent, client(Version.V1)).loadSession(SessionId.of("s"), Joined.HERE);

            Session child = session.subagents().getFirst();
            assertThat(child.view().messages()).extracting(Entry.Message::text).containsExactly("One two");
        }
    }

    @Test
    void thePlanOfASubagentIsItsOwn() throws Exception {
        PlanId mine = PlanId.of("mine");
        PlanId its = PlanId.of("its");
        Session session = open(
                agent(turn -> {
                    AgentSubagent worker = turn.session().subagent(CHILD, "Worker");
                    turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Markdown.of(mine, "Mine")));
                    worker.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Markdown.of(its, "Its")));
                    worker.update(SessionUpdate.PlanRemoved.of(its));
                    turn.update(SessionUpdate.PlanRemoved.of(mine));
                }),
                client(Version.V1));

        TurnResult unused = session.prompt("go").result();

        assertThat(session.subagents().getFirst().view().plans())
                .singleElement()
                .satisfies(plan -> assertThat(plan.entries()).isEmpty());
        assertThat(session.view().plans())
                .singleElement()
                .satisfies(plan -> assertThat(plan.entries()).isEmpty());
    }
}
