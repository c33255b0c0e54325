package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions that outlive connections, and to which several clients are attached. */
@Timeout(60)
class SeveralClientsTest {
    private static final SessionId ID = SessionId.of("s");
    private static final Duration HOUR = Duration.ofHours(1);

    /** The next steps of the agent; a running turn takes one after another. */
    private final BlockingQueue<String> steps = new SynchronousQueue<>();

    private final BlockingQueue<AgentSession> closed = new LinkedBlockingQueue<>();
    private final BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> results = new LinkedBlockingQueue<>();
    private final CountDownLatch testEnds = new CountDownLatch(1);
    private final List<AutoCloseable> open = new ArrayList<>();
    private Agent agent = stepping().build();

    @AfterEach
    void closeAll() throws Exception {
        testEnds.countDown();
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
        agent.endSessions();
    }

    /** Its turns send the texts of {@code steps}, until a step is {@code end}. An empty one is taken and not sent. */
    private Agent.Builder stepping() {
        return agent(turn -> {
                    for (String step = steps.take(); !step.equals("end"); step = steps.take()) {
                        if (!step.isEmpty()) {
                            turn.message(step);
                        }
                    }
                })
                .sessionIds(() -> ID)
                .onLoadSession(session -> {})
                .onResumeSession(session -> {})
                .onCloseSession(closed::add)
                .onProblem(problems::add)
                .limits(Limits.STANDARD.withDrainTime(Duration.ZERO));
    }

    private Agent.Builder asking() {
        return stepping().onPrompt(turn -> {
            PermissionAnswer outcome = turn.toolCall("Delete", ToolKind.DELETE).requestPermission();
            turn.message(outcome.isAllowed() ? "allowed" : "not allowed");
            results.add(outcome.isAllowed() ? "allowed" : "not allowed");
        });
    }

    /** Does not answer before the test ends, also when it is interrupted. */
    private RequestPermissionOutcome silent(PermissionQuestion request, CountDownLatch asked) {
        asked.countDown();
        staysWhateverInterrupts();
        return request.cancelled();
    }

    private void staysWhateverInterrupts() {
        boolean over = false;
        while (!over) {
            try {
                testEnds.await();
                over = true;
            } catch (InterruptedException e) {
                // Its connection has ended; an answer might get through.
            }
        }
    }

    private void step(String text) throws InterruptedException {
        assertThat(steps.offer(text, 20, TimeUnit.SECONDS))
                .as("the turn took the step %s", text)
                .isTrue();
    }

    /** A client, and the messages that it has seen. */
    private final class Screen {
        final BlockingQueue<String> shown = new LinkedBlockingQueue<>();
        final BlockingQueue<String> prompts = new LinkedBlockingQueue<>();
        final ConnectedClient served;
        final ConnectedAgent connection;
        private final Transport transport;

        Screen(Client.Builder client) throws InterruptedException {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            transport = pair.right();
            served = agent.connect(pair.left());
            connection = client.onEvent((session, event) -> {
                        if (event instanceof SessionEvent.UserMessage message) {
                            prompts.add(message.text());
                        } else if (event instanceof SessionEvent.Chunk chunk) {
                            shown.add(chunk.text());
                        } else if (event instanceof SessionEvent.ConfigChanged) {
                            shown.add("mode");
                        }
                    })
                    .connect(transport);
            open.add(connection);
            open.add(served);
        }

        Screen() throws InterruptedException {
            this(client());
        }

        void expect(String... texts) throws InterruptedException {
            for (String text : texts) {
                assertThat(shown.poll(20, TimeUnit.SECONDS)).isEqualTo(text);
            }
        }

        /** Goes without a word. */
        void leave() {
            transport.close();
            served.rpc().close();
        }
    }

    @Test
    void thoseWhoWatchSeeThePrompts() throws Exception {
        Screen one = new Screen();
        Screen two = new Screen();
        Session session = one.connection.newSession(HERE);
        Session watched = two.connection.loadSession(ID, HERE);

        Turn turn = session.prompt("go");
        step("a");
        step("end");

        assertThat(turn.text()).isEqualTo("a");
        two.expect("a");
        assertThat(two.prompts).containsExactly("go");
        assertThat(watched.view().messages()).extracting(Entry.Message::text).containsExactly("go", "a");
        assertThat(session.view().messages()).extracting(Entry.Message::text).containsExactly("go", "a");
        assertThat(one.prompts).isEmpty();
    }

