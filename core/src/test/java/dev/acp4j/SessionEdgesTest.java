package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.ToolKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions and turns in the hands of somebody who is careless, unlucky or many. */
@Timeout(60)
class SessionEdgesTest {
    @RegisterExtension
    final Joined joined = new Joined();

    @Test
    void aListenerThatIsRegisteredTwiceIsToldUntilBothRegistrationsAreClosed() throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        Session.Listener listener = (session, event) -> heard.add("event");
        Session session =
                joined.join(agent(turn -> turn.message("hello")), client()).newSession(HERE);

        Session.Subscription first = session.onEvent(listener);
        Session.Subscription second = session.onEvent(listener);
        first.close();
        first.close();
        session.prompt("one").result();
        assertThat(heard).hasSize(1);

        second.close();
        session.prompt("two").result();
        assertThat(heard).hasSize(1);
    }

    @Test
    void updatesOfSessionsThatNobodyOpensAreDiscardedBeyondABoundAndDoNotDisturbOthers() throws Exception {
        List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    for (int i = 0; i < 20_000; i++) {
                        turn.session().client().send("session/update", RawJson.parse("""
                                {"sessionId":"stranger-%d","update":{"sessionUpdate":"agent_message_chunk",
                                "content":{"type":"text","text":"x"}}}""".formatted(i)));
                    }
                    turn.message("done");
                }),
                client().onProblem(problems::add));

        String text = agent.newSession(HERE).prompt("go").text();

        assertThat(text).isEqualTo("done");
        // Each session has a lane of its own, so some of the updates may still be on their way.
        assertThat(List.copyOf(problems)).isNotEmpty().allSatisfy(problem -> {
            assertThat(problem.kind()).isEqualTo(Problem.Kind.UNHANDLED_NOTIFICATION);
            assertThat(problem.cause()).isNull();
        });
        assertThat(agent.newSession(HERE).prompt("again").text()).isEqualTo("done");
    }

    @Test
    void aClientThatKeepsNoMessagesGetsThemAsEventsOnly() throws Exception {
        List<SessionEvent> heard = Collections.synchronizedList(new ArrayList<>());
        Session session = joined.join(
                        agent(turn -> {
                            turn.message("one ");
                            turn.message("message");
                            turn.thought("a thought");
                            turn.message("another");
                        }),
                        client().keepsMessages(false).onEvent((from, event) -> heard.add(event)))
                .newSession(HERE);

        Turn turn = session.prompt("go");
        turn.result();

        assertThat(heard)
                .extracting(event -> ((SessionEvent.Chunk) event).isFirst())
                .containsExactly(true, false, true, true);
        assertThat(session.view().messages()).isEmpty();
        assertThatThrownBy(turn::text).isInstanceOf(IllegalStateException.class).hasMessageContaining("keepsMessages");
    }

    @Test
    void anEventThatWasPromisedIsThereAlthoughTheTurnWasClosed() throws Exception {
        Turn turn = joined.join(agent(asked -> asked.message("hello")), client())
                .newSession(HERE)
                .prompt("go");
        Iterator<SessionEvent> events = turn.iterator();
        assertThat(events.hasNext()).isTrue();

        turn.close();

        assertThat(events.next()).isInstanceOf(SessionEvent.Message.class);
        assertThat(events.hasNext()).isFalse();
    }

    @Test
    void whatWasHeldBackForTheAnswerComesBeforeWhatIsReplayedNext() throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        Agent.Builder agent = agent(turn -> {})
                .onNewSession(session -> {
                    for (int i = 0; i < 20_000; i++) {
                        session.message("held");
                    }
                })
                .onLoadSession(session -> session.message("replayed"));
        ConnectedAgent connection = joined.join(
                agent, client().onEvent((session, event) -> heard.add(((SessionEvent.Message) event).text())));

        Session session = connection.newSession(HERE);
        session.detach();
        connection.loadSession(session.id(), HERE);

        assertThat(heard).hasSize(20_001).last().isEqualTo("replayed");
    }

    @Test
    void anyNumberOfWaitingPromptsEndsWithTheAgent() throws Exception {
        ConnectedAgent connection = joined.join(agent(turn -> new CountDownLatch(1).await()), client());
        Session session = connection.newSession(HERE);
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            turns.add(session.prompt("go"));
        }

        // Not through close(), which cancels the prompts that wait.
        connection.rpc().close();

        for (Turn turn : turns) {
            assertThatThrownBy(turn::result).isInstanceOf(ConnectionClosedException.class);
        }
    }

    @Test
    void aListenerThatFailsBadlyHidesNothingFromOthers() throws Exception {
        BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        ConnectedAgent connection = joined.join(
                agent(turn -> turn.message("hello")),
                client().onProblem(problems::add).onEvent((session, event) -> {
                    throw new AssertionError("not what I expected");
                }));

        assertThat(connection.newSession(HERE).prompt("go").text()).isEqualTo("hello");
        assertThat(problems.take().detail()).contains("not what I expected");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("NullAway") // What a handler without null checks may do.
    void aPermissionHandlerThatFailsInAnyWayAllowsNothing(boolean throwing) throws Exception {
        BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    PermissionAnswer permission =
                            turn.toolCall("Delete", ToolKind.DELETE).requestPermission();
                    turn.message(permission.isCancelled() ? "cancelled" : "decided");
                }),
                client().onProblem(problems::add).onPermission(request -> {
                    if (throwing) {
                        throw new AssertionError("no dialog");
                    }
                    return (RequestPermissionOutcome) null;
                }));

        assertThat(connection.newSession(HERE).prompt("go").text()).isEqualTo("cancelled");
        assertThat(problems.take().detail()).startsWith("the permission handler failed");
    }

    @Test
    void aListOfSessionsThatGoesInACircleEnds() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {}).onListSessions((client, request) -> {
                    boolean even = !"odd".equals(request.cursor());
                    SessionId id = SessionId.of(even ? "0" : "1");
                    return ListSessionsResponse.builder(List.of(
                                    SessionInfo.builder(id, HERE.toString()).build()))
                            .nextCursor(even ? "odd" : "even")
                            .build();
                }),
                client());

        assertThat(connection.listSessions(null)).hasSizeBetween(2, 4);
    }

    @Test
    void aNotificationThatNobodyHandlesIsReportedByBothSides() throws Exception {
        BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        ConnectedAgent connection = joined.join(
                agent(turn -> turn.client().send("_news", RawJson.EMPTY_OBJECT)).onProblem(problems::add),
                client().onProblem(problems::add));

        connection.send("_hint", null);
        assertThat(problems.take())
                .isEqualTo(new Problem(
                        Problem.Kind.UNHANDLED_NOTIFICATION, "nobody handles the notification _hint", null));
        connection.newSession(HERE).prompt("go").result();
        assertThat(problems.take().detail()).isEqualTo("nobody handles the notification _news");
    }

    @Test
    void ofTwoSessionsThatAreLoadedAtOnceUnderOneIdOneIsClosed() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        BlockingQueue<AgentSession> closed = new LinkedBlockingQueue<>();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served = agent(turn -> {})
                        .onLoadSession(session -> both.await(20, TimeUnit.SECONDS))
                        .onCloseSession(closed::add)
                        .build()
                        .connect(pair.left());
                RawClient client = new RawClient(pair.right())) {
            client.send("initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
            String load = "{\"sessionId\":\"s\",\"mcpServers\":[],\"cwd\":" + RawJson.string(HERE.toString()) + "}";
            client.send("session/load", load);
            client.send("session/load", load);

            AgentSession one = closed.take();
            assertThat(served.session(SessionId.of("s"))).isPresent().get().isNotSameAs(one);
        }
        assertThat(closed.poll(20, TimeUnit.SECONDS)).isNotNull();
        assertThat(closed).isEmpty();
    }

    @Test
    void aSessionWhoseCloseWasCancelledIsClosedAllTheSame() throws Exception {
        CountDownLatch enough = new CountDownLatch(1);
        BlockingQueue<AgentSession> closed = new LinkedBlockingQueue<>();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served = agent(turn -> awaitWhateverHappens(enough))
                        .onLoadSession(session -> {})
                        .onCloseSession(closed::add)
                        .on("_ping", (from, params) -> RawJson.EMPTY_OBJECT)
                        .build()
                        .connect(pair.left());
                RawClient client = new RawClient(pair.right())) {
            client.send("initialize", "{\"protocolVersion\":1}");
            client.send(
                    "session/load",
                    "{\"sessionId\":\"s\",\"mcpServers\":[],\"cwd\":" + RawJson.string(HERE.toString()) + "}");
            client.answerOf(1);
            client.send("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
            client.send("session/close", "{\"sessionId\":\"s\"}");
            client.line("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":3}}");
            client.send("_ping", "{}");
            client.answerOf(4);

            enough.countDown();

            assertThat(closed.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(served.session(SessionId.of("s"))).isEmpty();
        }
        assertThat(closed).isEmpty();
    }

    /** Does not heed that it is cancelled. */
    private static void awaitWhateverHappens(CountDownLatch latch) {
        boolean done = false;
        while (!done) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                // as it was meant
            }
        }
    }

    @Test
    void whatTheClientSaidIsNotKnownBeforeItSaidIt() {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient client = agent(turn -> {}).build().connect(pair.left())) {
            assertThatThrownBy(client::info)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the client has not initialized the connection yet");
            assertThatThrownBy(() -> client.supports(Feature.NOTICES)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void anInterruptWhileWaitingForTheTextOfATurnCancelsIt() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        cancelled.countDown();
                    }
                }),
                client());
        Turn turn = connection.newSession(HERE).prompt("go");
        FutureTask<@Nullable String> waiting = new FutureTask<>(() -> {
            assertThatThrownBy(turn::text).isInstanceOf(InterruptedException.class);
            return null;
        });
        Thread thread = Thread.ofVirtual().start(waiting);
        assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();

        thread.interrupt();

        waiting.get(20, TimeUnit.SECONDS);
        assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
    }
}
