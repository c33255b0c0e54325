package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.headers;
import static dev.acp4j.http.EndpointFixture.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Method;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which request is answered how. */
class EndpointTest {
    private final EndpointFixture server = new EndpointFixture();

    static Stream<Arguments> refusedWithoutConnection() {
        return Stream.of(
                row("PUT", 405, new FakeExchange("PUT")),
                row("no type", 415, post("{}").without("Content-Type")),
                row("text", 415, post("{}").with("Content-Type", "text/plain")),
                row("Latin-1", 415, post("{}").with("Content-Type", "application/json; charset=iso-8859-1")),
                row("compressed", 415, post("{}").with("Content-Encoding", "gzip")),
                row("another path", 404, elsewhere()),
                row("not JSON", 400, post("{oops")),
                row("not UTF-8", 400, post("{\"method\":\"a\u00ff\"}")),
                row("a number", 400, post("7")),
                row("a string", 400, post("\"x\"")),
                row("no message", 400, post("{}")),
                row("a list", 501, post(" [" + RawClient.INITIALIZE + "]")),
                row(
                        "a long id",
                        400,
                        post(RawClient.INITIALIZE.replace("\"id\":0", "\"id\":\"" + "1".repeat(1025) + "\""))),
                row("initialize without id", 400, post(RawClient.INITIALIZE.replace("\"id\":0,", ""))),
                row("initialize with null", 400, post(RawClient.INITIALIZE.replace("\"id\":0", "\"id\":null"))),
                row("no connection", 400, post(call(1, "session/list", ""))),
                row("unknown connection", 404, post(call(1, "session/list", "")).with("Acp-Connection-Id", "x")),
                row("stream without Accept", 406, FakeExchange.get("x").without("Accept")),
                row("stream of JSON", 406, FakeExchange.get("x").with("Accept", "application/json")),
                row("stream of no connection", 400, FakeExchange.get("x").without("Acp-Connection-Id")),
                row("stream of unknown connection", 404, FakeExchange.get("x")),
                row("resumed on unknown connection", 404, FakeExchange.get("x").with("Last-Event-ID", "abc-1")),
                row("end of no connection", 400, new FakeExchange("DELETE")),
                row("end of unknown connection", 404, new FakeExchange("DELETE").with("Acp-Connection-Id", "x")),
                row("no credential", 401, post(RawClient.INITIALIZE).without("Authorization")),
                row(
                        "wrong credential",
                        401,
                        post(RawClient.INITIALIZE).with("Authorization", "Bearer nobody-knows-it")),
                row("another host", 403, at("example.org")),
                row("another port", 403, at("127.0.0.1:9090")),
                row("a host with a dot", 403, at("127.0.0.1.:8080")),
                row("any address", 403, at("0.0.0.0:8080")),
                row("no host", 403, at("")),
                row("a page", 403, post(RawClient.INITIALIZE).with("Origin", "https://example.org")),
                row("a local page", 403, post(RawClient.INITIALIZE).with("Origin", "http://127.0.0.1:3000")),
                row("a page of nowhere", 403, post(RawClient.INITIALIZE).with("Origin", "null")),
                row("an image of a page", 403, FakeExchange.get("x").with("Sec-Fetch-Site", "cross-site")),
                row("a page beside", 403, FakeExchange.get("x").with("Sec-Fetch-Site", "same-site")),
                row("a token in the URL", 400, asked("token=secret")),
                row("a key in the URL", 400, asked("a=b&apiKey=secret")));
    }

    private static Arguments row(String name, int status, FakeExchange exchange) {
        return Arguments.of(name, status, exchange);
    }

    private static FakeExchange post(String body) {
        return FakeExchange.post(body);
    }

    private static FakeExchange elsewhere() {
        FakeExchange exchange = post("{}");
        exchange.path = "/other";
        return exchange;
    }

    private static FakeExchange at(String authority) {
        FakeExchange exchange = post(RawClient.INITIALIZE);
        exchange.authority = authority;
        return exchange;
    }

