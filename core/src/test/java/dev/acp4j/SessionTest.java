package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SessionTest {
    @RegisterExtension
    final Joined joined = new Joined();

    private ConnectedAgent join(Agent.Builder agent, Client.Builder client) throws InterruptedException {
        return joined.join(agent, client);
    }

    @Test
    void aTurnIsReadAsEventsThatEndWithTheTurn() throws Exception {
        ConnectedAgent agent = join(
                agent(turn -> {
                    turn.thought("Looking");
                    turn.message("You said: " + turn.text());
                }),
                client());

        List<SessionEvent> events = new ArrayList<>();
        Turn turn = agent.newSession(HERE).prompt("hello");
        for (SessionEvent event : turn) {
            events.add(event);
        }

        assertThat(events)
                .containsExactly(
                        new SessionEvent.Thought(
                                ContentBlock.text("Looking"),
                                MessageId.of("msg-1"),
                                true,
                                events.get(0).origin()),
                        new SessionEvent.Message(
                                ContentBlock.text("You said: hello"),
                                MessageId.of("msg-2"),
                                true,
                                events.get(1).origin()));
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(agent.info())
                .hasValueSatisfying(info -> assertThat(info.name()).isEqualTo("test-agent"));
    }

    @Test
    @Tag("SE1-10")
    void theResultIsSeenAfterAllUpdatesOfTheTurn() throws Exception {
        CompletableFuture<@Nullable Void> release = new CompletableFuture<>();
        AtomicInteger handled = new AtomicInteger();
        Client.Builder client = client().onEvent((session, event) -> {
            release.join();
            handled.incrementAndGet();
        });
        try (RawAgent agent = new RawAgent(client)) {
            Turn turn = agent.open().prompt("go");
            FutureTask<Integer> handledAtTheEnd = RawAgent.started(() -> {
                assertThat(turn.text()).hasSize(500);
                return handled.get();
            });
            Message prompt = agent.expect("session/prompt");
            for (int i = 0; i < 500; i++) {
                agent.says("x");
            }
            agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");

            // The client has read the result, and time enough to return it too early.
            for (int i = 0; i < 20; i++) {
                agent.settle();
            }
            assertThat(turn.isDone()).isFalse();
            release.complete(null);

            assertThat(handledAtTheEnd.get(20, TimeUnit.SECONDS)).isEqualTo(500);
        }
    }

    @Test
    @Tag("CAN-23")
    void cancellingInterruptsTheAgentAndEndsTheTurnAfterItsLastUpdates() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ConnectedAgent agent = join(
                agent(turn -> {
                    turn.message("working");
                    try {
                        never.await();
                    } finally {
                        turn.title("stopped");
                    }
                }),
                client());
        Session session = agent.newSession(HERE);

        Turn turn = session.prompt("go");
        List<String> events = new ArrayList<>();
        for (SessionEvent event : turn) {
            events.add(event.getClass().getSimpleName());
            turn.cancel();
        }

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(events).containsExactly("Message", "InfoChanged");
        assertThat(session.view().title()).hasValue("stopped");
    }

    @Test
    void aToolCallIsMergedWhilePermissionIsAskedAndAnswered() throws Exception {
        ConnectedAgent agent = join(
                agent(turn -> {
                    ToolCallHandle call = turn.toolCall("Edit a.txt", ToolKind.EDIT);
                    call.location(HERE.resolve("a.txt"), 3).diff(HERE.resolve("a.txt"), "old", "new");
                    PermissionAnswer permission = call.requestPermission();
                    if (permission.isAllowed()) {
                        call.start().complete();
                    } else {
                        call.fail("not allowed");
                    }
                }),
                client().onPermission(request -> {
                    assertThat(Objects.requireNonNull(request.toolCall()).title())
                            .isEqualTo("Edit a.txt");
                    assertThat(Objects.requireNonNull(request.toolCall()).content())
                            .hasSize(1);
                    return request.allowOnce();
                }));
        Session session = agent.newSession(HERE);

        session.prompt("go").result();

        assertThat(session.view().toolCalls()).singleElement().satisfies(call -> {
            assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
            assertThat(call.kind()).isEqualTo(ToolKind.EDIT);
            assertThat(call.locations())
                    .singleElement()
                    .satisfies(at -> assertThat(at.line()).isEqualTo(3));
        });
    }

    @Test
    @Tag("CBK-01")
    void permissionFailsClosed() throws Exception {
        List<PermissionAnswer> answers = Collections.synchronizedList(new ArrayList<>());
        Agent.PromptHandler asking =
                turn -> answers.add(turn.toolCall("x", ToolKind.EXECUTE).requestPermission());
        ConnectedAgent silent = join(agent(asking), client());
        ConnectedAgent failing =
                join(agent(asking), client().onProblem(problem -> {}).onPermission(request -> {
                    throw new IllegalStateException("broken");
                }));

        silent.newSession(HERE).prompt("go").result();
        failing.newSession(HERE).prompt("go").result();

        assertThat(answers).hasSize(2).noneMatch(PermissionAnswer::isAllowed);
        assertThat(answers.get(0).option())
                .isNotNull()
                .extracting(PermissionOption::kind)
                .isEqualTo(PermissionOptionKind.REJECT_ONCE);
        assertThat(answers.get(1).outcome()).isInstanceOf(RequestPermissionOutcome.Cancelled.class);
    }

    @Test
    @Tag("SE1-25")
    void updatesOfANewSessionComeAfterItsResponseAndReachItsView() throws Exception {
        ConnectedAgent agent = join(
                agent(turn -> {}).onNewSession(session -> {
                    session.modes(SessionModeState.of(
                            SessionModeId.of("ask"),
                            List.of(SessionMode.builder(SessionModeId.of("ask"), "Ask")
                                    .build())));
                    session.commands(List.of(
                            AvailableCommand.builder("help", "Shows help").build()));
                    session.title("A title");
                }),
                client());
        CountDownLatch titled = new CountDownLatch(1);

        Session session = agent.newSession(HERE);
        session.onEvent((s, event) -> {
            if (event instanceof SessionEvent.InfoChanged) {
                titled.countDown();
            }
        });
        session.prompt("sync").result();

        assertThat(session.view().configOption(SessionConfigOptionCategory.MODE))
                .hasValueSatisfying(mode -> assertThat(((SessionConfigOption.Select) mode).currentValue())
                        .isEqualTo(SessionConfigValueId.of("ask")));
        assertThat(session.view().commands()).hasSize(1);
        assertThat(session.view().title()).hasValue("A title");
    }

    @Test
    @Tag("SE1-03")
    void loadingReplaysTheConversationBeforeItReturns() throws Exception {
        ConnectedAgent agent = join(
                agent(turn -> {}).onLoadSession(session -> {
                    if (!session.id().value().equals("known")) {
                        throw RpcError.sessionNotFound(session.id().value());
                    }
                    for (int i = 0; i < 100; i++) {
                        session.userMessage(ContentBlock.text("question " + i));
                        session.message("answer " + i);
                    }
                }),
                client());

        Session session = agent.loadSession(SessionId.of("known"), HERE);

        assertThat(session.view().messages()).hasSize(200);
        assertThat(session.view().messages().get(199).text()).isEqualTo("answer 99");
        assertThatThrownBy(() -> agent.loadSession(SessionId.of("unknown"), HERE))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.RESOURCE_NOT_FOUND));
    }

    @Test
    @Tag("SE1-19")
    void promptsOfOneSessionRunOneAfterAnotherInOrder() throws Exception {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = join(
                agent(turn -> {
                    order.add("begin " + turn.text());
                    turn.message(turn.text());
                    order.add("end " + turn.text());
                }),
                client());
        Session session = agent.newSession(HERE);

        Turn one = session.prompt("1");
        Turn two = session.prompt("2");
        Turn three = session.prompt("3");

        assertThat(three.text()).isEqualTo("3");
        assertThat(two.text()).isEqualTo("2");
        assertThat(one.text()).isEqualTo("1");
        assertThat(order).containsExactly("begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3");
    }

    @Test
    @Tag("REQ-02")
    void aPromptThatWaitsCanBeCancelledWithoutBeingSent() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger prompts = new AtomicInteger();
        ConnectedAgent agent = join(
                agent(turn -> {
                    prompts.incrementAndGet();
                    release.await();
                }),
                client());
        Session session = agent.newSession(HERE);

        Turn one = session.prompt("1");
        Turn two = session.prompt("2");
        two.cancel();
        release.countDown();

        assertThat(two.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(one.result().stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(prompts).hasValue(1);
    }

    @Test
    @Tag("INI-27")
    @Tag("REQ-16")
    void capabilitiesFollowHandlers() throws Exception {
        ConnectedAgent bare = join(agent(turn -> {}), client());
        ConnectedAgent full = join(
                agent(turn -> {})
                        .onLoadSession(session -> {})
                        .onResumeSession(session -> {})
                        .onCloseSession(session -> {})
                        .onDeleteSession((client, id) -> {})
                        .onListSessions((client, request) -> ListSessionsResponse.builder(
                                        List.of(SessionInfo.builder(SessionId.of("a"), "/tmp")
                                                .build()))
                                .build())
                        .onAuthenticate(
                                List.of(AuthMethod.Agent.builder(AuthMethodId.of("web"), "Browser")
                                        .build()),
                                (client, method) -> {}),
                client());

        assertThat(bare.supports(Feature.LOAD_SESSION)).isFalse();
        assertThat(bare.supports(Feature.LIST_SESSIONS)).isFalse();
        assertThatThrownBy(() -> bare.loadSession(SessionId.of("x"), HERE)).isInstanceOf(IllegalStateException.class);
        assertThat(full.supports(Feature.LOAD_SESSION)).isTrue();
        assertThat(full.supports(Feature.RESUME_SESSION)).isTrue();
        assertThat(full.listSessions(null))
                .singleElement()
                .satisfies(info -> assertThat(info.cwd()).isEqualTo("/tmp"));
        full.authenticate(AuthMethodId.of("web"));
        assertThatThrownBy(() -> full.authenticate(AuthMethodId.of("other"))).isInstanceOf(RpcError.class);
        full.deleteSession(SessionId.of("gone"));
    }

    @Test
    void closingASessionCancelsItsTurn() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        ConnectedAgent agent = join(
                agent(turn -> {
                            running.countDown();
                            new CountDownLatch(1).await();
                        })
                        .onCloseSession(session -> {}),
                client());
        Session session = agent.newSession(HERE);
        Turn turn = session.prompt("go");
        running.await();

        session.close();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThatThrownBy(() -> agent.rpc()
                        .call(
                                "session/prompt",
                                RawJson.parse("{\"sessionId\":\"" + session.id() + "\",\"prompt\":[]}")))
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("Session not found");
    }

    @Test
    void plansAndUsageAndRemoteFiles() throws Exception {
        ConnectedAgent agent = join(
                agent(turn -> {
                    turn.plan(List.of(PlanEntry.of("step", PlanEntryPriority.HIGH, PlanEntryStatus.PENDING)));
                    turn.usage(10, 100);
                    turn.message(turn.files().readText(HERE.resolve("a.txt"), 2, 1));
                }),
                client().onReadTextFile((session, request) ->
                        request.path() + ":" + request.line() + ":" + request.limit() + " in " + session.cwd()));
        Session session = agent.newSession(HERE);

        String text = session.prompt("go").text();

        assertThat(text).isEqualTo(HERE.resolve("a.txt") + ":2:1 in " + HERE);
        assertThat(session.view().plan()).hasSize(1);
        assertThat(session.view().plans())
                .singleElement()
                .satisfies(plan -> assertThat(plan.entries()).hasSize(1));
        assertThat(session.view().usage())
                .hasValueSatisfying(usage -> assertThat(usage.used()).isEqualTo(10));
    }

    @Test
    @Tag("DSP-04")
    void aListenerMayPromptAndReadTheTurn() throws Exception {
        CountDownLatch heard = new CountDownLatch(4);
        List<String> inner = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = join(
                agent(turn -> {
                    turn.message(turn.text());
                    turn.message("!");
                }),
                client().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.Message message
                            && message.text().equals("outer")) {
                        try (Turn turn = session.prompt("inner")) {
                            for (SessionEvent next : turn) {
                                inner.add(((SessionEvent.Message) next).text());
                            }
                            inner.add(".");
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                    heard.countDown();
                }));

        Session session = agent.newSession(HERE);
        TurnResult outer = session.prompt("outer").result();

        assertThat(heard.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(inner).containsExactly("inner", "!", ".");
        assertThat(outer.stopReason()).isEqualTo(StopReason.END_TURN);
        // The end of a turn ends its messages.
        assertThat(session.view().messages())
                .extracting(Entry.Message::text)
                .containsExactly("outer", "outer!", "inner", "inner!");
    }

    @Test
    void aListenerMayWaitForTheEndOfItsOwnTurn() throws Exception {
        CompletableFuture<Turn> prompted = new CompletableFuture<>();
        CompletableFuture<StopReason> seen = new CompletableFuture<>();
        ConnectedAgent agent = join(
                agent(turn -> {
                    turn.message("a");
                    turn.message("b");
                }),
                client().onEvent((session, event) -> {
                    if (!seen.isDone()) {
                        try {
                            seen.complete(prompted.get().result().stopReason());
                        } catch (InterruptedException | ExecutionException e) {
                            seen.completeExceptionally(e);
                        }
                    }
                }));

        Turn turn = agent.newSession(HERE).prompt("go");
        prompted.complete(turn);

        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo(StopReason.END_TURN);
        assertThat(turn.text()).isEqualTo("ab");
    }

    @Test
    @Tag("DSP-04")
    void anExtensionHandlerReadsATurnWhileItStreams() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        ConnectedAgent[] agent = new ConnectedAgent[1];
        agent[0] = join(
                agent(turn -> {
                            turn.message("one ");
                            first.await();
                            turn.message("two");
                        })
                        .on("_start", (client, params) -> client.call("_talk", params)),
                client().on("_talk", (from, params) -> {
                    StringBuilder text = new StringBuilder();
                    for (SessionEvent event : from.newSession(HERE).prompt("go")) {
                        text.append(((SessionEvent.Message) event).text());
                        first.countDown();
                    }
                    return RawJson.string(text.toString());
                }));

        assertThat(agent[0].call("_start", null)).hasToString("\"one two\"");
    }

    @Test
    @Tag("DSP-04")
    void aListenerMayPromptAndWaitForTheEnd() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        ConnectedAgent agent = join(
                agent(turn -> {
                    turn.message(turn.text());
                    turn.message("!");
                }),
                client().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.Message message
                            && message.text().equals("first")) {
                        try {
                            session.prompt("second").result();
                            answered.countDown();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                }));

        agent.newSession(HERE).prompt("first").result();

        assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("CAN-24")
    void aQuestionThatComesAfterTheCancellationIsNotPutToTheUser() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        List<PermissionAnswer> answers = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = join(
                agent(turn -> {
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    answers.add(turn.toolCall("late", ToolKind.EDIT).requestPermission());
                }),
                client().onPermission(request -> {
                    asked.incrementAndGet();
                    return request.allowOnce();
                }));
        Turn turn = agent.newSession(HERE).prompt("go");

        running.await();
        turn.cancel();
        interrupted.await();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(asked).hasValue(0);
        assertThat(answers).singleElement().matches(PermissionAnswer::isCancelled);
    }

    /** With some lengths, what is kept unread nearly fills the bound when the next message comes. */
    @ParameterizedTest
    @ValueSource(ints = {100, 2000, 5000})
    void aTurnThatNobodyReadsDoesNotHoldUpListenersNorItsEnd(int length) throws Exception {
        AtomicInteger heard = new AtomicInteger();
        ConnectedAgent agent = join(
                agent(turn -> {
                    for (int i = 0; i < 1000; i++) {
                        turn.message("x".repeat(length));
                    }
                }),
                client().limits(Limits.STANDARD.withQueueBytes(10_000, 10_000))
                        .onEvent((session, event) -> heard.incrementAndGet()));

        Turn turn = agent.newSession(HERE).prompt("go");

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(heard).hasValue(1000);
    }

    @Test
    void aListenerThatFailsIsReportedAndTheOthersAreTold() throws Exception {
        List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger heard = new AtomicInteger();
        ConnectedAgent agent = join(
                agent(turn -> turn.message("x")),
                client().onProblem(problems::add)
                        .onEvent((session, event) -> {
                            throw new IllegalStateException("broken listener");
                        })
                        .onEvent((session, event) -> heard.incrementAndGet()));

        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("x");

        assertThat(heard).hasValue(1);
        assertThat(problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail()).contains("broken listener"));
    }

    @Test
    void theSessionsOfAConnectionAreClosedWithIt() throws Exception {
        CountDownLatch closed = new CountDownLatch(2);
        ConnectedAgent agent = join(agent(turn -> {}).onCloseSession(session -> closed.countDown()), client());
        agent.newSession(HERE);
        agent.newSession(HERE);

        agent.close();

        assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    }
}
