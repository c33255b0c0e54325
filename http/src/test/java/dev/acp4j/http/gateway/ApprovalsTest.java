package dev.acp4j.http.gateway;

import static dev.acp4j.http.gateway.GatewayFixture.ALICE;
import static dev.acp4j.http.gateway.GatewayFixture.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.tap.Poll;
import dev.acp4j.testkit.FakeTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Questions of real agents, answered by their client or at the page. */
@Timeout(180)
class ApprovalsTest {
    /** How many requests of a page may be held, and how many reports may be under way. */
    private static final int MOST_HELD = 16;

    private static final int REPORTS_AT_ONCE = 64;
    private static final String SECRET = "a-secret-for-webhooks-in-tests";

    @TempDir
    private Path folder;

    private static Gateway.Builder agent() {
        return Gateway.builder(HostedProgram.launch());
    }

    /** A client that is asked and does not answer before it may. */
    private static final class Asked {
        final LinkedBlockingQueue<PermissionQuestion> questions = new LinkedBlockingQueue<>();
        final CountDownLatch answers = new CountDownLatch(1);

        ConnectedAgent connect(GatewayFixture host, String token) throws Exception {
            return host.connect(
                    token,
                    client -> client.onPermission(question -> {
                        questions.add(question);
                        answers.await();
                        return question.allowOnce();
                    }));
        }

        void await() throws Exception {
            assertThat(questions.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    private static JsonObject questions(GatewayFixture host, String token, String after) throws Exception {
        HttpResponse<String> answer = host.get("/approvals/questions" + after, token);
        assertThat(answer.statusCode()).isEqualTo(200);
        return (JsonObject) RawJson.parse(answer.body()).value();
    }

    private static List<JsonObject> list(JsonObject answer) {
        return ((JsonArray) Objects.requireNonNull(answer.members().get("questions")))
                .elements().stream().map(JsonObject.class::cast).toList();
    }

    private static String answer(JsonObject question, String kind) {
        String option = ((JsonArray) Objects.requireNonNull(question.members().get("options")))
                .elements().stream()
                        .map(JsonObject.class::cast)
                        .filter(each -> each.text("kind").orElse("").equals(kind))
                        .findFirst()
                        .orElseThrow()
                        .text("id")
                        .orElseThrow();
        return "{\"question\":\"" + question.text("id").orElseThrow() + "\",\"option\":\"" + option + "\"}";
    }

    @Test
    @Tag("HST-28")
    @Tag("HST-34")
    void aQuestionIsAnsweredAtThePageAndWithdrawnFromTheClient() throws Exception {
        Asked client = new Asked();
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            Turn turn = client.connect(host, ALICE).newSession(folder).prompt("choose May <b>I</b>?");
            client.await();
            JsonObject question = list(questions(host, ALICE, "")).getFirst();
            HttpResponse<String> first = host.post("/approvals/answers", ALICE, answer(question, "reject_once"));
            String result = turn.text();
            HttpResponse<String> second = host.post("/approvals/answers", ALICE, answer(question, "allow_once"));

            assertThat(question.text("title")).hasValue("May <b>I</b>?");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(result).contains("reject");
            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(second.body()).contains("already_answered");
            assertThat(list(questions(host, ALICE, ""))).isEmpty();
            assertThat(host.await(GatewayEvent.QuestionClosed.class).by()).isEqualTo("page");
        } finally {
            client.answers.countDown();
        }
    }

    @Test
    @Tag("HST-34")
    void aQuestionThatTheClientAnswersLeavesThePageAtOnce() throws Exception {
        Asked client = new Asked();
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            Turn turn = client.connect(host, ALICE).newSession(folder).prompt("choose May I?");
            client.await();
            JsonObject before = questions(host, ALICE, "");
            client.answers.countDown();
            JsonObject after = before;
            while (!list(after).isEmpty()) {
                after = questions(host, ALICE, "?after=" + after.text("version").orElseThrow());
            }

            assertThat(turn.text()).contains("allow");
            assertThat(list(before)).hasSize(1);
            assertThat(host.await(GatewayEvent.QuestionClosed.class).by()).isEqualTo("client");
        }
    }

