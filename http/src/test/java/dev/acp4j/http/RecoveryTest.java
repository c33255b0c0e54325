package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.testkit.FakeTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** New connections in the place of those that {@link PlainServer}, which cannot resume, has lost. */
@Timeout(60)
class RecoveryTest {
    private static final String RESUMES =
            ScriptedServer.INITIALIZED.replace("\"loadSession\":true", "\"sessionCapabilities\":{\"resume\":{}}");

    private static final String RESUMABLE = ScriptedServer.INITIALIZED.replace(
            "\"loadSession\":true", "\"loadSession\":true,\"transport\":{\"resumable\":{\"retentionSeconds\":60}}");

    private @Nullable PlainServer server;

    private PlainServer serve(Agent.Builder agent) throws Exception {
        PlainServer plain = new PlainServer(agent.build());
        server = plain;
        return plain;
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    @Tag("DUR-27")
    void aServerThatIsLostAgainInTheMiddleOfARecoveryCostsNoSession() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        LinkedBlockingQueue<String> resumed = new LinkedBlockingQueue<>();
        PlainServer plain = serve(Agent.builder("once", "1.0")
                .onResumeSession(session -> resumed.add(session.id().value()))
                .onPrompt(turn -> {
                    if (turn.text().equals("First")) {
                        started.countDown();
                        released.await();
                        return;
                    }
                    turn.message("You said: " + turn.text());
                }));
        AtomicInteger attempts = new AtomicInteger();
        // A session that a server does not know is asked for twice, see DUR-31.
        plain.refuses = method -> method.equals("session/resume") && attempts.incrementAndGet() <= 2 ? 404 : null;

        String text;
        Session session;
        try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(Http.to(plain.uri()))) {
            session = agent.newSession(Path.of("/"));
            Turn lost = session.prompt("First");
            started.await();
            plain.forget();
            assertThatThrownBy(lost::result).isInstanceOf(RpcError.class);
            released.countDown();
            text = session.prompt("Second").text();
        }

