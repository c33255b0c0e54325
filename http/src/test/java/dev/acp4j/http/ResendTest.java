package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.ScriptedServer.Reply;
import dev.acp4j.http.ScriptedServer.Request;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent again when nobody knows whether it arrived, and what waits meanwhile. */
@Timeout(60)
class ResendTest {
    /** How many responses are lost; more with {@code -Dacp4j.cuts=10000}. */
    private static final int LOST = Integer.getInteger("acp4j.cuts", 24);

    private static final String WITH_KEYS = ScriptedServer.INITIALIZED.replace(
            "\"loadSession\":true",
            "\"transport\":{\"resumable\":{\"retentionSeconds\":600,\"_meta\":{\"acp4j/idempotencyKeys\":true}}}");

    private final ScriptedServer server = new ScriptedServer();
    private final Transport transport = impatient(Http.to(server.uri())).open();

    ResendTest() throws IOException {}

    @AfterEach
    void close() {
        transport.close();
        server.close();
    }

    /** Tries again at once. */
    private static RemoteAgent impatient(RemoteAgent remote) {
        return remote.time(Time.SYSTEM, System::currentTimeMillis, () -> 0);
    }

    private void write(String message) throws IOException {
        transport.writer().write(Message.parse(message));
    }

    private String read() throws Exception {
        Message message = transport.reader().read();
        return message == null ? "end" : message.raw().toString();
    }

    private void initialize(String answer) throws Exception {
        server.replies = request -> isInitialize(request) ? Reply.initialized(answer) : null;
        write(RawClient.INITIALIZE);
        assertThat(read()).contains("protocolVersion");
    }

    private static boolean isInitialize(Request request) {
        return request.message().method().equals("initialize");
    }

    /** Has the server take messages of a kind, whose responses are lost, the first time only or while it is told so. */
    private void loseResponses(String what, AtomicBoolean loses, boolean once) {
        server.replies =
                request -> request.what().equals("POST " + what) && (once ? loses.getAndSet(false) : loses.get())
                        ? Reply.LOST
                        : null;
    }

    private static String params(String method) {
        return switch (method) {
            case "session/list", "session/new", "authenticate", "_x/y" -> "{}";
            case "session/resume from the start" -> "{\"sessionId\":\"s\",\"replayFrom\":{\"type\":\"start\"}}";
            default -> "{\"sessionId\":\"s\"}";
        };
    }

    private static String request(String name) {
        String method = name.split(" ", -1)[0];
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params(name) + "}";
    }