    @Test
    @Tag("HST-34")
    @Tag("HST-15")
    void nobodySeesOrAnswersTheQuestionsOfOthers() throws Exception {
        Asked client = new Asked();
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            JsonObject before = questions(host, BOB, "");
            Turn turn = client.connect(host, ALICE).newSession(folder).prompt("choose May I?");
            client.await();
            JsonObject question = list(questions(host, ALICE, "")).getFirst();
            HttpResponse<String> ofBob = host.post("/approvals/answers", BOB, answer(question, "allow_once"));
            HttpResponse<String> ofNobody = host.post("/approvals/answers", "", answer(question, "allow_once"));
            HttpResponse<String> invented = host.post(
                    "/approvals/answers",
                    ALICE,
                    "{\"question\":\"" + question.text("id").orElseThrow() + "\",\"option\":\"invented\"}");

            assertThat(list(before)).isEmpty();
            assertThat(questions(host, BOB, "")).isEqualTo(before);
            assertThat(ofBob.statusCode()).isEqualTo(409);
            assertThat(ofNobody.statusCode()).isEqualTo(401);
            assertThat(invented.statusCode()).isEqualTo(400);
            client.answers.countDown();
            assertThat(turn.text()).contains("allow");
        }
    }

    /** What is asked, the answer of somebody else, and that of the user. */
    enum Question {
        CHOOSE(
                "choose May I?",
                "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow_once-1\"}}",
                "\"option\":\"allow_once-1\"",
                "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"reject_once-1\"}}",
                "reject_once"),
        FORM(
                "form",
                "{\"action\":\"decline\"}",
                "\"action\":\"decline\"",
                "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}",
                "form: [name]"),
        URL("url", "{\"action\":\"accept\"}", "\"action\":\"accept\"", "{\"action\":\"decline\"}", "not looked");

        final String asks;
        final String prompt;
        final String foreign;
        final String foreignAtPage;
        final String own;
        final String said;

        Question(String prompt, String foreign, String foreignAtPage, String own, String said) {
            this.asks = prompt.startsWith("choose") ? "session/request_permission" : "elicitation/create";
            this.prompt = prompt;
            this.foreign = foreign;
            this.foreignAtPage = foreignAtPage;
            this.own = own;
            this.said = said;
        }

        /** Returns an answer to the question that a line of a stream has. */
        String answer(String line, String result) {
            return "{\"jsonrpc\":\"2.0\",\"id\":" + line.replaceAll(".*\"id\":(\"[^\"]*\"|\\d+).*", "$1")
                    + ",\"result\":" + result + "}";
        }
    }

    @ParameterizedTest
    @EnumSource(Question.class)
    @Tag("HST-15")
    void onlyTheUserWhoseSessionAsksAnswersAlsoAfterAReconnect(Question asked) throws Exception {
        String showsInput = GatewayFixture.INITIALIZE.replace(
                "\"protocolVersion\":1",
                "\"protocolVersion\":1,\"clientCapabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}}");
        try (GatewayFixture host = new GatewayFixture(folder, agent().perUser())) {
            String first = host.initialize(ALICE, showsInput);
            host.call(ALICE, first, call(1, "session/new", "\"cwd\":\"/tmp\",\"mcpServers\":[]"));
            host.awaitLine(ALICE, first, "test-1");
            host.call(
                    ALICE,
                    first,
                    call(
                            2,
                            "session/prompt",
                            "\"sessionId\":\"test-1\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + asked.prompt
                                    + "\"}]"));
            String question = host.line(session(host, first), asked.asks);
            String page = list(questions(host, ALICE, "")).getFirst().text("id").orElseThrow();
            String ofBob = host.initialize(BOB, showsInput);
            host.call(BOB, ofBob, call(1, "session/new", "\"cwd\":\"/tmp\",\"mcpServers\":[]"));
            host.awaitLine(BOB, ofBob, "test-1");
            HttpResponse<String> atHers = host.call(BOB, first, asked.answer(question, asked.foreign));
            HttpResponse<String> atPage =
                    host.post("/approvals/answers", BOB, "{\"question\":\"" + page + "\"," + asked.foreignAtPage + "}");
            // The same id, and the address of the same question, at his own agent.
            host.call(BOB, ofBob, asked.answer(question, asked.foreign));
            host.call(
                    BOB,
                    ofBob,
                    "{\"jsonrpc\":\"2.0\",\"method\":\"elicitation/complete\",\"params\":{\"elicitationId\":\"elicitation-1\"}}");
            host.call(BOB, ofBob, call(3, "_test/facts", ""));
            host.awaitLine(BOB, ofBob, "\"id\":3");
            host.leave(ALICE, first);
            String again = host.initialize(ALICE, showsInput);
            host.call(
                    ALICE,
                    again,
                    call(4, "session/load", "\"sessionId\":\"test-1\",\"cwd\":\"/tmp\",\"mcpServers\":[]"));
            String askedAgain = host.line(session(host, again), asked.asks);
            HttpResponse<String> atHersAgain = host.call(BOB, again, asked.answer(askedAgain, asked.foreign));
            boolean isOpen = !list(questions(host, ALICE, "")).isEmpty();
            host.call(ALICE, again, asked.answer(askedAgain, asked.own));
            String said = host.line(session(host, again), "\"" + asked.said + "\"");

            assertThat(atHers.statusCode()).isEqualTo(404);
            assertThat(atHersAgain.statusCode()).isEqualTo(404);
            assertThat(atPage.statusCode()).isEqualTo(409);
            assertThat(isOpen).isTrue();
            assertThat(said).contains("agent_message_chunk");
            GatewayEvent.QuestionClosed closed = host.await(GatewayEvent.QuestionClosed.class);
            assertThat(closed.by()).isEqualTo("client");
            assertThat(closed.principal().name()).isEqualTo("alice");
        }
    }