    private static FakeExchange asked(String query) {
        FakeExchange exchange = FakeExchange.get("x");
        exchange.query = query;
        return exchange;
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("refusedWithoutConnection")
    @Tag("HTS-01")
    @Tag("HTS-02")
    @Tag("HTS-04")
    @Tag("HTS-06")
    @Tag("HTS-11")
    @Tag("HTS-19")
    @Tag("HTS-38")
    @Tag("HTS-39")
    @Tag("DUR-10")
    @Tag("HST-17")
    @Tag("HST-22")
    @Tag("SEC-09")
    @Tag("ENV-25")
    void aRequestThatIsRefusedStartsNoAgent(String name, int status, FakeExchange exchange) throws Exception {
        server.handle(exchange);

        assertThat(exchange.status()).as(name).isEqualTo(status);
        assertThat(server.agents).isEmpty();
        assertThat(exchange.wasRead).isEqualTo((status == 400 || status == 501) && exchange.method.equals("POST"));
        if (status != 501) {
            assertThat(exchange.text())
                    .contains("\"reason\":")
                    .contains("\"message\":")
                    .doesNotContain("secret");
        } else {
            assertThat(exchange.text()).contains("-32600").contains("\"id\":null");
        }
    }

    @Test
    @Tag("HTS-01")
    @Tag("HTS-40")
    void refusalsSayWhatIsAllowed() throws Exception {
        assertThat(headers(server.handle(new FakeExchange("PATCH")))).containsEntry("Allow", "POST, GET, DELETE");
        assertThat(headers(server.handle(new FakeExchange("GET").without("Authorization"))))
                .containsEntry("WWW-Authenticate", "Bearer");
    }

    @Test
    @Tag("HTS-05")
    @Tag("HTS-41")
    void initializeMakesAConnectionWithAnUnguessableId() throws Exception {
        var connection = server.connect();
        var other = server.connect();

        assertThat(connection.initialize.status()).isEqualTo(200);
        assertThat(connection.initialize.text())
                .contains("\"protocolVersion\":1")
                .contains("\"acp4j/connectionId\":\"" + connection.id + "\"");
        assertThat(headers(connection.initialize)).containsEntry("Cache-Control", "no-store");
        assertThat(connection.id).matches("[A-Za-z0-9_-]{32}").isNotEqualTo(other.id);
    }

    static Stream<Arguments> posts() {
        String prompt = call(1, "session/prompt", "s");
        return Stream.of(
                Arguments.of("a prompt with both", 202, prompt, "s"),
                Arguments.of("a prompt without header", 202, prompt, ""),
                Arguments.of("a prompt with header only", 202, call(1, "session/prompt", ""), "s"),
                Arguments.of(
                        "a prompt without params",
                        202,
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\"}",
                        "s"),
                Arguments.of("a prompt with neither", 400, call(1, "session/prompt", ""), ""),
                Arguments.of(
                        "a cancel with neither",
                        400,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{}}",
                        ""),
                Arguments.of("both differ", 400, prompt, "t"),
                Arguments.of("a number as session", 400, prompt.replace("\"s\"", "7"), ""),
                Arguments.of("two sessions", 400, prompt.replace("\"s\"", "\"t\",\"sessionId\":\"s\""), "s"),
                Arguments.of("null behind", 400, prompt.replace("\"s\"", "\"s\",\"sessionId\":null"), "s"),
                Arguments.of("another case", 400, prompt.replace("\"s\"", "\"s\",\"sessionid\":\"t\""), "s"),
                Arguments.of("a header of the first", 400, prompt.replace("\"s\"", "\"t\",\"sessionId\":\"s\""), "t"),
                Arguments.of("a list behind", 400, prompt.replace("\"s\"", "\"s\",\"sessionId\":[\"s\"]"), ""),
                Arguments.of("a number and a header", 400, prompt.replace("\"s\"", "7"), "s"),
                Arguments.of(
                        "a list",
                        400,
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":[]}",
                        "s"),
                Arguments.of("a long session", 400, call(1, "session/prompt", "s".repeat(1025)), ""),
                Arguments.of("a long header", 400, prompt, "s".repeat(1025)),
                Arguments.of("an extension with a session", 202, call(1, "_x/y", "s"), "s"),
                Arguments.of("an extension that differs", 400, call(1, "_x/y", "s"), "t"),
                Arguments.of("an extension with a header", 202, call(1, "_x/y", ""), "t"),
                Arguments.of(
                        "a cancellation with a header",
                        202,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}",
                        "t"),
                Arguments.of(
                        "a cancellation in an envelope with a header",
                        202,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"proxy/successor\",\"params\":{\"method\":"
                                + "\"$/cancel_request\",\"params\":{\"requestId\":1}}}",
                        "t"),
                Arguments.of("initialize once more", 400, RawClient.INITIALIZE, ""),
                Arguments.of("a broken answer", 202, "{\"jsonrpc\":\"2.0\",\"id\":77}", ""));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("posts")
    @Tag("HTS-06")
    @Tag("HTS-13")
    @Tag("HTS-14")
    @Tag("HTS-15")
    @Tag("HTS-16")
    @Tag("HTS-32")
    @Tag("HTS-44")
    void whichMessagesAreTaken(String name, int status, String body, String session) throws Exception {
        var connection = server.connect();

        FakeExchange exchange = session.isEmpty()
                ? connection.post(body)
                : connection.post(body, "Acp-Session-Id", session, "Acp-Protocol-Version", "99");

        assertThat(exchange.status()).as(name).isEqualTo(status);
        if (status == 202) {
            assertThat(exchange.text()).isEmpty();
            String heard = connection.hears();
            if (body.contains("session/prompt")) {
                assertThat(heard).contains("\"id\":1").contains("\"sessionId\":\"s\"");
            } else {
                assertThat(heard).isEqualTo(body);
            }
        }
    }

