package dev.acp4j.http.gateway;

import static dev.acp4j.http.gateway.GatewayFixture.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.testkit.FakeTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Links in the reports of questions, with which one question is answered. */
@Tag("HST-35")
@Timeout(180)
class ApprovalLinkTest {
    @TempDir
    private Path folder;

    private final LinkedBlockingQueue<JsonObject> reports = new LinkedBlockingQueue<>();
    private final CountDownLatch answers = new CountDownLatch(1);
    private final FakeTime time = new FakeTime();
    private HttpServer receiver;

    @BeforeEach
    void receive() throws Exception {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            reports.add((JsonObject) RawJson.parse(body).value());
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
    }

    @AfterEach
    void stop() {
        answers.countDown();
        receiver.stop(0);
    }

    private GatewayFixture host() throws Exception {
        return host(HostedProgram.launch());
    }

    private GatewayFixture host(Launch agent) throws Exception {
        URI hook = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");
        Webhook webhook = Webhook.to(hook, "a-secret-for-webhooks-in-tests")
                .inPrivateNetwork()
                .withLink(URI.create("https://agents.example"));
        return new GatewayFixture(
                folder, Gateway.builder(agent).webhook(webhook).time(time));
    }

    private ConnectedAgent connect(GatewayFixture host) throws Exception {
        return host.connect(
                ALICE,
                client -> client.onPermission(question -> {
                    answers.await();
                    return question.rejectOnce();
                }));
    }

    /** Returns the secret of the link in the next report. */
    private String link() throws Exception {
        return link(report());
    }

    private JsonObject report() throws Exception {
        return Objects.requireNonNull(reports.poll(60, TimeUnit.SECONDS));
    }

    private static String link(JsonObject report) {
        String link = report.text("link").orElseThrow();
        assertThat(link).startsWith("https://agents.example/approvals#link=");
        return link.substring(link.indexOf('=') + 1);
    }

    private static HttpResponse<String> send(GatewayFixture host, String method, String path, String link)
            throws Exception {
        return host.send(host.request(path, link).method(method, HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void aLinkAnswersItsQuestionOnceAndOpeningItDoesNot() throws Exception {
        try (GatewayFixture host = host()) {
            Session session = connect(host).newSession(folder);
            Turn turn = session.prompt("say planted prompt\nchoose May I?");
            String link = link();
            for (String method : new String[] {"GET", "HEAD"}) {
                // What previews and browsers that fetch ahead do.
                assertThat(send(host, method, "/approvals", "").statusCode()).isIn(200, 405);
                assertThat(send(host, method, "/approvals/link/allow", link).statusCode())
                        .isEqualTo(405);
            }
            HttpResponse<String> shown = send(host, "GET", "/approvals/link", link);
            boolean isOpen = !turn.isDone();
            HttpResponse<String> first = send(host, "POST", "/approvals/link/allow", link);
            String text = turn.text();
            HttpResponse<String> second = send(host, "POST", "/approvals/link/reject", link);

            assertThat(shown.body())
                    .contains("\"title\":\"May I?\"", "allow_once", "reject_once")
                    .doesNotContain("always", "planted prompt", session.id().value());
            assertThat(isOpen).isTrue();
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(text).contains("allow_once");
            assertThat(second.statusCode()).isEqualTo(404);
            assertThat(host.await(GatewayEvent.QuestionClosed.class).by()).isEqualTo("link");
        }
    }

    @Test
    @Tag("HST-36")
    void aLinkGivesTheInputThatItsQuestionAsksForOnce() throws Exception {
        try (GatewayFixture host = host()) {
            ConnectedAgent client = host.connect(
                    ALICE,
                    builder -> builder.onElicitation(question -> {
                        answers.await();
                        return question.cancel();
                    }));
            Turn turn = client.newSession(folder).prompt("form");
            JsonObject report = report();
            String link = link(report);
            HttpResponse<String> shown = send(host, "GET", "/approvals/link", link);
            HttpResponse<String> wrong = host.post("/approvals/link/input", link, "{\"action\":\"accept\"}");
            HttpResponse<String> allowed = send(host, "POST", "/approvals/link/allow", link);
            HttpResponse<String> given =
                    host.post("/approvals/link/input", link, "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}");
            assertThat(given.body()).isEqualTo("{\"outcome\":\"accepted\"}");
            String text = turn.text();
            HttpResponse<String> again = host.post("/approvals/link/input", link, "{\"action\":\"cancel\"}");

            Turn login = client.newSession(folder).prompt("url");
            JsonObject ofAddress = report();

            assertThat(report.text("title")).hasValue("What is your name?");
            assertThat(report.text("kind")).hasValue("input");
            assertThat(report.toString()).doesNotContain("fields", "required");
            assertThat(ofAddress.text("title")).hasValue("Look at this");
            assertThat(ofAddress.text("kind")).hasValue("address");
            assertThat(ofAddress.toString()).doesNotContain("example.com");
            assertThat(login.isDone()).isFalse();
            assertThat(shown.body()).contains("What is your name?", "\"fields\"");
            assertThat(wrong.statusCode()).isEqualTo(400);
            assertThat(allowed.statusCode()).isEqualTo(400);
            assertThat(text).isEqualTo("form: [name]");
            assertThat(again.statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aRequestForInputIsNoPermissionWhateverElseItHas() throws Exception {
        try (GatewayFixture host = host(OverlappingAgent.launch())) {
            ConnectedAgent client = host.connect(
                    ALICE,
                    builder -> builder.onElicitation(question -> {
                        answers.await();
                        return question.cancel();
                    }));
            Turn unused = client.newSession(folder).prompt("form with options");
            String link = link();
            HttpResponse<String> allowed = send(host, "POST", "/approvals/link/allow", link);
            HttpResponse<String> invalid = host.post("/approvals/link/input", link, "[]");
            HttpResponse<String> given =
                    host.post("/approvals/link/input", link, "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}");

            assertThat(allowed.statusCode()).isEqualTo(400);
            assertThat(allowed.body()).contains("unknown_option");
            assertThat(invalid.body()).contains("expected {\\\"action\\\"").doesNotContain("question");
            assertThat(given.statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aLinkOpensNothingElseAndLastsAQuarterOfAnHour() throws Exception {
        try (GatewayFixture host = host()) {
            ConnectedAgent client = connect(host);
            Turn first = client.newSession(folder).prompt("choose The first?");
            String link = link();
            Turn second = client.newSession(folder).prompt("choose The second?");
            String other = link();

            assertThat(send(host, "GET", "/approvals/questions", link).statusCode())
                    .isEqualTo(401);
            assertThat(send(host, "GET", "/acp", link).statusCode()).isEqualTo(401);
            assertThat(send(host, "GET", "/approvals/link", other).body())
                    .contains("The second?")
                    .doesNotContain("The first?");
            assertThat(send(host, "GET", "/approvals/link", "invented").statusCode())
                    .isEqualTo(404);
            assertThat(send(host, "POST", "/approvals/link/reject", other).statusCode())
                    .isEqualTo(200);
            assertThat(second.text()).contains("reject_once");
            time.advance(Duration.ofMinutes(15));
            assertThat(send(host, "GET", "/approvals/link", link).statusCode()).isEqualTo(404);
            assertThat(send(host, "POST", "/approvals/link/allow", link).statusCode())
                    .isEqualTo(404);
            assertThat(first.isDone()).isFalse();
        }
    }
}