    @Test
    void allWhoAreAttachedSeeAllUpdates() throws Exception {
        Screen one = new Screen();
        Screen two = new Screen();
        Session session = one.connection.newSession(HERE);
        Session watched = two.connection.loadSession(ID, HERE);

        Turn turn = session.prompt("go");
        step("a");
        step("b");
        step("end");

        one.expect("a", "b");
        two.expect("a", "b");
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        AgentSession shared = one.served.session(ID).orElseThrow();
        assertThat(two.served.session(ID)).containsSame(shared);
        assertThat(shared.clients()).containsExactly(one.served, two.served);

        Turn other = watched.prompt("now I");
        step("c");
        assertThat(shared.client()).isSameAs(two.served);
        step("end");
        other.result();
        one.expect("c");
        two.expect("c");
    }

    @Test
    void aClientThatPromptedLeavesInMidTurnAndComesBack() throws Exception {
        Screen one = new Screen();
        Screen two = new Screen();
        Session session = one.connection.newSession(HERE);
        Session watched = two.connection.resumeSession(ID, HERE);
        Turn turn = session.prompt("go");
        step("a");
        one.expect("a");

        one.leave();
        step("b");
        Screen again = new Screen();
        Session resumed = again.connection.resumeSession(ID, HERE);
        step("c");
        step("end");

        two.expect("a", "b", "c");
        again.expect("c");
        assertThatThrownBy(turn::result).isInstanceOf(RuntimeException.class);
        Turn next = resumed.prompt("more");
        step("d");
        step("end");
        next.result();
        two.expect("d");
        again.expect("d");
        assertThat(watched.view().messages()).isNotEmpty();
        assertThat(closed).isEmpty();
    }

    @Test
    void aTurnGoesOnWithoutAnyClientWhenSessionsAreKept() throws Exception {
        agent = stepping().keepSessions(HOUR).build();
        Screen one = new Screen();
        one.connection.newSession(HERE).prompt("go");
        step("a");
        AgentSession session = one.served.session(ID).orElseThrow();

        one.leave();
        step("nobody sees this");
        // Taken when that has been sent.
        step("");
        assertThat(session.clients()).isEmpty();
        Screen again = new Screen();
        Session resumed = again.connection.resumeSession(ID, HERE);
        step("b");
        step("end");

        again.expect("b");
        assertThat(session.clients()).containsExactly(again.served);
        assertThat(closed).isEmpty();
        resumed.close();
        assertThat(closed.poll(20, TimeUnit.SECONDS)).isSameAs(session);
    }

    @Test
    void aConnectionThatFailsEndsNoTurnThatAnotherClientSees() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        ConnectedClient served = agent.connect(pair.left());
        open.add(served);
        Screen two;
        try (RawClient one = new RawClient(pair.right())) {
            one.send("initialize", "{\"protocolVersion\":1}");
            one.send("session/new", "{\"mcpServers\":[],\"cwd\":" + RawJson.string(HERE.toString()) + "}");
            one.answerOf(1);
            two = new Screen();
            Session unused = two.connection.resumeSession(ID, HERE);
            one.send("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
            step("a");
        }

        // The first of these makes writing fail, which ends the connection.
        step("b");
        served.awaitClosed();
        step("c");
        step("end");

        two.expect("a", "b", "c");
    }

    @Test
    void theLastClientThatLeavesEndsTheSession() throws Exception {
        Screen one = new Screen();
        Screen two = new Screen();
        one.connection.newSession(HERE).prompt("go");
        Session unused = two.connection.resumeSession(ID, HERE);
        step("a");
        AgentSession session = one.served.session(ID).orElseThrow();

        one.leave();
        step("b");
        assertThat(closed).isEmpty();
        two.leave();

        assertThat(closed.poll(20, TimeUnit.SECONDS)).isSameAs(session);
        assertThatThrownBy(() -> session.message("late")).isInstanceOf(IllegalStateException.class);
        assertThat(session.clients()).isEmpty();
    }