    static List<Method<?, ?>> methodsOfASession() {
        return MethodsOfASession.all();
    }

    @ParameterizedTest
    @MethodSource("methodsOfASession")
    @Tag("HTS-15")
    void aMethodOfASessionNeedsOne(Method<?, ?> method) throws Exception {
        var connection = server.connect();
        String request = call(1, method.name(), "");
        String body = method.isNotification() ? request.replace("\"id\":1,", "") : request;

        assertThat(connection.post(body).text()).contains("session_missing");
        assertThat(connection.post(body, "Acp-Session-Id", "s").status()).isEqualTo(202);
        assertThat(connection.hears()).contains(method.name()).contains("\"sessionId\":\"s\"");
    }

    @Test
    @Tag("DUR-17")
    void anAnswerToNothingIsTakenAndDoesNotReachTheAgent() throws Exception {
        var connection = server.connect();
        FakeExchange answer = connection.post("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":null}");
        connection.post(call(1, "session/list", ""));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(connection.hears()).contains("session/list");
    }

    @Test
    @Tag("HTS-17")
    void anAnswerNeedsNoHeaderAndIsRefusedUnderAWrongOne() throws Exception {
        var connection = server.connect();
        connection.says(call(5, "session/request_permission", "s"));
        String answer = "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}";

        assertThat(connection.post(answer, "Acp-Session-Id", "t").status()).isEqualTo(400);
        assertThat(connection.post(answer).status()).isEqualTo(202);
        assertThat(connection.hears()).isEqualTo(answer);
    }

    @Test
    @Tag("HTS-07")
    void anInitializeThatFailsIsAnsweredWithTheIdOfAConnectionThatIsGone() throws Exception {
        var failed =
                server.new Connection("{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32602,\"message\":\"no\"}}");

        assertThat(failed.initialize.status()).isEqualTo(200);
        assertThat(failed.initialize.text()).contains("-32602");
        assertThat(failed.id).isNotEmpty();
        assertThat(failed.stream().status()).isEqualTo(404);
        assertThat(failed.delete().status()).isEqualTo(202);
        assertThat(failed.hears()).isEqualTo("end");
        server.pass(Duration.ofSeconds(61));
        assertThat(failed.delete().status()).isEqualTo(404);
    }

    @Test
    @Tag("HTS-08")
    @Tag("HTS-21")
    void whatTheAgentSaysBeforeAnyoneReadsWaits() throws Exception {
        var connection = server.connect();
        for (int i = 0; i < 3000; i++) {
            connection.says("{\"jsonrpc\":\"2.0\",\"method\":\"_x/" + i + "\"}");
        }

        FakeExchange stream = connection.stream();

        assertThat(stream.data()).hasSize(3000);
        assertThat(stream.data().get(2999)).contains("_x/2999");
    }

    @Test
    @Tag("HTS-21")
    void aSlowReaderOfOneSessionHoldsUpNoOther() throws Exception {
        var connection = server.connect();
        FakeExchange slow = connection.session("slow");
        FakeExchange quick = connection.session("quick");
        slow.blocked = true;
        for (int i = 0; i < 100; i++) {
            connection.says(update("slow", "x".repeat(10_000)));
            connection.says(update("quick", "text " + i));
        }

        assertThat(quick.data()).hasSize(100);
        slow.unblock();
        assertThat(slow.data()).hasSize(100);
    }

    @Test
    @Tag("HTS-09")
    void anAgentThatEndsBeforeItsAnswerIsAnInternalError() throws Exception {
        FakeExchange exchange = FakeExchange.post(RawClient.INITIALIZE);
        Thread waiting = start(exchange);
        Objects.requireNonNull(server.agents.take()).close();
        waiting.join();

        assertThat(exchange.status()).isEqualTo(500);
        assertThat(exchange.text()).contains("-32603").contains("\"id\":0");
    }