        assertThat(resumed).containsExactly(session.id().value());
        assertThat(text).isEqualTo("You said: Second");
        // The connection that could not be made ready is not left behind.
        assertThat(plain.requests()).containsSubsequence("POST session/resume", "DELETE", "POST session/resume");
    }

    @Test
    void aLateAnswerToTheOldAgentIsNoneToTheQuestionOfTheNewOne() throws Exception {
        LinkedBlockingQueue<Boolean> allowed = new LinkedBlockingQueue<>();
        PlainServer plain = serve(Agent.builder("asking", "1.0")
                .onResumeSession(session -> {})
                .onPrompt(turn -> allowed.add(turn.toolCall(turn.text(), ToolKind.EXECUTE)
                        .requestPermission()
                        .isAllowed())));

        Message first;
        Message second;
        boolean outcome;
        try (Transport transport = Http.to(plain.uri()).open()) {
            String session = openSession(transport);
            write(transport, 2, "session/prompt", prompt(session, "List the files"));
            first = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            plain.forget();
            Message withdrawn = read(transport, message -> message.method().equals("$/cancel_request"));
            assertThat(Raw.member(withdrawn.params(), "requestId"))
                    .isEqualTo(id(first).json());
            // The agent of the new connection counts from the same number, and has a question, too.
            second = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            answer(transport, first, "allow");
            answer(transport, second, "reject");
            outcome = allowed.take();
        }

        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(outcome).isFalse();
    }

    @Test
    @Tag("HTC-12")
    void aCancellationDoesNotPassTheRequestThatItCancels() throws Exception {
        PlainServer plain = serve(Agent.builder("echo", "1.0").onPrompt(turn -> turn.message("Hello")));
        plain.before = exchange -> exchange.getRequestHeaders().containsKey(Wire.SESSION_ID)
                        && exchange.getRequestMethod().equals("GET")
                ? 503
                : null;

        try (Transport transport = Http.to(plain.uri()).open()) {
            String session = openSession(transport);
            write(transport, 2, "session/prompt", prompt(session, "Hello"));
            transport.writer().write(Message.notification("$/cancel_request", RawJson.parse("{\"requestId\":2}")));
            plain.before = exchange -> null;
            Message unused = read(transport, message -> message.kind().isResponse());
            // A second one, since the cancellation may come behind the answer.
            write(transport, 3, "session/prompt", prompt(session, "Hello"));
            Message unusedToo = read(
                    transport,
                    message -> message.kind().isResponse() && id(message).equals(RequestId.of(3)));
        }

        assertThat(plain.requests()).containsSubsequence("POST session/prompt", "POST $/cancel_request");
    }

    @Test
    @Tag("HTC-18")
    void aSessionThatIsClosedWhileItsStreamIsCutCostsNoOther() throws Exception {
        PlainServer plain = new PlainServer(Agent.builder("echo", "1.0")
                .onPrompt(turn -> turn.message("You said: " + turn.text()))
                .build());
        server = plain;
        plain.isResumable = true;

        Message closed;
        try (Transport transport = Http.to(plain.uri()).open()) {
            String kept = openSession(transport);
            write(transport, 2, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            String left = Raw.text(
                    read(transport, message -> message.kind().isResponse()).result(), "sessionId");
            write(transport, 3, "session/prompt", prompt(left, "Hello"));
            Message unused = read(transport, message -> message.kind().isResponse());
            plain.refuses = method -> {
                if (method.equals("session/close")) {
                    plain.before = exchange ->
                            left.equals(exchange.getRequestHeaders().getFirst(Wire.SESSION_ID)) ? 409 : null;
                    plain.cutStreams();
                }
                return null;
            };
            write(transport, 4, "session/close", "{\"sessionId\":\"" + left + "\"}");
            closed = read(transport, message -> message.kind().isResponse());
            write(transport, 5, "session/prompt", prompt(kept, "Hello"));
            Message unusedToo = read(
                    transport,
                    message -> message.kind().isResponse() && id(message).equals(RequestId.of(5)));
        }

        assertThat(closed.id()).isEqualTo(RequestId.of(4));
        assertThat(plain.requests().stream().filter("POST initialize"::equals)).hasSize(1);
    }

    /** Sends the first messages of a connection of version 1 with a session to a scripted server. */
    private static void openSession(ScriptedServer scripted, Transport transport) throws Exception {
        write(transport, 0, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
        Message unused = read(transport, message -> message.kind().isResponse());
        write(transport, 1, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        scripted.await("POST session/new");
        scripted.say("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}");
        Message unusedToo = read(transport, message -> message.kind().isResponse());
        scripted.await("GET s");
    }

    /** Has a scripted server lose its connection, and answer initialize so from now on. */
    private static void lose(ScriptedServer scripted, Transport transport, String initialized) throws Exception {
        lose(scripted, transport, initialized, request -> null);
    }

    /** @param replies what the connections after it are answered with */
    private static void lose(
            ScriptedServer scripted,
            Transport transport,
            String initialized,
            Function<ScriptedServer.Request, ScriptedServer.@Nullable Reply> replies)
            throws Exception {
        AtomicInteger connections = new AtomicInteger();
        scripted.replies = request -> {
            if (request.message().method().equals("initialize")) {
                int unused = connections.incrementAndGet();
                RequestId id = Objects.requireNonNull(request.message().id());
                return new ScriptedServer.Reply(
                        200,
                        Map.of("Acp-Connection-Id", "c-2"),
                        initialized.replace("\"id\":0", "\"id\":" + id.json()));
            }
            return connections.get() == 0 ? ScriptedServer.Reply.status(404) : replies.apply(request);
        };
        write(transport, 2, "session/list", "{}");
        scripted.await("POST initialize", 2);
    }

    private static RemoteAgent impatient(ScriptedServer scripted) {
        return Http.to(scripted.uri()).time(Time.SYSTEM, System::currentTimeMillis, () -> 0);
    }

    private static String result(ScriptedServer.Request request, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":"
                + Objects.requireNonNull(request.message().id()).json() + ",\"result\":" + result + "}";
    }

    @Test
    @Tag("DUR-28")
    void aReplayThatFollowsItsAnswerIsNotShownAgainAndWhatIsNewIs() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            lose(scripted, transport, RESUMABLE);
            ScriptedServer.Request load = scripted.await("POST session/load");
            scripted.say("", result(load, "{\"_meta\":{\"acp4j/after\":\"e-2\"}}"));
            scripted.say("", EndpointFixture.call(7, "_x/ask", ""));
            // The answer was before it.
            Message unused = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            scripted.say("s", "id: e-1\ndata: " + EndpointFixture.update("s", "old"));
            scripted.say("s", "id: e-2\ndata: " + EndpointFixture.update("s", "older"));
            scripted.say("s", "id: e-3\ndata: " + EndpointFixture.update("s", "new"));
            Message shown = read(transport, message -> message.kind() == Message.Kind.NOTIFICATION);

            assertThat(shown.raw().toString()).contains("\"new\"");
        }
    }

    @Test
    @Tag("DUR-28")
    void whatIsNewIsShownAlsoIfItOvertakesTheAnswerToTheLoad() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            lose(scripted, transport, RESUMABLE);
            ScriptedServer.Request load = scripted.await("POST session/load");
            // For the reader that belonged to the connection before.
            scripted.endStream("s");
            for (int i = 1; i <= 4; i++) {
                scripted.say("s", placed(i));
            }
            scripted.say("s", EndpointFixture.call(7, "_x/ask", "s"));
            // All of the stream has arrived.
            Message unused = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            scripted.say("", result(load, "{\"_meta\":{\"acp4j/after\":\"e-2\"}}"));
            Message third = read(transport, message -> message.kind() == Message.Kind.NOTIFICATION);
            Message fourth = read(transport, message -> message.kind() == Message.Kind.NOTIFICATION);

            assertThat(third.raw().toString()).contains("\"text 3\"");
            assertThat(fourth.raw().toString()).contains("\"text 4\"");
        }
    }

    /** An update with its place, as our servers send it. */
    private static String placed(int number) {
        String update = EndpointFixture.update("s", "text " + number);
        return "id: e-" + number + "\ndata: "
                + update.replace("\"params\":{", "\"params\":{\"_meta\":{\"acp/cursor\":\"e-" + number + "\"},");
    }

    @Test
    @Tag("DUR-27")
    void aLoadWhoseAnswerIsLostIsMadeOnAnotherConnection() throws Exception {
        LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();
        AtomicInteger loads = new AtomicInteger();
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).onState(states::add).open()) {
            openSession(scripted, transport);
            lose(
                    scripted,
                    transport,
                    ScriptedServer.INITIALIZED,
                    request -> request.what().equals("POST session/load") && loads.incrementAndGet() == 1
                            ? ScriptedServer.Reply.LOST
                            : null);
            ScriptedServer.Request load = scripted.await("POST session/load", 2);
            scripted.say("s", result(load, "{}"));

            assertThat(states.take()).isEqualTo(RemoteAgent.State.DOWN);
            assertThat(states.take()).isEqualTo(RemoteAgent.State.RECOVERED);
            assertThat(scripted.requests())
                    .containsSubsequence("POST session/load", "DELETE", "POST initialize", "POST session/load");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"draining", "too_many_requests"})
    @Tag("DUR-27")
    void aSessionWhoseLoadTheServerRefusesForNowIsLoadedLater(String reason) throws Exception {
        LinkedBlockingQueue<String> problems = new LinkedBlockingQueue<>();
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted)
                        .onProblem(problem -> problems.add(problem.detail()))
                        .open()) {
            openSession(scripted, transport);
            lose(scripted, transport, ScriptedServer.INITIALIZED);
            scripted.say(
                    "s",
                    result(scripted.await("POST session/load"), "{}")
                            .replace(
                                    "\"result\":{}",
                                    "\"error\":{\"code\":-32603,\"message\":\"Not now\",\"data\":{\"reason\":\""
                                            + reason + "\"}}"));
            scripted.say("s", result(scripted.await("POST session/load", 2), "{}"));
            write(transport, 5, "session/prompt", prompt("s", "Hello"));

            assertThat(scripted.await("POST session/prompt").message().id()).isEqualTo(RequestId.of(5));
            assertThat(problems).noneMatch(problem -> problem.contains("could not be opened again"));
        }
    }

    @Test
    @Tag("DUR-27")
    @Tag("HTC-18")
    void aSessionWhoseLoadIsRefusedFailsAloneUntilItIsLoaded() throws Exception {
        LinkedBlockingQueue<String> problems = new LinkedBlockingQueue<>();
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted)
                        .onProblem(problem -> problems.add(problem.detail()))
                        .open()) {
            openSession(scripted, transport);
            AtomicInteger loads = new AtomicInteger();
            lose(
                    scripted,
                    transport,
                    ScriptedServer.INITIALIZED,
                    request -> request.what().equals("POST session/load") && loads.incrementAndGet() == 1
                            ? ScriptedServer.Reply.status(409)
                            : null);
            assertThat(problems.take())
                    .startsWith("session s could not be opened again")
                    .contains("409");
            write(transport, 3, "session/prompt", prompt("s", "Hello"));
            Message refused = read(transport, message -> message.kind().isResponse());
            write(transport, 4, "session/load", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
            scripted.say("s", result(scripted.await("POST session/load", 2), "{}"));
            Message unused = read(transport, message -> message.kind().isResponse());
            write(transport, 5, "session/prompt", prompt("s", "Hello"));

            assertThat(refused.raw().toString()).contains("load or resume it");
            assertThat(scripted.await("POST session/prompt").message().id()).isEqualTo(RequestId.of(5));
            assertThat(scripted.all("POST initialize")).hasSize(2);
        }
    }

    @Test
    @Tag("DUR-27")
    @Tag("DUR-28")
    @Tag("DUR-31")
    void aServerThatKnowsNeitherStreamNorSessionBeforeTheLoadIsRecovered() throws Exception {
        LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();
        AtomicBoolean isOpen = new AtomicBoolean();
        FakeTime time = new FakeTime();
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = Http.to(scripted.uri())
                        .time(time, () -> 0, () -> 0)
                        .onState(states::add)
                        .open()) {
            openSession(scripted, transport);
            lose(scripted, transport, ScriptedServer.INITIALIZED, request -> {
                // Before the client can ask for the stream again.
                isOpen.compareAndSet(false, request.what().equals("POST session/load"));
                return request.header("Acp-session-id").equals("s") && !isOpen.get()
                        ? ScriptedServer.Reply.status(404)
                        : null;
            });
            ScriptedServer.Request load = scripted.await("POST session/load");
            // For the reader that belonged to the connection before.
            scripted.endStream("s");
            scripted.say("s", EndpointFixture.update("s", "old"));
            scripted.say("s", EndpointFixture.call(7, "session/request_permission", "s"));
            scripted.say("", result(load, "{}"));
            Message first = read(transport, message -> !message.method().isEmpty());
            // Longer than an answer waits for a replay.
            time.advance(Duration.ofSeconds(2));

            assertThat(states.take()).isEqualTo(RemoteAgent.State.DOWN);
            assertThat(states.take()).isEqualTo(RemoteAgent.State.RECOVERED);
            assertThat(first.method()).isEqualTo("session/request_permission");
            assertThat(load.header("Acp-session-id")).isEmpty();
        }
    }

    @Test
    @Tag("DUR-27")
    void theSettingsOfASessionAreMadeAgain() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            set(scripted, transport, 3, "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"plan\"}");
            set(
                    scripted,
                    transport,
                    4,
                    "session/set_config_option",
                    "{\"sessionId\":\"s\",\"configId\":\"model\",\"value\":\"small\"}");
            set(
                    scripted,
                    transport,
                    5,
                    "session/set_config_option",
                    "{\"sessionId\":\"s\",\"configId\":\"model\",\"value\":\"large\"}");
            lose(scripted, transport, RESUMES);
            ScriptedServer.Request resume = scripted.await("POST session/resume");
            scripted.say("s", result(resume, "{}"));
            ScriptedServer.Request mode = scripted.await("POST session/set_mode", 2);
            scripted.say("s", result(mode, "{}"));
            ScriptedServer.Request option = scripted.await("POST session/set_config_option", 3);

            assertThat(Raw.text(resume.message().params(), "cwd")).isEqualTo("/");
            assertThat(Raw.text(mode.message().params(), "modeId")).isEqualTo("plan");
            assertThat(Raw.text(option.message().params(), "value")).isEqualTo("large");
        }
    }

    @Test
    @Tag("DUR-27")
    void whatAnAgentAsksBeforeItsSessionIsWholeIsAnsweredAtOnce() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            set(scripted, transport, 3, "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"plan\"}");
            lose(scripted, transport, ScriptedServer.INITIALIZED);
            ScriptedServer.Request load = scripted.await("POST session/load");
            scripted.say("s", EndpointFixture.call(7, "fs/read_text_file", "s"));
            answer(transport, read(transport, message -> message.kind() == Message.Kind.REQUEST));
            Message ofLoad = scripted.await("POST answer").message();
            scripted.say("s", result(load, "{}"));
            scripted.await("POST session/set_mode", 2);
            scripted.say("s", EndpointFixture.call(8, "fs/read_text_file", "s"));
            answer(transport, read(transport, message -> message.kind() == Message.Kind.REQUEST));
            Message ofMode = scripted.await("POST answer", 2).message();

            assertThat(ofLoad.id()).isEqualTo(RequestId.of(7));
            assertThat(ofMode.id()).isEqualTo(RequestId.of(8));
        }
    }

    private static void answer(Transport transport, Message question) throws Exception {
        transport.writer().write(Message.result(id(question), RawJson.EMPTY_OBJECT));
    }

    @Test
    @Tag("DUR-27")
    @Tag("CNX-09")
    void aQuestionOfAConnectionThatCouldNotBeMadeReadyIsWithdrawn() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            write(transport, 5, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            scripted.await("POST session/new", 2);
            scripted.say("", "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"sessionId\":\"t\"}}");
            Message unused = read(transport, message -> message.kind().isResponse());
            AtomicInteger loads = new AtomicInteger();
            lose(
                    scripted,
                    transport,
                    ScriptedServer.INITIALIZED,
                    // A session that a server does not know is asked for twice, see DUR-31.
                    request -> request.what().equals("POST session/load")
                                    && request.message().session().equals("t")
                                    && loads.incrementAndGet() <= 2
                            ? ScriptedServer.Reply.status(404)
                            : null);
            ScriptedServer.Request load = scripted.await("POST session/load");
            scripted.say("s", EndpointFixture.call(7, "_x/first", "s"));
            Message first = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            scripted.say("s", result(load, "{}"));
            Message withdrawn = read(transport, message -> message.method().equals("$/cancel_request"));
            scripted.await("POST session/load", 4);
            scripted.say("s", EndpointFixture.call(7, "_x/second", "s"));
            Message second = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            answer(transport, first);
            transport.writer().write(Message.result(id(second), RawJson.parse("{\"is\":\"second\"}")));
            Message answer = scripted.await("POST answer").message();

            assertThat(Raw.member(withdrawn.params(), "requestId"))
                    .isEqualTo(id(first).json());
            assertThat(second.method()).isEqualTo("_x/second");
            assertThat(Raw.text(answer.result(), "is")).isEqualTo("second");
        }
    }

    @Test
    @Tag("DUR-27")
    @Tag("HTC-28")
    void whatAServerWithoutTheConnectionHasNotTakenIsSentOnTheNextInItsOrder() throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            scripted.replies = request -> {
                if (!request.what().equals("POST session/prompt")) {
                    return null;
                }
                await(written);
                scripted.replies = next -> next.message().method().equals("initialize")
                        ? ScriptedServer.Reply.initialized(RESUMES.replace(
                                "\"id\":0", "\"id\":" + id(next.message()).json()))
                        : null;
                return ScriptedServer.Reply.status(404);
            };
            write(transport, 2, "session/prompt", prompt("s", "Hello"));
            write(transport, 3, "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"plan\"}");
            written.countDown();
            scripted.say("s", result(scripted.await("POST session/resume"), "{}"));
            ScriptedServer.Request prompt = scripted.await("POST session/prompt", 2);
            scripted.say("s", result(prompt, "{\"stopReason\":\"end_turn\"}"));
            Message answer = read(transport, message -> message.kind().isResponse());
            scripted.await("POST session/set_mode");

            assertThat(answer.id()).isEqualTo(RequestId.of(2));
            assertThat(answer.isError()).isFalse();
            assertThat(scripted.requests())
                    .containsSubsequence(
                            "POST session/prompt",
                            "POST initialize",
                            "POST session/resume",
                            "POST session/prompt",
                            "POST session/set_mode");
        }
    }

    /** Has a scripted server answer initialize with what the next connection can, whatever else it answers. */
    private static ScriptedServer.Reply initialized(ScriptedServer.Request request) {
        return ScriptedServer.Reply.initialized(
                RESUMES.replace("\"id\":0", "\"id\":" + id(request.message()).json()));
    }

    @Test
    @Tag("DUR-27")
    void aSessionThatTheServerNeverKnowsCostsTwoNewConnectionsAndThenFails() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            scripted.replies = request -> request.message().method().equals("initialize")
                    ? initialized(request)
                    : request.header("Acp-session-id").equals("wrong") ? ScriptedServer.Reply.status(404) : null;
            write(transport, 2, "session/prompt", prompt("wrong", "Hello"));
            for (int i = 1; i <= 2; i++) {
                scripted.say("s", result(scripted.await("POST session/resume", i), "{}"));
            }
            Message failed = read(transport, message -> message.kind().isResponse());
            write(transport, 3, "session/prompt", prompt("s", "Hello"));
            scripted.await("POST session/prompt");

            assertThat(failed.id()).isEqualTo(RequestId.of(2));
            assertThat(String.valueOf(failed.error())).contains("404", "transport_failed");
            assertThat(scripted.all("POST initialize")).hasSize(3);
        }
    }

    @Test
    @Tag("DUR-27")
    @Tag("CNX-06")
    void whatIsSentBehindASettingThatWasLostIsNotSent() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            write(transport, 2, "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"plan\"}");
            scripted.await("POST session/set_mode");
            scripted.replies = request -> {
                if (!request.what().equals("POST session/prompt")) {
                    return null;
                }
                scripted.replies = next -> next.message().method().equals("initialize") ? initialized(next) : null;
                return ScriptedServer.Reply.status(404);
            };
            write(transport, 3, "session/prompt", prompt("s", "Hello"));
            Message prompt = read(transport, message -> message.kind().isResponse());
            Message mode = read(transport, message -> message.kind().isResponse());
            scripted.say("s", result(scripted.await("POST session/resume"), "{}"));
            write(transport, 4, "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"plan\"}");
            scripted.await("POST session/set_mode", 2);

            assertThat(prompt.id()).isEqualTo(RequestId.of(3));
            assertThat(String.valueOf(prompt.error())).contains("session/set_mode", "transport_failed");
            assertThat(mode.id()).isEqualTo(RequestId.of(2));
            assertThat(String.valueOf(mode.error())).contains("outcome_unknown");
            assertThat(scripted.all("POST session/prompt")).hasSize(1);
        }
    }

    @Test
    @Tag("DUR-27")
    void whatIsSentOnTheNextConnectionIsNotReportedAsLost() throws Exception {
        LinkedBlockingQueue<String> problems = new LinkedBlockingQueue<>();
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted)
                        .onProblem(problem -> problems.add(problem.detail()))
                        .open()) {
            openSession(scripted, transport);
            scripted.replies = request -> request.what().equals("POST _x/n")
                    ? new ScriptedServer.Reply(503, Map.of("Retry-After", "60"), "")
                    : null;
            transport.writer().write(Message.notification("_x/n", RawJson.parse("{\"sessionId\":\"s\"}")));
            scripted.await("POST _x/n");
            lose(scripted, transport, RESUMES);
            scripted.say("s", result(scripted.await("POST session/resume"), "{}"));
            scripted.await("POST _x/n", 2);

            assertThat(problems).noneMatch(problem -> problem.contains("could not be sent"));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Tag("CNX-06")
    @Tag("DUR-27")
    void aSessionWithAnotherSettingIsReportedAndWhatWaitsForItIsNotSent() throws Exception {
        LinkedBlockingQueue<String> problems = new LinkedBlockingQueue<>();
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted)
                        .onProblem(problem -> problems.add(problem.detail()))
                        .open()) {
            openSession(scripted, transport);
            set(scripted, transport, 3, "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"plan\"}");
            set(scripted, transport, 4, "session/set_model", "{\"sessionId\":\"s\",\"modelId\":\"large\"}");
            lose(scripted, transport, RESUMES);
            scripted.say("s", result(scripted.await("POST session/resume"), "{}"));
            ScriptedServer.Request mode = scripted.await("POST session/set_mode", 2);
            write(transport, 9, "session/prompt", prompt("s", "Hello"));
            scripted.say(
                    "s",
                    result(mode, "{}")
                            .replace("\"result\":{}", "\"error\":{\"code\":-32602,\"message\":\"no such mode\"}"));
            Message refused = read(transport, message -> message.kind().isResponse());
            ScriptedServer.Request model = scripted.await("POST session/set_model", 2);
            scripted.say("s", result(model, "{}"));

            assertThat(refused.id()).isEqualTo(RequestId.of(9));
            assertThat(String.valueOf(refused.error())).contains("another setting", "no such mode");
            assertThat(problems.take()).contains("session s has another setting than before");
            assertThat(Raw.text(model.message().params(), "modelId")).isEqualTo("large");
            assertThat(scripted.all("POST session/prompt")).isEmpty();
        }
    }

    private static void set(ScriptedServer scripted, Transport transport, int id, String method, String params)
            throws Exception {
        int before = scripted.all("POST " + method).size();
        write(transport, id, method, params);
        scripted.say("s", result(scripted.await("POST " + method, before + 1), "{}"));
        Message unused = read(transport, message -> message.kind().isResponse());
    }

    @Test
    @Tag("DUR-25")
    @Tag("DUR-27")
    void anAgentOfAnotherVersionIsNotTheOneThatWasLost() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            lose(scripted, transport, RESUMES.replace("\"protocolVersion\":1", "\"protocolVersion\":2"));

            assertThatThrownBy(() -> read(transport, message -> false))
                    .hasMessageContaining("speaks version 1 of the protocol no more");
        }
    }

    @Test
    @Tag("DUR-27")
    void whatWaitsWhenARecoveryFailsIsAnsweredAsNotSent() throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            openSession(scripted, transport);
            scripted.replies = request -> {
                if (!request.message().method().equals("initialize")) {
                    return request.what().equals("POST session/list") ? ScriptedServer.Reply.status(404) : null;
                }
                await(written);
                return ScriptedServer.Reply.status(401);
            };
            write(transport, 2, "session/list", "{}");
            written.countDown();
            Message list = read(transport, message -> message.kind().isResponse());

            assertThat(list.id()).isEqualTo(RequestId.of(2));
            assertThat(String.valueOf(list.error())).contains("was not sent", "401", "transport_failed");
        }
    }

    @Test
    @Tag("HTC-20")
    void aConnectionThatAnotherOneReplacesIsEndedFirst() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = impatient(scripted).open()) {
            scripted.replies = request -> request.message().method().equals("initialize")
                    ? ScriptedServer.Reply.initialized(RESUMABLE)
                    : null;
            openSession(scripted, transport);
            scripted.say("s", "id: e-1\ndata: " + EndpointFixture.update("s", "one"));
            Message unused = read(transport, message -> message.kind() == Message.Kind.NOTIFICATION);
            scripted.replies = request -> request.what().equals("GET s") ? ScriptedServer.Reply.status(409) : null;
            scripted.endStream("s");
            scripted.await("POST initialize", 2);

            assertThat(scripted.requests()).containsSubsequence("GET s", "DELETE", "POST initialize");
        }
    }

    private static String openSession(Transport transport) throws Exception {
        write(transport, 0, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
        Message unused = read(transport, message -> message.kind().isResponse());
        write(transport, 1, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        return Raw.text(read(transport, message -> message.kind().isResponse()).result(), "sessionId");
    }

    private static RequestId id(Message message) {
        return Objects.requireNonNull(message.id());
    }

    private static String prompt(String session, String text) {
        return "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
    }

    private static void write(Transport transport, long id, String method, String params) throws Exception {
        transport.writer().write(Message.request(RequestId.of(id), method, RawJson.parse(params)));
    }

    private static void answer(Transport transport, Message question, String kind) throws Exception {
        String options = String.valueOf(question.params());
        String option = options.replaceFirst("(?s).*\"optionId\":\"([^\"]*" + kind + "[^\"]*)\".*", "$1");
        transport
                .writer()
                .write(Message.result(
                        id(question),
                        RawJson.parse("{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}")));
    }

    private static Message read(Transport transport, Predicate<Message> wanted) throws Exception {
        Message next = Objects.requireNonNull(transport.reader().read());
        while (!wanted.test(next)) {
            next = Objects.requireNonNull(transport.reader().read());
        }
        return next;
    }
}