    @Test
    void aKeptSessionEndsWhenItsTimeIsOver() throws Exception {
        Clock clock = new Clock();
        agent = stepping().keepSessions(HOUR).time(clock).build();
        Screen one = new Screen();
        Session unused = one.connection.newSession(HERE);
        AgentSession session = one.served.session(ID).orElseThrow();
        one.leave();
        clock.advance(HOUR.minusSeconds(1));
        Screen again = new Screen();
        Session resumed = again.connection.resumeSession(ID, HERE);
        clock.advance(HOUR);
        resumed.prompt("still here");
        step("end");
        assertThat(closed).isEmpty();

        again.leave();
        clock.advance(HOUR);

        assertThat(closed.poll(20, TimeUnit.SECONDS)).isSameAs(session);
    }

    @Test
    void keptSessionsAreEndedByTheAgent() throws Exception {
        agent = stepping().keepSessions(HOUR).build();
        Screen one = new Screen();
        Session unused = one.connection.newSession(HERE);
        one.leave();
        assertThat(closed).isEmpty();

        agent.endSessions();

        assertThat(closed).hasSize(1);
    }

    @Test
    void turnsThatDoNotEndHaveOneTimeTogetherWhenTheAgentEndsItsSessions() throws Exception {
        AtomicLong now = new AtomicLong();
        Time everyWaitIsOver = new Time() {
            @Override
            public long nanoTime() {
                return now.get();
            }

            @Override
            public void await(ReentrantLock held, Condition condition, long nanos) {
                now.addAndGet(nanos);
            }
        };
        CountDownLatch running = new CountDownLatch(3);
        agent = agent(turn -> {
                    running.countDown();
                    staysWhateverInterrupts();
                })
                .onCloseSession(closed::add)
                .time(everyWaitIsOver)
                .limits(Limits.STANDARD.withDrainTime(HOUR))
                .build();
        Screen one = new Screen();
        for (int i = 0; i < 3; i++) {
            Turn unused = one.connection.newSession(HERE).prompt("go");
        }
        running.await();

        agent.endSessions();

        assertThat(closed).hasSize(3);
        assertThat(Duration.ofNanos(now.get())).isBetween(HOUR, HOUR.multipliedBy(2));
    }

    @Test
    void aReplayGoesToTheClientThatLoadsWithLiveUpdatesBehindIt() throws Exception {
        CountDownLatch replaying = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        agent = stepping()
                .onLoadSession(session -> {
                    session.userMessage(ContentBlock.text("first"));
                    replaying.countDown();
                    goOn.await();
                    session.message("last");
                })
                .build();
        Screen one = new Screen();
        Screen two = new Screen();
        Turn turn = one.connection.newSession(HERE).prompt("go");
        step("a");
        FutureTask<Session> loading = new FutureTask<>(() -> two.connection.loadSession(ID, HERE));
        Thread.ofVirtual().start(loading);
        replaying.await();

        step("b");
        one.expect("a", "b");
        goOn.countDown();
        loading.get(20, TimeUnit.SECONDS);
        step("c");
        step("end");

        two.expect("last", "b", "c");
        assertThat(two.prompts).containsExactly("first");
        one.expect("c");
        turn.result();
        assertThat(one.shown).isEmpty();
    }

    @Test
    void aQuestionGoesToTheClientThatPrompted() throws Exception {
        agent = asking().build();
        Screen one = new Screen(client().onPermission(PermissionQuestion::allowOnce));
        Screen two = new Screen(client().onPermission(request -> {
            results.add("asked the other");
            return request.rejectOnce();
        }));
        Session session = one.connection.newSession(HERE);
        Session unused = two.connection.resumeSession(ID, HERE);

        session.prompt("go").result();

        assertThat(results).containsExactly("allowed");
    }

    @Test
    void aQuestionGoesToTheOthersWhenTheClientThatPromptedHasLeft() throws Exception {
        agent = asking().build();
        CountDownLatch asked = new CountDownLatch(1);
        Screen one = new Screen(client().onPermission(request -> silent(request, asked)));
        Screen two = new Screen(client().onPermission(PermissionQuestion::allowOnce));
        one.connection.newSession(HERE).prompt("go");
        Session unused = two.connection.resumeSession(ID, HERE);
        asked.await();

        one.leave();

        assertThat(results.poll(20, TimeUnit.SECONDS)).isEqualTo("allowed");
        two.expect("allowed");
    }