    @Test
    @Tag("HTS-09")
    void anAgentThatCannotBeStartedIsAnInternalErrorWithoutItsText() throws Exception {
        HttpServer configuration = Http.on(0).time(server.time);
        Guard guard = new Guard(
                Set.of("127.0.0.1:8080"), Set.of(), BearerTokens.of("me", FakeExchange.TOKEN), "/acp", Time.SYSTEM);
        Endpoint failing = new Endpoint(
                configuration,
                guard,
                transport -> {
                    throw new IllegalStateException("no such file: /secret");
                },
                new SecureRandom());
        FakeExchange exchange = FakeExchange.post(RawClient.INITIALIZE);
        List<LogRecord> logged;
        try (QuietLog log = new QuietLog()) {
            failing.handle(exchange);
            logged = log.records;
        }

        assertThat(exchange.status()).isEqualTo(500);
        assertThat(exchange.text()).contains("-32603").contains("\"id\":0").doesNotContain("secret");
        assertThat(failing.connections().awaitEnd(0)).isTrue();
        assertThat(logged).singleElement().satisfies(record -> {
            assertThat(record.getLevel()).isEqualTo(Level.SEVERE);
            assertThat(record.getThrown()).hasMessageContaining("/secret");
        });
    }

    @Test
    @Tag("HTS-09")
    void anAgentThatNeverAnswersASocketThatIsGoneAlreadyIsEnded() throws Exception {
        AtomicReference<SocketSession> socket = new AtomicReference<>();
        LinkedBlockingQueue<Transport> agents = new LinkedBlockingQueue<>();
        Guard guard = new Guard(
                Set.of("127.0.0.1:8080"), Set.of(), BearerTokens.of("me", FakeExchange.TOKEN), "/acp", Time.SYSTEM);
        Endpoint endpoint = new Endpoint(
                Http.on(0).time(server.time),
                guard,
                client -> {
                    agents.add(client);
                    socket.get().closed(SocketCodes.CUT);
                },
                new SecureRandom());
        FakeExchange upgrade = new FakeExchange("GET");
        upgrade.upgrades = true;
        endpoint.handle(upgrade);
        SocketSession opened = Objects.requireNonNull(upgrade.socket);
        socket.set(opened);
        opened.open(new CutLink());
        opened.message(Message.parse(RawClient.INITIALIZE), () -> {});
        server.time.advance(Duration.ofMinutes(1));
        endpoint.connections().tick();
        Transport agent = agents.remove();

        assertThat(agent.reader().isReady()).as("the initialize, or the end").isTrue();
        assertThat(agent.reader().read()).isNotNull();
        assertThat(agent.reader().isReady()).as("the end").isTrue();
        assertThat(agent.reader().read()).isNull();
    }

    @Test
    @Tag("HTS-09")
    void anAgentHasItsTimeToAnswerAlsoWhenItsClientReadsAlready() throws Exception {
        LinkedBlockingQueue<Transport> agents = new LinkedBlockingQueue<>();
        Guard guard = new Guard(
                Set.of("127.0.0.1:8080"), Set.of(), BearerTokens.of("me", FakeExchange.TOKEN), "/acp", Time.SYSTEM);
        Endpoint endpoint = new Endpoint(Http.on(0).time(server.time), guard, agents::add, new SecureRandom());
        FakeExchange upgrade = new FakeExchange("GET");
        upgrade.upgrades = true;
        endpoint.handle(upgrade);
        SocketSession opened = Objects.requireNonNull(upgrade.socket);
        server.time.advance(Duration.ofMinutes(5));
        opened.open(new CutLink());
        opened.message(Message.parse(RawClient.INITIALIZE), () -> {});
        FakeExchange stream = FakeExchange.get(opened.id());
        endpoint.handle(stream);
        server.time.advance(Duration.ofSeconds(59));
        endpoint.connections().tick();
        Transport agent = agents.remove();

        assertThat(stream.status()).isEqualTo(200);
        assertThat(agent.reader().read()).isNotNull();
        assertThat(agent.reader().isReady()).as("the end").isFalse();
        server.time.advance(Duration.ofSeconds(1));
        endpoint.connections().tick();
        assertThat(agent.reader().isReady()).as("the end").isTrue();
    }

    /** The line of a socket that is cut. */
    private static final class CutLink implements Exchange.Link {
        @Override
        public void send(RawJson text, Runnable progress, Consumer<@Nullable Throwable> done) {
            done.accept(new IOException("cut"));
        }

        @Override
        public void ping(long number) {}

        @Override
        public void close(int code, String reason) {}

        @Override
        public void abort() {}
    }

