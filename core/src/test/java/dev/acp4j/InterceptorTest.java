package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.WouldDeadlockException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.StopReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What interceptors of both directions may do with messages, and handlers in the place of the library's own. */
@Timeout(60)
class InterceptorTest {
    @RegisterExtension
    final Joined joined = new Joined();

    private static Interceptor log(String direction, List<String> lines) {
        return (message, next) -> {
            String what = message.method().isEmpty() ? message.kind().name() : message.method();
            lines.add(direction + " " + what);
            next.pass(message);
        };
    }

    /** Drops messages of a method. */
    private static Interceptor without(String method) {
        return (message, next) -> {
            if (!message.method().equals(method)) {
                next.pass(message);
            }
        };
    }

    @Test
    void bothDirectionsAreSeenAsTheyAreOnTheWire() throws Exception {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message("hi")),
                client().interceptIncoming(log("<--", lines)).interceptOutgoing(log("-->", lines)));

        agent.newSession(HERE).prompt("hello").result();

        assertThat(lines)
                .containsExactly(
                        "--> initialize",
                        "<-- RESULT",
                        "--> session/new",
                        "<-- RESULT",
                        "--> session/prompt",
                        "<-- session/update",
                        "<-- RESULT");
    }

    @Test
    void everyPromptIsChangedOnItsWay() throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> heard.add(turn.text())),
                client().changeOutgoing(AgentMethods.PROMPT, InterceptorTest::politely));
        Session session = agent.newSession(HERE);

        // The second one waits for the first, and is changed all the same.
        Turn first = session.prompt("do this");
        Turn second = session.prompt("do that");
        first.result();
        second.result();

        assertThat(heard).containsExactly("do this\nPlease.", "do that\nPlease.");
    }

    private static PromptRequest politely(PromptRequest request) {
        List<ContentBlock> prompt = new ArrayList<>(request.prompt());
        prompt.add(ContentBlock.text("Please."));
        return PromptRequest.of(request.sessionId(), prompt);
    }

    @Test
    void whatIsDroppedDoesNotArrive() throws Exception {
        ConnectedAgent agent =
                joined.join(agent(turn -> turn.message("hi")), client().interceptIncoming(without("session/update")));

        Session session = agent.newSession(HERE);
        Turn turn = session.prompt("hello");

        assertThat(turn.text()).isEmpty();
        assertThat(session.view().messages()).extracting(Entry.Message::text).containsExactly("hello");
    }

    @Test
    void aRequestOfThePeerIsAnsweredBeforeAnyHandler() throws Exception {
        CompletableFuture<RawJson> answer = new CompletableFuture<>();
        Interceptor answering = (message, next) -> {
            if (message.method().equals("_question")) {
                next.answer(RawJson.string("42"));
            } else {
                next.pass(message);
            }
        };
        ConnectedAgent agent = joined.join(
                agent(turn -> answer.complete(turn.client().call("_question", null))),
                client().interceptIncoming(answering));

        agent.newSession(HERE).prompt("ask").result();

        assertThat(answer.get(20, TimeUnit.SECONDS)).hasToString("\"42\"");
    }

    @Test
    void aRequestOfOursIsAnsweredOrRefusedWithoutThePeer() throws Exception {
        Interceptor answering = (message, next) -> {
            switch (message.method()) {
                case "_cached" -> next.answer(RawJson.number(7));
                case "_forbidden" -> next.refuse(RpcError.invalidParams("not from here"));
                default -> next.pass(message);
            }
        };
        ConnectedAgent agent = joined.join(agent(turn -> {}), client().interceptOutgoing(answering));

        assertThat(agent.call("_cached", null)).hasToString("7");
        assertThatThrownBy(() -> agent.call("_forbidden", null))
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("not from here");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("ERR-15")
    void anInterceptorThatFailsOnAnAnswerFailsItsCallOnly(boolean isIncoming) throws Exception {
        Interceptor failing = (message, next) -> {
            if (message.kind() == Message.Kind.RESULT
                    && message.raw().toString().contains("secret")) {
                throw new IllegalStateException("broken");
            }
            next.pass(message);
        };
        Client.Builder client = client();
        Agent.Builder agent = agent(turn -> turn.message("hi")).on("_tell", (from, params) -> params);
        ConnectedAgent connected = joined.join(
                isIncoming ? agent : agent.interceptOutgoing(failing),
                isIncoming ? client.interceptIncoming(failing) : client);

        assertThatThrownBy(() -> connected.call("_tell", RawJson.parse("{\"word\":\"secret\"}")))
                .isInstanceOfSatisfying(RpcError.class, e -> {
                    assertThat(e.code()).isEqualTo(RpcError.INTERNAL_ERROR);
                    assertThat(e).hasMessageNotContaining("broken");
                });
        assertThat(connected.call("_tell", RawJson.parse("{\"word\":\"open\"}")))
                .hasToString("{\"word\":\"open\"}");
        assertThat(connected.newSession(HERE).prompt("hello").text()).isEqualTo("hi");
    }

    @Test
    void anAnswerThatAnInterceptorMakesTooLargeIsAnsweredAsAnError() throws Exception {
        int most = 100_000;
        Interceptor enlarging = (message, next) -> next.pass(
                message.kind() == Message.Kind.RESULT
                                && message.raw().toString().contains("grow")
                        ? Message.result(Objects.requireNonNull(message.id()), RawJson.string("x".repeat(2 * most)))
                        : message);
        ConnectedAgent connected = joined.join(
                agent(turn -> {})
                        .on("_tell", (from, params) -> params)
                        .limits(Limits.STANDARD.withMessageBytes(most))
                        .interceptOutgoing(enlarging),
                client());

        assertThatThrownBy(() -> connected.call("_tell", RawJson.parse("{\"word\":\"grow\"}")))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INTERNAL_ERROR));
    }

    @Test
    void anInterceptorThatFailsAnswersOnceWhateverItDoesLater() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        BlockingQueue<Interceptor.Next> kept = new LinkedBlockingQueue<>();
        Interceptor failing = (message, next) -> {
            if (message.method().equals("_question")) {
                kept.add(next);
                throw new IllegalStateException("broken");
            }
            next.pass(message);
        };
        List<Problem.Kind> problems = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent connected = joined.join(
                agent(turn -> {
                            assertThatThrownBy(() -> turn.client().call("_question", null))
                                    .isInstanceOf(RpcError.class);
                            answered.countDown();
                        })
                        .onProblem(problem -> problems.add(problem.kind())),
                client().interceptIncoming(failing));
        Turn turn = connected.newSession(HERE).prompt("ask");
        answered.await();
        kept.take().answer(RawJson.number(1));

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(connected.newSession(HERE).prompt("ask").result().stopReason())
                .isEqualTo(StopReason.END_TURN);
        assertThat(problems).isEmpty();
    }

    @Test
    void anInterceptorThatFailsIsReportedAndItsRequestIsAnswered() throws Exception {
        List<Problem.Kind> problems = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Integer> code = new CompletableFuture<>();
        Interceptor failing = (message, next) -> {
            if (message.method().equals("_question")) {
                throw new IllegalStateException("broken");
            }
            next.pass(message);
        };
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    try {
                        turn.client().call("_question", null);
                    } catch (RpcError e) {
                        code.complete(e.code());
                    }
                }),
                client().interceptIncoming(failing).onProblem(problem -> problems.add(problem.kind())));

        TurnResult result = agent.newSession(HERE).prompt("ask").result();

        assertThat(code.get(20, TimeUnit.SECONDS)).isEqualTo(RpcError.INTERNAL_ERROR);
        assertThat(result.stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(problems).containsExactly(Problem.Kind.INTERCEPTOR_FAILED);
    }

    @Test
    void aRequestThatWasPassedOnIsNotRefusedWhenTheInterceptorFailsAfterwards() throws Exception {
        List<String> answers = Collections.synchronizedList(new ArrayList<>());
        Interceptor failing = (message, next) -> {
            next.pass(message);
            if (message.method().equals("_question")) {
                throw new IllegalStateException("too late");
            }
        };
        ConnectedAgent agent = joined.join(
                agent(turn -> answers.add(turn.client().call("_question", null).toString())),
                client().on("_question", (peer, params) -> RawJson.number(1))
                        .interceptIncoming(failing)
                        .onProblem(problem -> {}));

        agent.newSession(HERE).prompt("ask").result();

        assertThat(answers).containsExactly("1");
    }

    @Test
    void aCancellationReachesARequestThatIsStillIntercepted() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        var pair = dev.acp4j.rpc.MemoryTransport.pair();
        try (RawClient raw = new RawClient(pair.right());
                ConnectedClient served = agent(turn -> {})
                        .on("_slow", (client, params) -> {
                            new CountDownLatch(1).await();
                            return RawJson.NULL;
                        })
                        .interceptIncoming((message, next) -> {
                            if (message.method().equals("_slow")) {
                                cancelled.await();
                            }
                            next.pass(message);
                        })
                        .build()
                        .connect(pair.left())) {
            raw.send("initialize", "{\"protocolVersion\":1}");
            raw.send("_slow", "{}");
            raw.line("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}");
            raw.line("{\"jsonrpc\":\"2.0\",\"method\":\"_later\"}");
            assertThat(raw.answerOf(0)).contains("result");
            cancelled.countDown();

            assertThat(raw.answerOf(1)).contains("-32800");
            assertThat(served.isOpen()).isTrue();
        }
    }

    @Test
    void whatAnInterceptorSendsDoesNotWaitForTheMessageThatItIntercepts() throws Exception {
        CompletableFuture<Session> opened = new CompletableFuture<>();
        CompletableFuture<String> inner = new CompletableFuture<>();
        Interceptor prompting = (message, next) -> {
            if (message.method().equals("_go")) {
                inner.complete(opened.get().prompt("inner").text());
            }
            next.pass(message);
        };
        ConnectedAgent agent =
                joined.join(agent(turn -> turn.message(turn.text())), client().interceptOutgoing(prompting));
        opened.complete(agent.newSession(HERE));

        agent.send("_go", null);

        assertThat(inner.get(20, TimeUnit.SECONDS)).isEqualTo("inner");
    }

    /** The answer stands behind the message that is intercepted. */
    @Test
    void anInterceptorMayWaitForThePeer() throws Exception {
        CompletableFuture<ConnectedAgent> connected = new CompletableFuture<>();
        List<String> answers = Collections.synchronizedList(new ArrayList<>());
        Interceptor asking = (message, next) -> {
            if (message.method().equals("session/update")) {
                answers.add(connected.get().call("_ask", null).toString());
            }
            next.pass(message);
        };
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                            turn.message("a");
                            turn.message("b");
                        })
                        .on("_ask", (client, params) -> RawJson.number(1)),
                client().interceptIncoming(asking));
        connected.complete(agent);

        Turn turn = agent.newSession(HERE).prompt("go");

        assertThat(turn.text()).isEqualTo("ab");
        assertThat(answers).containsExactly("1", "1");
    }

    @Test
    void anInterceptorThatWaitsForTheEndOfATurnIsToldThatThisNeverComes() throws Exception {
        CompletableFuture<Turn> prompted = new CompletableFuture<>();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Interceptor waiting = (message, next) -> {
            if (message.method().equals("session/update")) {
                try {
                    prompted.get().result();
                } catch (WouldDeadlockException e) {
                    failure.complete(e);
                }
            }
            next.pass(message);
        };
        ConnectedAgent agent = joined.join(agent(turn -> turn.message("a")), client().interceptIncoming(waiting));

        Turn turn = agent.newSession(HERE).prompt("go");
        prompted.complete(turn);

        assertThat(failure.get(20, TimeUnit.SECONDS)).hasMessageContaining("wait for the interceptor");
        assertThat(turn.text()).isEqualTo("a");
    }

    @Test
    void aMessageMayBeHeldBackAndPassedOnLater() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(1);
        Interceptor holding = (message, next) -> {
            if (message.method().equals("session/update")) {
                Thread.ofPlatform().daemon().start(() -> {
                    try {
                        ended.await();
                        next.pass(message);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            } else {
                next.pass(message);
            }
        };
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message("late")),
                client().interceptIncoming(holding).onEvent((session, event) -> arrived.countDown()));
        Session session = agent.newSession(HERE);

        assertThat(session.prompt("go").text()).isEmpty();
        ended.countDown();

        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(session.view().messages()).extracting(Entry.Message::text).containsExactly("go", "late");
    }

    @Test
    void noiseComesByToo() throws Exception {
        List<Message.Kind> kinds = Collections.synchronizedList(new ArrayList<>());
        var pair = dev.acp4j.rpc.MemoryTransport.pair();
        try (RawClient raw = new RawClient(pair.right());
                ConnectedClient served = agent(turn -> {})
                        .onProblem(problem -> {})
                        .interceptIncoming((message, next) -> {
                            kinds.add(message.kind());
                            next.pass(message);
                        })
                        .build()
                        .connect(pair.left())) {
            raw.line("Hello!");
            raw.send("initialize", "{\"protocolVersion\":1}");
            assertThat(raw.answerOf(0)).contains("result");
            assertThat(served.isOpen()).isTrue();
        }

        assertThat(kinds).containsExactly(Message.Kind.NOISE, Message.Kind.REQUEST);
    }

    @Test
    void aHandlerTakesThePlaceOfTheLibrarysOwn() throws Exception {
        List<String> updates = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message("hi"))
                        .onNewSession(session -> session.modes(SessionModeState.of(
                                SessionModeId.of("slow"),
                                List.of(
                                        SessionMode.of(SessionModeId.of("slow"), "Slow"),
                                        SessionMode.of(SessionModeId.of("fast"), "Fast")))))
                        .on(AgentMethods.SET_MODE, (client, request) -> {
                            updates.add("mode " + request.modeId());
                            return dev.acp4j.schema.SetSessionModeResponse.of();
                        }),
                client().onNotification(ClientMethods.UPDATE, (peer, update) -> updates.add("update")));
        Session session = agent.newSession(HERE);

        session.setConfigOption("mode", "fast");
        session.prompt("hello").result();

        assertThat(updates).containsExactly("mode fast", "update");
        assertThat(session.view().messages()).extracting(Entry.Message::text).containsExactly("hello");
    }

    @Test
    void whatTheOtherSideHandlesHasNoHandlerHere() {
        assertThatThrownBy(() -> client().on("session/prompt", (peer, params) -> RawJson.NULL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("session/prompt is handled by the agent, not by the client");
        assertThatThrownBy(() -> agent(turn -> {}).on("initialize", (peer, params) -> RawJson.NULL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("initialize is the connection's own");
    }
}