    @Test
    void aQuestionWaitsForAClientWhenNobodyIsThere() throws Exception {
        agent = asking().keepSessions(HOUR).build();
        CountDownLatch asked = new CountDownLatch(1);
        Screen one = new Screen(client().onPermission(request -> silent(request, asked)));
        one.connection.newSession(HERE).prompt("go");
        asked.await();
        one.leave();

        Screen two = new Screen(client().onPermission(PermissionQuestion::allowOnce));
        Session unused = two.connection.resumeSession(ID, HERE);

        assertThat(results.poll(20, TimeUnit.SECONDS)).isEqualTo("allowed");
    }

    @Test
    void aQuestionThatNobodyCanAnswerEndsWithItsSession() throws Exception {
        agent = stepping()
                .keepSessions(HOUR)
                .onPrompt(turn -> {
                    try {
                        turn.toolCall("Delete", ToolKind.DELETE).requestPermission();
                    } finally {
                        results.add("cancelled " + turn.isCancelled());
                    }
                })
                .build();
        CountDownLatch asked = new CountDownLatch(1);
        Screen one = new Screen(client().onPermission(request -> silent(request, asked)));
        one.connection.newSession(HERE).prompt("go");
        asked.await();
        one.leave();

        agent.endSessions();

        assertThat(results.poll(20, TimeUnit.SECONDS)).isEqualTo("cancelled true");
    }

    @Test
    void theFirstAnswerWinsWhenAllAreAskedAndTheOthersAreWithdrawn() throws Exception {
        agent = asking().asksAllClients(true).build();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch withdrawn = new CountDownLatch(1);
        Screen one = new Screen(client().onPermission(request -> {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
                return request.rejectOnce();
            } finally {
                withdrawn.countDown();
            }
        }));
        Screen two = new Screen(client().onPermission(request -> {
            asked.await();
            return request.allowOnce();
        }));
        Session session = one.connection.newSession(HERE);
        Session unused = two.connection.resumeSession(ID, HERE);

        session.prompt("go").result();