    private List<Request> posts(String method) {
        return server.all("POST " + method);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "session/list",
                "session/status",
                "session/close",
                "session/delete",
                "session/set_mode",
                "session/set_model",
                "session/set_config_option",
                "session/resume"
            })
    @Tag("DUR-37")
    void withoutKeysWhatDoesNoHarmIsSentAgain(String method) throws Exception {
        initialize(ScriptedServer.INITIALIZED);
        loseResponses(method, new AtomicBoolean(true), true);
        write(request(method));

        assertThat(server.await("POST " + method, 2).header("Idempotency-key")).isEmpty();
        server.say("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        assertThat(read()).contains("\"result\":{}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "session/prompt",
                "session/new",
                "session/fork",
                "session/load",
                "session/resume from the start",
                "authenticate",
                "_x/y"
            })
    @Tag("DUR-37")
    void withoutKeysWhatMayDoHarmIsSentOnceAndOfUnknownOutcome(String name) throws Exception {
        String method = name.split(" ", -1)[0];
        initialize(ScriptedServer.INITIALIZED);
        loseResponses(method, new AtomicBoolean(true), true);
        write(request(name));

        assertThat(read()).contains("\"reason\":\"outcome_unknown\"");
        assertThat(posts(method)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"session/cancel", "$/cancel_request"})
    @Tag("DUR-37")
    void withoutKeysCancellationsAreSentAgain(String method) throws Exception {
        initialize(ScriptedServer.INITIALIZED);
        loseResponses(method, new AtomicBoolean(true), true);
        write("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params(method) + "}");

        assertThat(server.await("POST " + method, 2).message().method()).isEqualTo(method);
    }

    @Test
    @Tag("DUR-37")
    void withoutKeysAnswersAreSentAgain() throws Exception {
        initialize(ScriptedServer.INITIALIZED);
        server.await("GET");
        loseResponses("answer", new AtomicBoolean(true), true);
        server.say("", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_x/ask\",\"params\":{}}");
        assertThat(read()).contains("_x/ask");
        write("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");

        assertThat(server.await("POST answer", 2).message().id()).hasToString("7");
    }

    @ParameterizedTest
    @CsvSource({"session/prompt", "session/new", "session/fork", "session/load", "authenticate", "_x/y", "session/list"
    })
    @Tag("DUR-35")
    @Tag("DUR-37")
    void withKeysEverythingIsSentAgainUnderItsKey(String method) throws Exception {
        initialize(WITH_KEYS);
        loseResponses(method, new AtomicBoolean(true), true);
        write(request(method));
        Request second = server.await("POST " + method, 2);

        assertThat(second.header("Idempotency-key"))
                .isNotEmpty()
                .isEqualTo(server.await("POST " + method, 1).header("Idempotency-key"));
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 403, 413, 503})
    @Tag("DUR-37")
    void whatMayHaveBeenTakenIsOfUnknownOutcomeWhateverIsAnsweredLater(int status) throws Exception {
        initialize(WITH_KEYS);
        AtomicBoolean loses = new AtomicBoolean(true);
        server.replies = request -> request.what().equals("POST session/prompt")
                ? loses.getAndSet(false) ? Reply.LOST : Reply.status(status)
                : null;
        write(request("session/prompt"));

        assertThat(read())
                .contains(
                        "\"id\":1", "\"reason\":\"outcome_unknown\"", "the outcome is unknown", String.valueOf(status));
        assertThat(posts("session/prompt").stream().map(post -> post.header("Idempotency-key")))
                .hasSizeGreaterThan(1)
                .containsOnly(posts("session/prompt").getFirst().header("Idempotency-key"));
    }

    @Test
    @Tag("HTC-16")
    void anAnswerThatTheServerRefusesIsFollowedByAnErrorAndEndsNothing() throws Exception {
        initialize(ScriptedServer.INITIALIZED);
        server.await("GET");
        server.replies = request -> request.message().kind() == Message.Kind.RESULT ? Reply.status(413) : null;
        server.say("", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_x/ask\",\"params\":{}}");
        assertThat(read()).contains("_x/ask");
        write("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
        Message error = server.await("POST answer", 2).message();
        write(request("session/list"));
        server.await("POST session/list");
        server.say("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");

        assertThat(error.id()).hasToString("7");
        assertThat(String.valueOf(error.error())).contains("the answer of the client did not arrive", "413");
        assertThat(read()).contains("\"id\":1,\"result\"");
        assertThat(server.all("POST initialize")).hasSize(1);
    }

    @Test
    @Tag("DUR-38")
    void onlyAnswersAndCancellationsPassWhatIsTriedAgain() throws Exception {
        initialize(ScriptedServer.INITIALIZED);
        AtomicBoolean loses = new AtomicBoolean(true);
        loseResponses("session/set_mode", loses, false);
        write(request("session/set_mode"));
        server.await("POST session/set_mode", 2);
        write(request("session/set_config_option").replace("\"id\":1", "\"id\":2"));
        write("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}");
        server.say("s", EndpointFixture.call(7, "session/request_permission", "s"));
        assertThat(read()).contains("session/request_permission");
        write("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}");
        server.await("POST session/cancel");
        server.await("POST answer");
        List<Request> passed = posts("session/set_config_option");
        loses.set(false);
        server.await("POST session/set_config_option");

        assertThat(passed).isEmpty();
    }

    @Test
    @Tag("DUR-38")
    void whatWaitsIsBounded() throws Exception {
        initialize(ScriptedServer.INITIALIZED);
        server.replies = request -> request.what().equals("POST session/set_mode") ? Reply.status(0) : null;
        write(request("session/set_mode"));
        server.await("POST session/set_mode");
        String large = "x".repeat(1024 * 1024);
        for (int i = 2; i < 11; i++) {
            write("{\"jsonrpc\":\"2.0\",\"id\":" + i + ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\","
                    + "\"prompt\":[{\"type\":\"text\",\"text\":\"" + large + "\"}]}}");
        }

        assertThat(read()).contains("\"id\":9").contains("too much waits to be sent");
        assertThat(read()).contains("\"id\":10").contains("too much waits to be sent");
    }

    @Test
    @Timeout(3600)
    @Tag("DUR-36")
    void whatIsTakenAndNotConfirmedArrivesOnceAndInOrder() throws Exception {
        try (CuttingProxy way = new CuttingProxy();
                HandServer hand = new HandServer(Http.on(0).allowedHosts(way.host()))) {
            way.leadTo(hand.server.uri());
            String token = hand.server.token().orElseThrow();
            try (Transport client =
                    impatient(Http.to(way.uri()).bearer(() -> token)).open()) {
                client.writer().write(Message.parse(RawClient.INITIALIZE));
                Transport agent = hand.agent();
                Message unused = client.reader().read();
                way.loseEverySecond("HTTP/1.1 202");
                for (int i = 0; way.cuts() < LOST; i++) {
                    client.writer()
                            .write(Message.parse(
                                    "{\"jsonrpc\":\"2.0\",\"method\":\"_x/n\",\"params\":{\"n\":" + i + "}}"));
                    assertThat(HandServer.hears(agent)).contains("{\"n\":" + i + "}");
                }
                client.writer().write(Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"_x/last\",\"params\":{}}"));

                // What came twice would come before it.
                assertThat(HandServer.hears(agent)).contains("_x/last");
            }
        }
    }
}