    private static String call(int id, String method, String members) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{" + members + "}}";
    }

    private static HttpRequest.Builder session(GatewayFixture host, String connection) {
        return host.request("/acp", ALICE)
                .header("Acp-Connection-Id", connection)
                .header("Acp-Session-Id", "test-1");
    }

    @Test
    @Tag("HST-16")
    @Tag("HST-34")
    void whatIsHeldForAPageIsRefusedWhenItsTokenWasRevokedMeanwhile() throws Exception {
        String second = "alice-has-another-token-in-tests";
        Asked client = new Asked();
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            host.allow("alice " + second + "\n");
            ConnectedAgent agent = client.connect(host, ALICE);
            assertThat(Poll.until(() -> status(host, second) == 200)).isTrue();
            String after = "/approvals/questions?after="
                    + questions(host, second, "").text("version").orElseThrow();
            List<CompletableFuture<HttpResponse<String>>> held = new ArrayList<>();
            for (int i = 0; i <= MOST_HELD; i++) {
                held.add(host.getLater(after, second));
            }
            // One too many, which is answered first: the others are held then.
            CompletableFuture.anyOf(held.toArray(CompletableFuture[]::new)).join();
            List<CompletableFuture<HttpResponse<String>>> waiting =
                    held.stream().filter(each -> !each.isDone()).toList();
            host.allow("");
            assertThat(Poll.until(() -> status(host, second) != 200)).isTrue();
            Turn turn = agent.newSession(folder).prompt("choose May I?");
            client.await();
            client.answers.countDown();

            assertThat(waiting).hasSize(MOST_HELD);
            for (CompletableFuture<HttpResponse<String>> each : waiting) {
                HttpResponse<String> answer = each.join();
                // The wrong credentials are slowed, too.
                assertThat(answer.statusCode()).isIn(401, 429);
                assertThat(answer.body()).doesNotContain("May I?");
            }
            assertThat(turn.text()).contains("allow");
        } finally {
            client.answers.countDown();
        }
    }

    private static int status(GatewayFixture host, String token) {
        return host.getLater("/approvals/questions", token).join().statusCode();
    }

    @Test
    @Tag("HST-29")
    void aQuestionThatNobodyAnswersIsCancelledInTheEnd() throws Exception {
        FakeTime time = new FakeTime();
        Asked client = new Asked();
        try (GatewayFixture host = new GatewayFixture(folder, agent().time(time))) {
            Turn turn = client.connect(host, ALICE).newSession(folder).prompt("choose May I?");
            client.await();
            time.advance(Duration.ofHours(25));
            String text = turn.text();

            assertThat(text).contains("cancelled");
            assertThat(host.await(GatewayEvent.QuestionClosed.class).by()).isEqualTo("time");
        } finally {
            client.answers.countDown();
        }
    }

    @Test
    @Tag("HST-29")
    @Tag("HST-04")
    void inputThatNobodyGivesIsCancelledInTheEndAndKeepsNoAgent() throws Exception {
        FakeTime time = new FakeTime();
        String showsForms = GatewayFixture.INITIALIZE.replace(
                "\"protocolVersion\":1",
                "\"protocolVersion\":1,\"clientCapabilities\":{\"elicitation\":{\"form\":{}}}");
        try (GatewayFixture host = new GatewayFixture(folder, agent().perUser().time(time))) {
            String connection = host.initialize(ALICE, showsForms);
            host.call(
                    ALICE,
                    connection,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}");
            host.awaitLine(ALICE, connection, "test-1");
            host.call(
                    ALICE,
                    connection,
                    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"test-1\","
                            + "\"prompt\":[{\"type\":\"text\",\"text\":\"form\"}]}}");
            host.await(GatewayEvent.QuestionOpened.class);
            assertThat(list(questions(host, ALICE, ""))).hasSize(1);
            host.leave(ALICE, connection);
            time.advance(Duration.ofHours(25));
            assertThat(host.await(GatewayEvent.QuestionClosed.class).by()).isEqualTo("time");
            GatewayEvent.AgentEnded ended = null;
            while (ended == null) {
                time.advance(Duration.ofHours(1));
                ended = host.poll(GatewayEvent.AgentEnded.class, Duration.ofSeconds(1));
            }

            assertThat(ended.reason()).isEqualTo("idle");
        }
    }

    /** Returns the answer to a prompt whose question was answered at the page. */
    private HttpResponse<String> give(GatewayFixture host, JsonObject question, String answer) throws Exception {
        return host.post(
                "/approvals/answers",
                ALICE,
                "{\"question\":\"" + question.text("id").orElseThrow() + "\"," + answer + "}");
    }

    @Test
    @Tag("HST-28")
    @Tag("HST-34")
    void inputIsGivenAtThePageAndOnlyOneThatFitsTheFormCounts() throws Exception {
        CountDownLatch withdrawn = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            ConnectedAgent client = host.connect(
                    ALICE,
                    builder -> builder.onElicitation(question -> {
                        asked.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            withdrawn.countDown();
                            throw e;
                        }
                        return question.cancel();
                    }));
            Turn turn = client.newSession(folder).prompt("form");
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            JsonObject question = list(questions(host, ALICE, "")).getFirst();
            HttpResponse<String> none = give(host, question, "\"action\":\"accept\",\"content\":{}");
            HttpResponse<String> wrong = give(host, question, "\"action\":\"accept\",\"content\":{\"name\":7}");
            HttpResponse<String> other =
                    give(host, question, "\"action\":\"accept\",\"content\":{\"name\":\"A\",\"age\":7}");
            HttpResponse<String> unknown = give(host, question, "\"action\":\"allow\"");
            boolean isOpen = !turn.isDone();
            HttpResponse<String> right = give(host, question, "\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}");
            String text = turn.text();
            HttpResponse<String> late = give(host, question, "\"action\":\"decline\"");

            assertThat(question.toString())
                    .contains("\"title\":\"What is your name?\"", "\"kind\":\"input\"")
                    .contains("\"name\":\"name\"", "\"required\":true", "\"kind\":\"text\"");
            assertThat(none.statusCode()).isEqualTo(400);
            assertThat(none.body()).contains("invalid_input", "the field name must be filled in");
            assertThat(wrong.body()).contains("the field name must be a text");
            assertThat(other.body()).contains("the field age is not in the form");
            assertThat(unknown.body()).contains("expected the action accept, decline or cancel");
            assertThat(isOpen).isTrue();
            assertThat(right.statusCode()).isEqualTo(200);
            assertThat(text).isEqualTo("form: [name]");
            assertThat(late.statusCode()).isEqualTo(409);
            assertThat(withdrawn.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @Tag("HST-34")
    void anAddressIsShownAndDeclinedAtThePage() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            CountDownLatch asked = new CountDownLatch(1);
            ConnectedAgent client = host.connect(
                    ALICE,
                    builder -> builder.onElicitation(question -> {
                        asked.countDown();
                        new CountDownLatch(1).await();
                        return question.cancel();
                    }));
            Turn turn = client.newSession(folder).prompt("url");
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            JsonObject question = list(questions(host, ALICE, "")).getFirst();
            HttpResponse<String> declined = give(host, question, "\"action\":\"decline\"");

            assertThat(question.toString()).contains("Look at this", "\"url\":\"https://example.com/test\"");
            assertThat(declined.statusCode()).isEqualTo(200);
            assertThat(turn.text()).isEqualTo("not looked");
        }
    }

    @Test
    @Tag("HST-26")
    @Tag("HST-22")
    void thePageLoadsAndSendsNothingElsewhere() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            for (String path : List.of("/approvals", "/approvals/approvals.js", "/approvals/approvals.css")) {
                HttpResponse<String> page = host.get(path, "");

                assertThat(page.statusCode()).isEqualTo(200);
                assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                        .contains("default-src 'none'")
                        .contains("script-src 'self';")
                        .contains("frame-ancestors 'none'")
                        .doesNotContain("unsafe");
                assertThat(page.headers().map())
                        .containsEntry("x-content-type-options", List.of("nosniff"))
                        .containsEntry("referrer-policy", List.of("no-referrer"))
                        .containsEntry("cache-control", List.of("no-store"))
                        .containsEntry("cross-origin-opener-policy", List.of("same-origin"));
                assertThat(page.body()).doesNotContain("innerHTML").doesNotContain("http://", "https://");
            }
            HttpResponse<String> planted = host.get("/approvals?token=planted", "");
            assertThat(planted.statusCode()).isEqualTo(400);
            assertThat(planted.body()).contains("credential_in_query").doesNotContain("planted");
            HttpResponse<String> foreign = host.send(host.request("/approvals", "")
                    .header("Origin", "https://evil.example")
                    .GET());
            assertThat(foreign.statusCode()).isEqualTo(403);
        }
    }

    @Test
    @Tag("HST-36")
    void aWebhookIsSignedTriedAgainAndSaysNoMoreThanTitleAndKind() throws Exception {
        LinkedBlockingQueue<List<String>> received = new LinkedBlockingQueue<>();
        AtomicInteger attempts = new AtomicInteger();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var headers = exchange.getRequestHeaders();
            received.add(List.of(
                    body,
                    headers.getFirst("Acp-Webhook-Timestamp"),
                    headers.getFirst("Acp-Webhook-Signature"),
                    headers.getFirst("Acp-Webhook-Id")));
            exchange.sendResponseHeaders(attempts.incrementAndGet() == 1 ? 500 : 204, -1);
            exchange.close();
        });
        receiver.start();
        URI uri = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");
        FakeTime time = new FakeTime();
        Asked client = new Asked();
        try (GatewayFixture host = new GatewayFixture(
                folder, agent().time(time).webhook(Webhook.to(uri, SECRET).inPrivateNetwork()))) {
            Session session = client.connect(host, ALICE).newSession(folder);
            Turn turn = session.prompt("say planted prompt\nchoose May I?");
            List<String> first = Objects.requireNonNull(received.poll(60, TimeUnit.SECONDS));
            List<String> again = null;
            while (again == null) {
                time.advance(Duration.ofSeconds(5));
                again = received.poll(1, TimeUnit.SECONDS);
            }
            client.answers.countDown();

            assertThat(turn.text()).contains("allow");
            assertThat(first.get(0))
                    .contains("\"title\":\"May I?\"")
                    .doesNotContain("planted prompt")
                    .doesNotContain(session.id().value());
            assertThat(first.get(2)).isEqualTo("v1=" + signature(first.get(1) + "." + first.get(0)));
            assertThat(again.get(3)).isEqualTo(first.get(3));
        } finally {
            receiver.stop(0);
        }
    }

    /** A receiver that answers each report in its way. */
    private static HttpServer receiver(String path, HttpHandler handler) throws Exception {
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext(path, handler);
        receiver.start();
        return receiver;
    }

    private static Webhook at(HttpServer receiver) {
        return Webhook.to(URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook"), SECRET)
                .inPrivateNetwork();
    }

    @Test
    @Tag("HST-36")
    void aReceiverThatNeverEndsItsAnswerTakesNoFurtherReports() throws Exception {
        LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
        HttpServer receiver = receiver("/hook", exchange -> {
            received.add(exchange.getRequestMethod());
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
        });
        Asked client = new Asked();
        client.answers.countDown();
        try (GatewayFixture host = new GatewayFixture(folder, agent().webhook(at(receiver)))) {
            Session session = client.connect(host, ALICE).newSession(folder);
            for (int i = 0; i <= REPORTS_AT_ONCE; i++) {
                assertThat(session.prompt("choose May I?").text()).contains("allow");
                assertThat(received.poll(20, TimeUnit.SECONDS))
                        .as("report " + i)
                        .isNotNull();
            }
        } finally {
            receiver.stop(0);
        }
    }

    @Test
    @Tag("HST-36")
    void aReportGoesNowhereElseAndIsNotTriedAgainOnceItsQuestionIsAnswered() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        AtomicInteger elsewhere = new AtomicInteger();
        HttpServer receiver = receiver("/hook", exchange -> {
            attempts.incrementAndGet();
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(307, -1);
            exchange.close();
        });
        receiver.createContext("/elsewhere", exchange -> {
            elsewhere.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        Asked client = new Asked();
        client.answers.countDown();
        try (GatewayFixture host = new GatewayFixture(folder, agent().webhook(at(receiver)))) {
            String text = client.connect(host, ALICE)
                    .newSession(folder)
                    .prompt("choose May I?")
                    .text();

            assertThat(text).contains("allow");
            assertThat(host.await(GatewayEvent.WebhookFailed.class).reason()).isEqualTo("status_307");
            assertThat(attempts).hasValue(1);
            assertThat(elsewhere).hasValue(0);
        } finally {
            receiver.stop(0);
        }
    }

    @Test
    @Tag("HST-36")
    void aReceiverThatNeverAnswersDelaysNoTurn() throws Exception {
        Asked client = new Asked();
        client.answers.countDown();
        try (ServerSocket receiver = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            URI uri = URI.create("http://127.0.0.1:" + receiver.getLocalPort() + "/hook");
            try (GatewayFixture host = new GatewayFixture(
                    folder, agent().webhook(Webhook.to(uri, SECRET).inPrivateNetwork()))) {
                Session session = client.connect(host, ALICE).newSession(folder);
                Turn turn = session.prompt("choose May I?");
                try (Socket report = receiver.accept()) {
                    assertThat(report.getInputStream().read()).isEqualTo('P');
                    assertThat(turn.text()).contains("allow");
                    assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.");
                }
                assertThat(host.await(GatewayEvent.WebhookFailed.class).reason())
                        .isEqualTo("no_answer");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "10.0.0.1",
                "100.64.0.1",
                "169.254.169.254",
                "192.0.0.8",
                "198.19.0.1",
                "0.1.2.3",
                "[::1]",
                "[fd00::1]",
                "[::ffff:127.0.0.1]"
            })
    @Tag("HST-36")
    void nothingIsReportedToAPrivateAddressUnlessItIsAllowed(String address) throws Exception {
        Asked client = new Asked();
        client.answers.countDown();
        try (ServerSocket receiver = new ServerSocket(0, 50, InetAddress.getByName("0.0.0.0"));
                GatewayFixture host = new GatewayFixture(
                        folder,
                        agent().webhook(Webhook.to(
                                URI.create("https://" + address + ":" + receiver.getLocalPort() + "/hook"), SECRET)))) {
            String text = client.connect(host, ALICE)
                    .newSession(folder)
                    .prompt("choose May I?")
                    .text();

            assertThat(text).contains("allow");
            assertThat(host.await(GatewayEvent.WebhookFailed.class).reason()).isEqualTo("private_address");
            receiver.setSoTimeout(1);
            assertThatThrownBy(receiver::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    @Tag("HST-36")
    void aWebhookInTheInternetNeedsTls() {
        Webhook plain = Webhook.to(URI.create("http://hooks.example/acp"), SECRET);

        assertThatThrownBy(() -> agent().webhook(plain))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https");
    }

    private static String signature(String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    }
}
