package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What kind of message a line is, told by its members alone, and what becomes of the malformed ones. */
@Timeout(60)
class EnvelopeTest {
    private static final String DEEP = "[".repeat(300) + "]".repeat(300);

    private final List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());
    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private final RawPeer peer = new RawPeer(pair.right());
    private final Connection connection =
            Connection.builder(pair.left(), new Echo()).onProblem(problems::add).start();

    /** Answers a request with its params, {@code fail} with an error; fails at the notification {@code broken}. */
    private final class Echo implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept(request);
        }

        private Task accept(IncomingRequest request) {
            handled.add(request.method());
            return () -> {
                if (request.method().equals("fail")) {
                    throw new RpcError(7, "No", RawJson.parse("{\"why\":1}"));
                }
                return request.params() == null ? RawJson.NULL : request.params();
            };
        }

        @Override
        public Delivery notification(Message message) {
            return () -> handle(message.method());
        }

        private void handle(String method) {
            handled.add(method);
            if (method.equals("broken")) {
                throw new IllegalStateException("out of order");
            }
        }
    }

    @AfterEach
    void close() {
        connection.close();
    }

    /** Calls from a thread of its own; returns when the request is on the wire. */
    private FutureTask<RawJson> call(String method) throws Exception {
        FutureTask<RawJson> call = new FutureTask<>(() -> connection.call(method, null));
        Thread.ofVirtual().start(call);
        assertThat(peer.receive()).contains("\"method\":\"" + method + "\"");
        return call;
    }

    private void assertAlive() throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":\"alive\",\"method\":\"m\",\"params\":[1]}");
        assertThat(peer.receive()).as(peer.wire()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"alive\",\"result\":[1]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":0}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1,\"error\":{\"code\":1,\"message\":\"x\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":\"1\",\"message\":\"x\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":1.5,\"message\":\"x\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":1}}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":1,\"message\":2}}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":\"x\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":null}"
            })
    @Tag("ENV-03")
    @Tag("ENV-04")
    @Tag("ENV-06")
    @Tag("ENV-07")
    void aMalformedAnswerFailsItsCallAndIsNotAnswered(String answer) throws Exception {
        FutureTask<RawJson> call = call("m");

        peer.send(answer);

        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .as(peer.wire())
                .cause()
                .isInstanceOf(MalformedMessageException.class);
        assertAlive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#", "\"#\""})
    @Tag("ENV-25")
    void aLongIdIsRefusedAndNotRepeated(String id) throws Exception {
        String allowed = id.replace("#", "1".repeat(1025 - id.length()));
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + id.replace("#", "1".repeat(1025)) + ",\"method\":\"m\"}");

        assertThat(peer.receive())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\""
                        + "\\\"id\\\" must have at most 1024 bytes\"}}");
        assertThat(allowed).hasSize(1024);
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + allowed + ",\"method\":\"m\"}");
        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + allowed + ",\"result\":null}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"result\":1", "\"error\":{\"code\":1,\"message\":\"x\"}"})
    @Tag("ENV-05")
    void aMethodTogetherWithAnAnswerIsRefused(String answer) throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\"," + answer + "}");

        assertThat(peer.receive()).contains("\"code\":-32600").contains("\"id\":");
        assertThat(handled).isEmpty();
        assertAlive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"0\",\"result\":1}"
            })
    @Tag("ENV-08")
    @Tag("ENV-09")
    @Tag("ENV-18")
    void anAnswerToNothingCompletesNothingAndIsReported(String answer) throws Exception {
        FutureTask<RawJson> call = call("m");

        peer.send(answer);
        assertAlive();
        assertThat(call.isDone()).isFalse();
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":2}");

        assertThat(call.get(20, TimeUnit.SECONDS)).hasToString("2");
        assertThat(problems).hasSize(1);
    }

    @Test
    @Tag("ENV-11")
    void aLateAnswerToACallThatWasGivenUpIsDroppedWithoutAWord() throws Exception {
        Call call = connection.start("m", null, RawJson.CODEC, null);
        assertThat(peer.receive()).contains("\"m\"");
        assertThatThrownBy(() -> call.await(Duration.ofMillis(1))).isInstanceOf(RequestTimeoutException.class);
        assertThat(peer.receive()).contains("$/cancel_request");

        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":2}");

        assertAlive();
        assertThat(problems).isEmpty();
    }

    @Test
    @Tag("SEC-01")
    void aRequestThatIsNestedTooDeeplyIsRefusedUnderItsId() throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":" + DEEP + "}");

        assertThat(peer.receive())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":"
                        + "{\"code\":-32600,\"message\":\"nested deeper than 256 levels\"}}");
        assertThat(handled).isEmpty();
        assertAlive();
    }

    @Test
    @Tag("SEC-01")
    void anAnswerThatIsNestedTooDeeplyEndsItsCall() throws Exception {
        FutureTask<RawJson> call = call("m");

        // Not known to be an answer before the id is told.
        peer.send("{\"jsonrpc\":\"2.0\",\"result\":" + DEEP + ",\"id\":0}");
        assertThat(peer.receive()).contains("\"id\":null,\"error\":{\"code\":-32700");
        assertThat(call.isDone()).isFalse();
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":" + DEEP + "}");

        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("m: the answer is broken: nested deeper than 256 levels");
        assertAlive();
    }

    @Test
    void whatIsNestedTooDeeplyBeforeItIsKnownWhatItIsIsNoMessage() throws Exception {
        FutureTask<RawJson> call = call("m");

        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"params\":" + DEEP + ",\"method\":\"m\"}");

        assertThat(peer.receive()).contains("\"id\":null,\"error\":{\"code\":-32700");
        assertThat(call.isDone()).isFalse();
        assertAlive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "\"text\"", "true", "null", "[1]", "{\"a\":1}"})
    @Tag("ENV-12")
    void aResultMayBeAnything(String result) throws Exception {
        FutureTask<RawJson> call = call("m");

        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":" + result + "}");

        assertThat(call.get(20, TimeUnit.SECONDS)).hasToString(result);
    }

    @Test
    @Tag("ENV-19")
    @Tag("ENV-20")
    void idsOfBothSidesAreApart() throws Exception {
        FutureTask<RawJson> call = call("m");

        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"m\",\"params\":[\"theirs\"]}");
        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":[\"theirs\"]}");
        String id = "\"" + UUID.randomUUID() + "\"";
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"m\",\"params\":[]}");
        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":[]}");
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":\"ours\"}");

        assertThat(call.get(20, TimeUnit.SECONDS)).hasToString("\"ours\"");
    }

    @Test
    @Tag("ENV-24")
    void membersThatJsonRpcDoesNotKnowAreIgnored() throws Exception {
        peer.send("{\"trace\":{\"a\":[1]},\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[2],\"x\":null}");

        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[2]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "[{\"jsonrpc\":\"2.0\",\"method\":\"note\"}]",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"m\"}]",
                "[{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}]"
            })
    @Tag("FRM-07")
    void aBatchIsRefusedAsAWholeAndNothingOfItIsDone(String batch) throws Exception {
        peer.send(batch);

        assertThat(peer.receive())
                .as(peer.wire())
                .startsWith("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,");
        assertAlive();
        assertThat(handled).containsExactly("m");
    }

    @Test
    @Tag("BAT-17")
    void whatManyThreadsSendIsOneMessageALine() throws Exception {
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            senders.add(Thread.ofVirtual().start(() -> {
                try {
                    for (int j = 0; j < 100; j++) {
                        connection.send("note", RawJson.number(j));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        for (int i = 0; i < 800; i++) {
            assertThat(peer.receive()).startsWith("{\"jsonrpc\":\"2.0\",\"method\":\"note\",\"params\":");
        }
        for (Thread sender : senders) {
            sender.join();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"code\":-32601,\"message\":\"Method not found\",\"data\":{\"method\":\"x\"}}",
                "{\"code\":12345,\"message\":\"own\",\"data\":null}",
                "{\"code\":-2147483648,\"message\":\"\"}",
                "{\"code\":0,\"message\":\"zero\",\"data\":[1.50,9007199254740993]}"
            })
    @Tag("ERR-01")
    @Tag("ERR-06")
    void anErrorKeepsItsCodeMessageAndDataBothWays(String error) throws Exception {
        FutureTask<RawJson> call = call("m");
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":" + error + "}");

        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS)).cause().isInstanceOfSatisfying(RpcError.class, e -> {
            assertThat(error).contains("\"code\":" + e.code() + ",").contains("\"" + e.message() + "\"");
            assertThat(error.contains("\"data\"")).isEqualTo(e.data().isPresent());
            e.data().ifPresent(data -> assertThat(error).contains("\"data\":" + data));
        });
    }

    @Test
    @Tag("ERR-11")
    @Tag("ERR-12")
    void aNotificationIsNeverAnsweredWhateverBecomesOfIt() throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/unknown\",\"params\":{}}");
        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"broken\",\"params\":{}}");

        assertAlive();
        // Problems are told in a lane: this one stands before the second request.
        assertAlive();
        assertThat(problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail()).isEqualTo("broken: out of order"));
    }

    @Test
    void aNotificationThatIsNoValidMessageHasFailedAndALogLineIsMalformed() throws Exception {
        peer.send("{\"method\":\"news\",\"params\":{}}");
        peer.send("{\"level\":30,\"msg\":\"thinking\"}");
        peer.send("{\"level\":30,\"method\":\"GET\"}");

        peer.receive();
        peer.receive();
        peer.receive();
        assertAlive();
        assertAlive();
        assertThat(problems)
                .extracting(Problem::kind)
                .containsExactly(Problem.Kind.NOTIFICATION_FAILED, Problem.Kind.MALFORMED, Problem.Kind.MALFORMED);
        assertThat(problems.get(0).detail()).isEqualTo("news: the member \"jsonrpc\" must be \"2.0\"");
    }

    @Test
    void anIdThatIsNoIntegerIsAnInvalidRequestAndNotBrokenJson() throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":0.5,\"method\":\"m\"}");

        assertThat(peer.receive())
                .startsWith("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,")
                .contains("must be a string, an integer or null");
        assertThat(handled).isEmpty();
    }

    @Test
    void ofMembersThatStandTwiceTheLastOneCounts() throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":{},\"id\":5,\"method\":7,\"method\":\"m\",\"params\":7,\"params\":[1]}");

        assertThat(peer.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":[1]}");
    }

    @Test
    void ofSessionsThatStandTwiceTheLastOneCounts() {
        assertThat(sessions("{\"sessionId\":\"a\",\"x\":[],\"sessionId\":\"b\"}"))
                .containsOnly("b");
        assertThat(sessions("{\"sessionId\":\"a\",\"session\\u0049d\":\"b\"}")).containsOnly("b");
        assertThat(sessions("{\"sessionId\":\"a\",\"sessionId\":[\"b\"]}")).containsOnly("");
        Message twice =
                Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"sessionId\":\"a\"},\"params\":[]}");
        assertThat(twice.session()).isEmpty();
    }

    /** The session of params that were read, and of those of a message that was made here. */
    private static List<String> sessions(String params) {
        return List.of(
                Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":" + params + "}")
                        .session(),
                Message.notification("m", RawJson.parse(params)).session());
    }
}