    @Test
    @Tag("HTS-09")
    void anAgentThatIsTooSlowIsGivenUp() throws Exception {
        FakeExchange exchange = FakeExchange.post(RawClient.INITIALIZE);
        Thread waiting = start(exchange);
        var agent = server.agents.take();
        // An agent is there before it has its first message.
        assertThat(agent.reader().read()).isNotNull();
        server.pass(Duration.ofSeconds(60));
        waiting.join();

        assertThat(exchange.status()).isEqualTo(504);
        assertThat(agent.reader().read()).isNull();
    }

    @Test
    @Tag("HTS-10")
    void aClientThatLeavesDuringInitializeEndsItsAgent() throws Exception {
        FakeExchange exchange = FakeExchange.post(RawClient.INITIALIZE);
        Thread waiting = start(exchange);
        var agent = server.agents.take();
        exchange.watched.await();
        exchange.leave();
        waiting.join();

        assertThat(exchange.status()).isEqualTo(-1);
        assertThat(agent.reader().read()).isNotNull();
        assertThat(agent.reader().read()).isNull();
    }

    private Thread start(FakeExchange exchange) {
        return Thread.ofVirtual().start(() -> {
            try {
                server.handle(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    @Tag("HTS-20")
    @Tag("DUR-13")
    void aSecondReaderIsRefusedUntilTheFirstHasLeft() throws Exception {
        var connection = server.connect();
        FakeExchange first = connection.stream();
        FakeExchange second = connection.stream();
        first.leave();
        connection.says("{\"jsonrpc\":\"2.0\",\"method\":\"_x/late\"}");
        FakeExchange third = connection.stream();

        assertThat(second.status()).isEqualTo(409);
        assertThat(second.text()).contains("stream_in_use");
        assertThat(third.status()).isEqualTo(200);
        assertThat(third.data()).singleElement().asString().contains("_x/late");
        assertThat(first.data()).isEmpty();
    }

    @Test
    @Tag("HTS-22")
    void aStreamSaysWhoseItIs() throws Exception {
        var connection = server.connect();

        assertThat(connection.session("s").streamHeaders)
                .containsEntry("Content-Type", "text/event-stream")
                .containsEntry("Cache-Control", "no-store, no-transform")
                .containsEntry("X-Accel-Buffering", "no")
                .containsEntry("Acp-Connection-Id", connection.id)
                .containsEntry("Acp-Session-Id", "s");
    }

    @Test
    @Tag("HTS-23")
    void aSilentStreamGivesASignOfLifeEachQuarterOfAMinute() throws Exception {
        FakeExchange stream = server.connect().stream();
        stream.stream.setLength(0);

        server.pass(Duration.ofSeconds(14));
        assertThat(stream.stream.toString()).isEmpty();
        server.pass(Duration.ofSeconds(1));
        assertThat(stream.stream.toString()).isEqualTo(":\n\n");
        server.pass(Duration.ofSeconds(15));
        assertThat(stream.stream.toString()).isEqualTo(":\n\n:\n\n");
    }

    @Test
    @Tag("HTS-25")
    void whatBelongsToASessionGoesToItsStream() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        connection.open("s");
        FakeExchange session = connection.session("s");
        connection.post(call(1, "session/prompt", "s"));
        connection.says(update("s", "hello"));
        connection.says(call(5, "session/request_permission", "s"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}");
        connection.post(call(2, "session/fork", "s"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"sessionId\":\"t\"}}");
        connection.post(call(3, "session/list", ""));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"sessions\":[]}}");

        assertThat(own.data()).hasSize(2);
        assertThat(own.data().get(0)).contains("\"id\":90");
        assertThat(own.data().get(1)).contains("\"id\":3");
        assertThat(session.data()).hasSize(4);
        assertThat(session.data().get(2)).contains("end_turn");
        assertThat(session.data().get(3)).contains("\"id\":2");
    }

    @Test
    @Tag("HTS-25")
    void theAnswerOfALoadComesBehindItsHistoryOnTheOtherStream() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        FakeExchange session = connection.session("s");
        connection.post(call(1, "session/load", "s"));
        session.blocked = true;
        connection.says(update("s", "one"));
        connection.says(update("s", "two"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        assertThat(own.data()).isEmpty();
        session.unblock();

        assertThat(session.data()).hasSize(2);
        assertThat(own.data())
                .singleElement()
                .asString()
                .contains("\"id\":1")
                .contains("acp4j/after\":\"" + session.ids().get(1));
    }

    @Test
    @Tag("HTS-25")
    void aHistoryThatNobodyReadsElsewhereComesOnTheStreamOfTheConnection() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        connection.post(call(1, "session/load", "s"));
        connection.says(update("s", "old"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        connection.says(update("s", "new"));

        assertThat(own.data()).hasSize(2);
        assertThat(own.data().get(0)).contains("old");
        assertThat(own.data().get(1)).contains("\"id\":1");
        assertThat(connection.session("s").data()).singleElement().asString().contains("new");
    }

    @Test
    @Tag("HTS-26")
    void ofTwoRequestsWithOneIdTheFirstIsAnsweredFirst() throws Exception {
        var connection = server.connect();
        FakeExchange one = connection.session("one");
        FakeExchange two = connection.session("two");
        connection.post(call(1, "session/prompt", "one"));
        connection.post(call(1, "session/prompt", "two"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}");
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":2}}");
        FakeExchange own = connection.stream();
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"m\"}}");

        assertThat(one.data()).singleElement().asString().contains("\"a\":1");
        assertThat(two.data()).singleElement().asString().contains("\"a\":2");
        assertThat(own.data()).hasSize(1);
    }

    @Test
    @Tag("HTS-27")
    @Tag("DUR-23")
    void deleteEndsTheStreamsCleanlyAndTheAgent() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        server.endpoint.connections().drain();

        assertThat(connection.delete().status()).isEqualTo(202);
        assertThat(own.ended).isTrue();
        assertThat(own.aborted).isFalse();
        assertThat(connection.hears()).isEqualTo("end");
        assertThat(connection.delete().status()).isEqualTo(404);
        assertThat(connection.post(call(1, "session/list", "")).status()).isEqualTo(404);
    }

    @Test
    @Tag("HTS-28")
    @Tag("HTS-18")
    void whatAnAgentSaidBeforeItsEndCanStillBeRead() throws Exception {
        var connection = server.connect();
        connection.open("s");
        connection.says(update("s", "bye"));
        connection.agent.close();

        assertThat(connection.post(call(1, "session/list", "")).status()).isEqualTo(404);
        FakeExchange own = connection.stream();
        FakeExchange session = connection.session("s");
        assertThat(own.data()).hasSize(1);
        assertThat(own.ended).isTrue();
        assertThat(session.data()).singleElement().asString().contains("bye");
        assertThat(session.ended).isTrue();
        assertThat(connection.session("s").status()).isEqualTo(404);
    }

    @Test
    @Tag("HTS-35")
    @Tag("DUR-23")
    @Tag("HST-38")
    void aConnectionThatNobodyReadsEndsAfterItsGrace() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        server.pass(Duration.ofMinutes(11));
        assertThat(connection.post(call(1, "session/list", "")).status()).isEqualTo(202);
        connection.hears();
        own.leave();
        server.pass(Duration.ofMinutes(9));
        connection.stream().leave();
        server.pass(Duration.ofMinutes(9));
        assertThat(connection.post(call(2, "session/list", "")).status()).isEqualTo(202);
        connection.hears();
        server.pass(Duration.ofMinutes(1));

        assertThat(connection.stream().status()).isEqualTo(404);
        assertThat(connection.hears()).isEqualTo("end");
        assertThat(server.events)
                .filteredOn(ServerEvent.ConnectionEnded.class::isInstance)
                .singleElement()
                .asString()
                .contains("no client came back within 600 s")
                .doesNotContain(connection.id);
    }

    @Test
    @Tag("HTS-36")
    void thereAreNoMoreConnectionsThanAllowed() throws Exception {
        EndpointFixture small = new EndpointFixture(
                Http.on(0).limits(ServerLimits.STANDARD.withConnections(3, 1)),
                credentials -> new Authenticator.Allowed(
                        Principal.of(Objects.requireNonNull(credentials.header("Authorization")))));
        var first = small.connect();
        FakeExchange second = small.handle(FakeExchange.post(RawClient.INITIALIZE));
        FakeExchange stranger = small.handle(FakeExchange.get(first.id).with("Authorization", "other"));

        assertThat(second.status()).isEqualTo(429);
        assertThat(headers(second)).containsKey("Retry-After");
        assertThat(small.agents).isEmpty();
        assertThat(stranger.status()).isEqualTo(404);
        assertThat(first.delete().status()).isEqualTo(202);
        assertThat(small.connect().id).isNotEmpty();
    }

    @Test
    @Tag("HTS-36")
    void theServerHasNoMoreConnectionsThanAllowedWhoseverTheyAre() throws Exception {
        int[] number = {0};
        EndpointFixture small = new EndpointFixture(
                Http.on(0).limits(ServerLimits.STANDARD.withConnections(2, 2)),
                credentials -> new Authenticator.Allowed(Principal.of("one of many " + number[0]++)));
        var unused = small.connect();
        unused = small.connect();
        FakeExchange third = small.handle(FakeExchange.post(RawClient.INITIALIZE));
        FakeExchange upgrade = new FakeExchange("GET");
        upgrade.upgrades = true;
        small.handle(upgrade);

        for (FakeExchange refused : new FakeExchange[] {third, upgrade}) {
            assertThat(refused.status()).isEqualTo(503);
            assertThat(headers(refused)).containsKey("Retry-After");
            assertThat(refused.text()).contains("too_many_connections");
        }
        assertThat(small.agents).isEmpty();
    }

    @Test
    @Tag("HTS-40")
    void theConnectionsOfOthersLookLikeNone() throws Exception {
        EndpointFixture shared = new EndpointFixture(
                Http.on(0),
                credentials -> new Authenticator.Allowed(
                        Principal.of(Objects.requireNonNull(credentials.header("Authorization")))));
        var connection = shared.connect();

        for (FakeExchange foreign : new FakeExchange[] {
            FakeExchange.get(connection.id),
            FakeExchange.post(call(1, "session/list", "")).with("Acp-Connection-Id", connection.id),
            new FakeExchange("DELETE").with("Acp-Connection-Id", connection.id)
        }) {
            assertThat(shared.handle(foreign.with("Authorization", "other")).status())
                    .isEqualTo(404);
        }
        assertThat(connection.stream().status()).isEqualTo(200);
    }

    @Test
    @Tag("HTS-40")
    @Tag("HTS-36")
    void aPrincipalIsItsName() throws Exception {
        int[] renewed = {0};
        EndpointFixture shared = new EndpointFixture(
                Http.on(0).limits(ServerLimits.STANDARD.withConnections(3, 1)),
                credentials ->
                        new Authenticator.Allowed(new Principal("me", Set.of("groups of token " + renewed[0]++))));
        var connection = shared.connect();

        assertThat(connection.post(call(1, "session/list", "")).status()).isEqualTo(202);
        assertThat(shared.handle(FakeExchange.post(RawClient.INITIALIZE)).status())
                .isEqualTo(429);
    }

    @Test
    @Tag("HTS-37")
    void pagesOfAllowedOriginsMay() throws Exception {
        EndpointFixture shared = new EndpointFixture(Http.on(0).allowedOrigins("https://example.org"));
        FakeExchange preflight = shared.handle(
                new FakeExchange("OPTIONS").without("Authorization").with("Origin", "https://example.org"));
        FakeExchange asked = shared.handle(FakeExchange.get("x").with("Origin", "https://example.org"));
        FakeExchange foreign = shared.handle(FakeExchange.get("x").with("Origin", "https://example.com"));
        FakeExchange anywhere = new EndpointFixture(Http.on(0).allowedOrigins("*"))
                .handle(FakeExchange.get("x").with("Origin", "https://example.com"));

        assertThat(preflight.status()).isEqualTo(204);
        assertThat(headers(preflight))
                .containsEntry("Access-Control-Allow-Origin", "https://example.org")
                .containsEntry("Vary", "Origin")
                .doesNotContainKeys("Access-Control-Allow-Private-Network", "Access-Control-Allow-Credentials");
        assertThat(asked.status()).isEqualTo(404);
        assertThat(headers(asked)).containsEntry("Access-Control-Allow-Origin", "https://example.org");
        assertThat(foreign.status()).isEqualTo(403);
        assertThat(anywhere.status()).isEqualTo(404);
        assertThat(headers(anywhere)).containsEntry("Access-Control-Allow-Origin", "*");
        assertThat(server.handle(new FakeExchange("OPTIONS")).status()).isEqualTo(405);
    }

    @Test
    @Tag("HTS-32")
    void aStreamOfAConnectionThatEndsMeanwhileIsNotOpened() throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange late = FakeExchange.get(connection.id).with("Acp-Session-Id", "s");
        // Between the look for the connection and that for the stream.
        FakeExchange end = new FakeExchange("DELETE").with("Acp-Connection-Id", connection.id);
        late.whenAsked.put("Acp-Session-Id", () -> server.endpoint.handle(end));
        server.handle(late);

        assertThat(late.status()).isEqualTo(404);
        assertThat(late.text()).contains("connection_unknown");
    }

    @Test
    @Tag("HTS-33")
    @Tag("HTS-34")
    void aRequestIsHeldWhileTheAgentDoesNotReadAndNothingElseIs() throws Exception {
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytes(3000)));
        var connection = small.connect();
        connection.post(call(1, "session/prompt", "s".repeat(1000)));
        connection.post(call(2, "session/prompt", "s".repeat(1000)));
        FakeExchange held = FakeExchange.post(call(3, "session/list", "")).with("Acp-Connection-Id", connection.id);
        FakeExchange left = FakeExchange.post(call(4, "session/list", "")).with("Acp-Connection-Id", connection.id);
        Thread waiting = start(small, held);
        Thread leaving = start(small, left);
        held.watched.await();
        left.watched.await();
        FakeExchange cancel =
                connection.post("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}");
        left.leave();
        leaving.join();

        assertThat(cancel.status()).isEqualTo(202);
        assertThat(left.status()).isEqualTo(-1);
        assertThat(connection.hears()).contains("\"id\":1");
        assertThat(connection.hears()).contains("\"id\":2");
        waiting.join();
        assertThat(held.status()).isEqualTo(202);
        assertThat(connection.hears()).contains("session/cancel");
        assertThat(connection.hears()).contains("\"id\":3");
    }

    private static Thread start(EndpointFixture fixture, FakeExchange exchange) {
        return Thread.ofVirtual().start(() -> {
            try {
                fixture.handle(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    @Tag("HTS-32")
    void provisionalStreamsAreFewAndShort() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        FakeExchange first = connection.session("s0");
        for (int i = 1; i < 64; i++) {
            assertThat(connection.session("s" + i).status()).isEqualTo(200);
        }
        FakeExchange refused = connection.session("s64");
        connection.post(call(1, "session/load", "s1"));
        connection.post(call(2, "session/load", "made up"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,\"message\":\"no\"}}");
        FakeExchange refusedStill = connection.session("s65");
        FakeExchange madeUp = connection.session("made up");
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        FakeExchange next = connection.session("s65");
        server.pass(Duration.ofSeconds(60));

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.text()).contains("too_many_streams");
        assertThat(refusedStill.text()).contains("too_many_streams");
        assertThat(madeUp.text()).contains("too_many_streams");
        assertThat(next.status()).isEqualTo(200);
        assertThat(first.ended).isTrue();
        assertThat(first.aborted).isFalse();
        assertThat(own.ended).isFalse();
        assertThat(connection.session("s1").text()).contains("stream_in_use");
    }

    @Test
    void aStrictServerKnowsTheStreamsOfItsSessionsOnly() throws Exception {
        EndpointFixture strict = new EndpointFixture(Http.on(0).strict(true));
        var connection = strict.connect();
        connection.open("s");

        assertThat(connection.session("s").status()).isEqualTo(200);
        assertThat(connection.session("t").status()).isEqualTo(404);
    }

    @Test
    @Tag("HTS-43")
    void aServerThatIsAboutToStopTakesWhatEndsTurnsAndNothingNew() throws Exception {
        var connection = server.connect();
        connection.says(call(5, "session/request_permission", "s"));
        server.endpoint.connections().drain();

        FakeExchange initialize = server.handle(FakeExchange.post(RawClient.INITIALIZE));
        FakeExchange request = connection.post(call(1, "session/list", ""));
        assertThat(initialize.status()).isEqualTo(503);
        assertThat(headers(initialize)).containsKey("Retry-After");
        assertThat(request.status()).isEqualTo(503);
        assertThat(connection
                        .post("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}")
                        .status())
                .isEqualTo(202);
        assertThat(connection
                        .post("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}")
                        .status())
                .isEqualTo(202);
        assertThat(connection.stream().status()).isEqualTo(200);
    }

    @Test
    @Tag("HST-38")
    void aRefusalNamesWhatIsKnownOfTheRequest() throws Exception {
        EndpointFixture.Connection connection = server.connect();
        FakeExchange wrong = new FakeExchange("DELETE").with("Authorization", "Bearer another-token");
        wrong.address = "192.0.2.7";
        server.handle(wrong);
        server.handle(new FakeExchange("GET").with("Acp-Connection-Id", connection.id));
        List<ServerEvent> refused = server.events.stream()
                .filter(ServerEvent.Refused.class::isInstance)
                .toList();

        assertThat(refused)
                .containsExactly(
                        new ServerEvent.Refused(401, "unauthorized", "192.0.2.7", "DELETE", null, ""),
                        new ServerEvent.Refused(
                                406,
                                "not_acceptable",
                                "127.0.0.1",
                                "GET",
                                Principal.of("me"),
                                ServerEvent.hash(connection.id)));
    }
}