        assertThat(results).containsExactly("allowed");
        assertThat(withdrawn.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aRefusalDoesNotCountWhileOthersMayAnswer() throws Exception {
        agent = asking().asksAllClients(true).build();
        CountDownLatch refused = new CountDownLatch(2);
        Screen one = new Screen(client().onPermission(request -> {
            refused.await();
            return request.allowOnce();
        }));
        Screen two = new Screen(client().onPermission(request -> {
            refused.countDown();
            return request.cancelled();
        }));
        Screen three = new Screen(client().on(ClientMethods.REQUEST_PERMISSION, (from, request) -> {
                    refused.countDown();
                    throw new IllegalStateException("no dialog");
                })
                .onProblem(problems::add));
        Session session = one.connection.newSession(HERE);
        Session first = two.connection.resumeSession(ID, HERE);
        Session second = three.connection.resumeSession(ID, HERE);

        session.prompt("go").result();

        assertThat(results).containsExactly("allowed");
        assertThat(List.of(first.id(), second.id())).containsOnly(ID);
    }

    @Test
    void whenAllRefuseTheQuestionIsCancelled() throws Exception {
        agent = asking().asksAllClients(true).build();
        Screen one = new Screen(client().onPermission(PermissionQuestion::cancelled));
        Screen two = new Screen(client().onPermission(PermissionQuestion::cancelled));
        Session session = one.connection.newSession(HERE);
        Session unused = two.connection.resumeSession(ID, HERE);

        session.prompt("go").result();

        assertThat(results).containsExactly("not allowed");
    }

    @Test
    void aClientThatIsAttachedWhileAllAreAskedIsAskedToo() throws Exception {
        agent = asking().asksAllClients(true).build();
        CountDownLatch asked = new CountDownLatch(1);
        Screen one = new Screen(client().onPermission(request -> silent(request, asked)));
        Turn turn = one.connection.newSession(HERE).prompt("go");
        asked.await();

        Screen two = new Screen(client().onPermission(PermissionQuestion::allowOnce));
        Session unused = two.connection.resumeSession(ID, HERE);

        turn.result();
        assertThat(results).containsExactly("allowed");
    }

    @Test
    void aWatcherCancelsTheTurn() throws Exception {
        Screen one = new Screen();
        Screen two = new Screen();
        Turn turn = one.connection.newSession(HERE).prompt("go");
        Session watched = two.connection.resumeSession(ID, HERE);
        step("a");

        two.connection.send(AgentMethods.CANCEL, CancelNotification.of(watched.id()));

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    void aWatcherThatClosesTheSessionEndsItForAll() throws Exception {
        Screen one = new Screen();
        Screen two = new Screen();
        Session session = one.connection.newSession(HERE);
        Turn turn = session.prompt("go");
        Session watched = two.connection.resumeSession(ID, HERE);
        step("a");

        watched.close();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(closed).hasSize(1);
        assertThat(one.served.session(ID)).isEmpty();
        assertThatThrownBy(() -> session.prompt("more").result()).hasMessageContaining("-32002");
    }

    @Test
    void aModeThatOneClientSetsIsToldToTheOthers() throws Exception {
        SessionModeState modes = SessionModeState.of(
                SessionModeId.of("ask"),
                List.of(
                        SessionMode.builder(SessionModeId.of("ask"), "Ask").build(),
                        SessionMode.builder(SessionModeId.of("code"), "Code").build()));
        agent = stepping()
                .onNewSession(session -> session.modes(modes))
                .onSetMode((session, mode) -> {})
                .build();
        Screen one = new Screen();
        Screen two = new Screen();
        Session session = one.connection.newSession(HERE);
        Session watched = two.connection.resumeSession(ID, HERE);

        session.setConfigOption("mode", "code");

        two.expect("mode");
        assertThat(watched.view().configOption(SessionConfigOptionCategory.MODE))
                .hasValueSatisfying(mode -> assertThat(((SessionConfigOption.Select) mode)
                                .currentValue()
                                .value())
                        .isEqualTo("code"));
    }

    @Test
    void aWatcherThatReadsTooSlowlyIsDetachedAndSlowsNobody() throws Exception {
        agent = stepping()
                .limits(Limits.STANDARD
                        .withDrainTime(Duration.ZERO)
                        .withBarrierPatience(Duration.ZERO)
                        .withQueueBytes(1024 * 1024, 10_000))
                .build();
        Screen one = new Screen();
        Turn turn = one.connection.newSession(HERE).prompt("go");
        MemoryTransport.Pair pair = MemoryTransport.pair(1000);
        ConnectedClient served = agent.connect(pair.left());
        open.add(served);
        try (RawClient two = new RawClient(pair.right())) {
            two.send("initialize", "{\"protocolVersion\":1}");
            two.send(
                    "session/resume",
                    "{\"sessionId\":\"s\",\"mcpServers\":[],\"cwd\":" + RawJson.string(HERE.toString()) + "}");
            two.answerOf(1);
            step("a");

            // Nobody reads at the second one from here on.
            for (int i = 0; i < 100; i++) {
                step("x".repeat(1000));
            }
            step("end");

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
            Problem problem = problems.poll(20, TimeUnit.SECONDS);
            assertThat(problem).isNotNull();
            assertThat(problem.kind()).isEqualTo(Problem.Kind.TOO_SLOW);
            assertThat(served.session(ID)).isEmpty();
            assertThat(served.isOpen()).isTrue();
            assertThat(one.served.session(ID).orElseThrow().clients()).containsExactly(one.served);
        }
    }

    @Test
    void aClientThatStopsReadingInItsOwnTurnHoldsUpNobodyElse() throws Exception {
        agent = stepping()
                .limits(Limits.STANDARD
                        .withDrainTime(Duration.ZERO)
                        .withBarrierPatience(Duration.ofMillis(50))
                        .withQueueBytes(1024 * 1024, 10_000))
                .onPrompt(turn -> {
                    turn.responseMeta(Meta.of(RawJson.parse("{\"long\":\"" + "y".repeat(5000) + "\"}")));
                    while (turn.text().equals("flood")) {
                        // Cancelled, this ends when there is no room: for the answer there is none either.
                        turn.message("x".repeat(3000));
                    }
                    turn.message("done");
                })
                .build();
        MemoryTransport.Pair pair = MemoryTransport.pair(1000);
        open.add(agent.connect(pair.left()));
        try (RawClient stuck = new RawClient(pair.right())) {
            stuck.send("initialize", "{\"protocolVersion\":1}");
            stuck.send("session/new", "{\"mcpServers\":[],\"cwd\":" + RawJson.string(HERE.toString()) + "}");
            stuck.answerOf(1);
            Screen watching = new Screen();
            Session session = watching.connection.resumeSession(ID, HERE);
            stuck.send("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"flood\"}]}");
            // Two of these are queued and not written, so there is no room for the answer.
            for (int i = 0; i < 3; i++) {
                assertThat(watching.shown.poll(20, TimeUnit.SECONDS)).startsWith("x");
            }

            watching.connection.send(AgentMethods.CANCEL, CancelNotification.of(ID));

            assertThat(session.prompt("mine").text()).endsWith("done");
            Problem problem = problems.poll(20, TimeUnit.SECONDS);
            assertThat(problem).isNotNull();
            assertThat(problem.kind()).isEqualTo(Problem.Kind.TOO_SLOW);
        }
    }

    @Test
    void questionsToAllLeaveNoCallsBehind() throws Exception {
        agent = asking().asksAllClients(true)
                .limits(Limits.STANDARD.withDrainTime(Duration.ZERO).withRequests(100, 3))
                .build();
        CountDownLatch asked = new CountDownLatch(6);
        Screen one = new Screen(client().onPermission(PermissionQuestion::allowOnce));
        Screen two = new Screen(client().onPermission(request -> silent(request, asked)));
        Session session = one.connection.newSession(HERE);
        Session unused = two.connection.resumeSession(ID, HERE);

        for (int i = 0; i < 6; i++) {
            assertThat(session.prompt("go").text()).isEqualTo("allowed");
        }
    }

    @Test
    void aWatcherThatIsBehindForAWhileCatchesUp() throws Exception {
        agent = stepping()
                .limits(Limits.STANDARD.withDrainTime(Duration.ZERO).withQueueBytes(1024 * 1024, 10_000))
                .build();
        Screen one = new Screen();
        Turn turn = one.connection.newSession(HERE).prompt("go");
        MemoryTransport.Pair pair = MemoryTransport.pair(1000);
        open.add(agent.connect(pair.left()));
        try (RawClient two = new RawClient(pair.right())) {
            two.send("initialize", "{\"protocolVersion\":1}");
            two.send(
                    "session/resume",
                    "{\"sessionId\":\"s\",\"mcpServers\":[],\"cwd\":" + RawJson.string(HERE.toString()) + "}");
            two.answerOf(1);

            // From here on nothing waits for the answer any more.
            step("a");
            String first = String.valueOf(two.read());
            // The turn may begin after this client has come: then it sees the prompt.
            assertThat(first.contains("user_message_chunk") ? String.valueOf(two.read()) : first)
                    .contains("\"a\"");
            // More than the transport and the outgoing queue hold.
            for (int i = 0; i < 15; i++) {
                step("x".repeat(1000));
            }
            step("end");
            turn.result();

            for (int i = 0; i < 15; i++) {
                assertThat(String.valueOf(two.read())).contains("xxx");
            }
        }
        assertThat(problems).isEmpty();
    }

    @Test
    void twoClientsThatOpenASessionAtOnceOpenItOnce() throws Exception {
        BlockingQueue<String> handled = new ArrayBlockingQueue<>(2);
        CountDownLatch goOn = new CountDownLatch(1);
        agent = stepping()
                .onResumeSession(session -> {
                    handled.add(session.client().info().orElseThrow().name());
                    goOn.await();
                })
                .build();
        Screen one = new Screen(Client.builder("one", "1"));
        Screen two = new Screen(Client.builder("two", "1"));
        FutureTask<Session> first = new FutureTask<>(() -> one.connection.resumeSession(ID, HERE));
        FutureTask<Session> second = new FutureTask<>(() -> two.connection.resumeSession(ID, HERE));
        Thread.ofVirtual().start(first);
        assertThat(handled.take()).isEqualTo("one");
        Thread.ofVirtual().start(second);

        goOn.countDown();

        first.get(20, TimeUnit.SECONDS);
        second.get(20, TimeUnit.SECONDS);
        assertThat(handled.take()).isEqualTo("two");
        assertThat(one.served.session(ID)).isEqualTo(two.served.session(ID)).isPresent();
        assertThat(closed).isEmpty();
    }

    @Test
    void aClientWhoseAttachingIsRefusedLeavesTheSessionAsItWas() throws Exception {
        agent = stepping()
                .onLoadSession(session -> {
                    throw new IllegalStateException("not for you");
                })
                .build();
        Screen one = new Screen();
        Screen two = new Screen();
        Turn turn = one.connection.newSession(HERE).prompt("go");

        assertThatThrownBy(() -> two.connection.loadSession(ID, HERE)).isInstanceOf(RuntimeException.class);

        step("a");
        step("end");
        turn.result();
        one.expect("a");
        assertThat(two.shown).isEmpty();
        assertThat(closed).isEmpty();
        assertThat(one.served.session(ID).orElseThrow().clients()).containsExactly(one.served);
    }

    @Test
    void anUpdateThatAClientCannotTakeGoesToTheOthersOnly() throws Exception {
        agent = stepping()
                .onPrompt(turn -> {
                    turn.notice(NoticeSeverity.INFO, "Note", null);
                    turn.message("after");
                })
                .build();
        Screen one = new Screen();
        Session session = one.connection.newSession(HERE);
        MemoryTransport.Pair pair = MemoryTransport.pair();
        open.add(agent.connect(pair.left()));
        try (RawClient two = new RawClient(pair.right())) {
            two.send("initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
            two.send(
                    "session/resume",
                    "{\"sessionId\":\"s\",\"mcpServers\":[],\"cwd\":" + RawJson.string(HERE.toString()) + "}");
            two.answerOf(1);

            session.prompt("go").result();

            assertThat(String.valueOf(two.read())).contains("user_message_chunk", "go");
            assertThat(String.valueOf(two.read())).contains("after");
            assertThat(session.view().notices()).hasSize(1);
        }
    }

    @Test
    void theOnlyClientThatOpensItsSessionAgainOpensItAnew() throws Exception {
        Screen one = new Screen();
        Session session = one.connection.newSession(HERE);
        AgentSession before = one.served.session(ID).orElseThrow();
        Turn turn = session.prompt("go");
        step("a");
        session.detach();

        Session again = one.connection.loadSession(ID, HERE);

        assertThat(closed).containsExactly(before);
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(one.served.session(again.id()).orElseThrow()).isNotSameAs(before);
    }

    @Test
    void aClientThatOpensItsSessionAgainWhileOthersAreThereKeepsItsTurn() throws Exception {
        Screen one = new Screen();
        Screen two = new Screen();
        Session session = one.connection.newSession(HERE);
        Session unused = two.connection.resumeSession(ID, HERE);
        Turn turn = session.prompt("go");
        step("a");
        session.detach();

        Session again = one.connection.resumeSession(ID, HERE);
        step("b");
        step("end");

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        one.expect("a", "b");
        assertThat(again.view().messages()).hasSize(1);
        assertThat(closed).isEmpty();
    }

    /** Shows what the test sets. */
    private static final class Clock implements Time {
        private final AtomicLong now = new AtomicLong();
        private final List<Runnable> waiters = new CopyOnWriteArrayList<>();
        private final ThreadLocal<Long> seen = new ThreadLocal<>();

        @Override
        public long nanoTime() {
            seen.set(now.get());
            return seen.get();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
        public void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException {
            Runnable wake = () -> {
                lock.lock();
                try {
                    condition.signalAll();
                } finally {
                    lock.unlock();
                }
            };
            waiters.add(wake);
            try {
                if (seen.get() == now.get()) {
                    condition.await();
                }
            } finally {
                waiters.remove(wake);
            }
        }

        void advance(Duration time) {
            now.addAndGet(time.toNanos());
            waiters.forEach(Runnable::run);
        }
    }
}
