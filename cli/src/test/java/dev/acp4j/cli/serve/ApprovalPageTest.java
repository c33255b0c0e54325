package dev.acp4j.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.Browser;
import dev.acp4j.http.Http;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.gateway.Gateway;
import dev.acp4j.http.gateway.Webhook;
import dev.acp4j.process.Launch;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page of questions in a real browser. */
@Timeout(240)
class ApprovalPageTest {
    private static final String HOSTILE = "Delete <img src=x onerror=alert(1)> and <script>alert(2)</script>?";

    /** Resolves when the page shows so many questions whose buttons may be pressed. */
    private static final String STEADY = "new Promise(done => { const look = () => "
            + "document.querySelectorAll('article').length === %d ? setTimeout(done, 700) : setTimeout(look, 50); look(); })";

    private static final Pattern LINK = Pattern.compile("#link=([\\w-]+)\"");

    @TempDir
    private Path folder;

    private final CountDownLatch never = new CountDownLatch(1);

    private ConnectedAgent connect(RunningServer server) throws Exception {
        String token = server.token().orElseThrow();
        return Client.builder("test", "1")
                .onPermission(question -> {
                    never.await();
                    return question.allowOnce();
                })
                .connect(Http.to(server.uri()).bearer(() -> token));
    }

    @Test
    @Tag("HST-22")
    @Tag("HST-26")
    @Tag("HST-34")
    void questionsAreAnsweredByATapAndTheirTextInjectsNothing() throws Exception {
        List<String> java = AcpRun.java(Acp.class);
        Launch agent = Launch.of(java.getFirst(), java.subList(1, java.size())).withArguments("test-agent");
        Path screens = Files.createDirectories(Path.of("target/screens"));
        try (Gateway gateway = Gateway.builder(agent).perUser().oneUser().build();
                RunningServer server = Http.on(0)
                        .drainTime(Duration.ZERO)
                        .pages(gateway.pages())
                        .start(gateway);
                ConnectedAgent client = connect(server)) {
            Session session = client.newSession(folder);
            Turn turn = session.prompt("choose " + HOSTILE);
            Turn other = client.newSession(folder).prompt("choose Run the tests with 'mvn verify'?");
            URI page = server.uri().resolve("/approvals#token=" + server.token().orElseThrow());
            try (Browser browser = Browser.open(page, folder.resolve("profile"))) {
                browser.emulate(360, 740);
                browser.eval(STEADY.formatted(2));
                browser.screenshot(screens.resolve("approvals-360.png"));
                double wide = browser.number("document.documentElement.scrollWidth");
                double low = browser.number("Math.min(...[...document.querySelectorAll('button')]"
                        + ".filter(b => b.offsetParent).map(b => b.offsetHeight))");
                String titles = browser.eval("[...document.querySelectorAll('h2')].map(h => h.textContent).join('|')");
                String address = browser.eval("location.href");
                browser.emulate(1280, 800);
                browser.screenshot(screens.resolve("approvals-1280.png"));
                // By keyboard: the third button of the question, which rejects.
                browser.eval("[...document.querySelectorAll('article')].find(a => a.textContent.includes('onerror'))"
                        + ".querySelectorAll('button')[2].click()");
                String answered = turn.text();
                browser.eval(STEADY.formatted(1));

                assertThat(answered).isEqualTo("reject_once");
                assertThat(titles).contains(HOSTILE);
                assertThat(browser.eval("document.querySelectorAll('main img, main script').length"))
                        .isEqualTo("0");
                assertThat(address).endsWith("/approvals");
                assertThat(wide).isLessThanOrEqualTo(360);
                assertThat(low).isGreaterThanOrEqualTo(44);
                assertThat(browser.complaints()).isEmpty();
                assertThat(browser.requests())
                        .allSatisfy(url -> assertThat(url)
                                .startsWith("http://127.0.0.1:" + server.uri().getPort() + "/approvals")
                                .doesNotContain("token=", "onerror"));
            }
            never.countDown();
            assertThat(other.text()).isEqualTo("allow_once");
        }
    }

    private static final String WRITE = "[...document.querySelectorAll('.field')].find(f => "
            + "f.firstChild.textContent.startsWith('%s')).querySelector('input, textarea').value = '%s'";

    private static final String SENT =
            "new Promise(done => { document.querySelector('form.input button[type=submit]').click();"
                    + " const look = () => { const line = document.querySelector('.note');"
                    + " line && line.textContent ? done(line.textContent) : setTimeout(look, 50); }; look(); })";

    @Test
    @Tag("HST-34")
    void aFormIsFilledInAtThePageAndTheServerChecksIt() throws Exception {
        List<String> java = AcpRun.java(FormAgent.class);
        Launch agent = Launch.of(java.getFirst(), java.subList(1, java.size()));
        Path screens = Files.createDirectories(Path.of("target/screens"));
        try (Gateway gateway = Gateway.builder(agent).perUser().oneUser().build();
                RunningServer server = Http.on(0)
                        .drainTime(Duration.ZERO)
                        .pages(gateway.pages())
                        .start(gateway);
                ConnectedAgent client = Client.builder("test", "1")
                        .onElicitation(question -> {
                            never.await();
                            return question.cancel();
                        })
                        .connect(Http.to(server.uri())
                                .bearer(() -> server.token().orElseThrow()))) {
            Turn turn = client.newSession(folder).prompt("form");
            URI page = server.uri().resolve("/approvals#token=" + server.token().orElseThrow());
            try (Browser browser = Browser.open(page, folder.resolve("profile"))) {
                browser.emulate(360, 1500);
                browser.eval(STEADY.formatted(1));
                browser.screenshot(screens.resolve("input-360.png"));
                double wide = browser.number("document.documentElement.scrollWidth");
                double low = browser.number("Math.min(...[...document.querySelectorAll('button, .mark, select')]"
                        + ".filter(b => b.offsetParent).map(b => b.offsetHeight))");
                String labels = browser.eval("[...document.querySelectorAll('.field > :first-child')]"
                        + ".map(h => h.textContent).join('|')");
                String title = browser.eval("document.querySelector('h2').textContent");
                String planted = browser.eval("document.querySelectorAll('article img, article b').length");
                browser.emulate(1280, 1400);
                browser.screenshot(screens.resolve("input-1280.png"));
                // The browser demands what is required: the level is missing.
                String incomplete = browser.eval("document.querySelector('form.input button[type=submit]').click();"
                        + " document.querySelector('form.input').checkValidity()");
                browser.eval("document.querySelectorAll('.mark input')[1].click()");
                browser.eval("document.querySelectorAll('.mark input[type=checkbox]')[0].click()");
                browser.eval(WRITE.formatted("Share", "0.25"));
                browser.eval(WRITE.formatted("Who", "ada@example.org"));
                // The browser does not count boxes, the server does.
                String refused = browser.eval(SENT);
                browser.eval("document.querySelectorAll('.mark input[type=checkbox]')[1].click();"
                        + " document.querySelector('form.input button[type=submit]').click()");
                String given = turn.text();
                browser.eval(STEADY.formatted(0));

                assertThat(wide).isLessThanOrEqualTo(360);
                assertThat(low).isGreaterThanOrEqualTo(44);
                assertThat(labels)
                        .isEqualTo("Version|Who is notified (optional)|Notes (optional)|Level|Modules|Retries|"
                                + "Share of users (optional)|Sign it (optional)");
                assertThat(title).isEqualTo("Release <b>the</b> library");
                assertThat(planted).isEqualTo("0");
                assertThat(incomplete).isEqualTo("false");
                assertThat(refused).contains("the field modules must have at least 1 choices");
                assertThat(given)
                        .contains("level=Text[value=minor]", "mail=Text[value=ada@example.org]")
                        .contains("modules=Choices[values=[http]]", "retries=Whole[value=2]")
                        .contains("share=Decimal[value=0.25]", "sign=Bool[value=true]", "version=Text[value=0.1.0]")
                        .doesNotContain("notes");
                // The refusal.
                assertThat(browser.complaints()).singleElement().asString().contains("400 (Bad Request)");
            }
            Turn login = client.newSession(folder).prompt("https://registry.example/login?state=7");
            try (Browser browser = Browser.open(page, folder.resolve("second"))) {
                browser.eval(STEADY.formatted(1));
                String link = browser.eval(
                        "document.querySelector('article a').href + ' '"
                                + " + document.querySelector('article a').rel + ' ' + document.querySelector('.address').textContent");
                browser.eval("document.querySelector('article button.reject').click()");

                assertThat(link)
                        .isEqualTo("https://registry.example/login?state=7 noopener noreferrer"
                                + " https://registry.example/login?state=7");
                assertThat(login.text()).isEqualTo("Decline");
            }
        } finally {
            never.countDown();
        }
    }

    /** Takes a report. Returns the secret of its link. */
    private static String secret(ServerSocket receiver) throws Exception {
        try (Socket report = receiver.accept()) {
            StringBuilder text = new StringBuilder();
            Matcher link = LINK.matcher(text);
            for (int b = report.getInputStream().read();
                    b >= 0;
                    b = report.getInputStream().read()) {
                text.append((char) b);
                if (b == '}' && link.reset().find()) {
                    report.getOutputStream()
                            .write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    return link.group(1);
                }
            }
            throw new AssertionError("no link in " + text);
        }
    }

    @Test
    @Tag("HST-35")
    void aLinkShowsOneQuestionWithTwoButtonsAndOpeningItAnswersNothing() throws Exception {
        List<String> java = AcpRun.java(Acp.class);
        Launch agent = Launch.of(java.getFirst(), java.subList(1, java.size())).withArguments("test-agent");
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Gateway gateway = Gateway.builder(agent)
                        .oneUser()
                        .webhook(Webhook.to(
                                        URI.create("http://127.0.0.1:" + receiver.getLocalPort()),
                                        "a-secret-for-webhooks-in-tests")
                                .inPrivateNetwork()
                                .withLink(URI.create("https://agents.example")))
                        .build();
                RunningServer server = Http.on(0)
                        .drainTime(Duration.ZERO)
                        .pages(gateway.pages())
                        .start(gateway);
                ConnectedAgent client = connect(server)) {
            Turn turn = client.newSession(folder).prompt("choose " + HOSTILE);
            URI page = server.uri().resolve("/approvals#link=" + secret(receiver));
            try (Browser browser = Browser.open(page, folder.resolve("profile"))) {
                browser.eval(STEADY.formatted(1));
                boolean isOpen = !turn.isDone();
                String kinds = browser.eval("[...document.querySelectorAll('article button')].length + ' '"
                        + " + document.querySelector('h2').textContent");
                String address = browser.eval("location.href + sessionStorage.length");
                browser.eval("document.querySelectorAll('article button')[1].click()");
                String answered = turn.text();

                assertThat(isOpen).isTrue();
                assertThat(kinds).isEqualTo("2 " + HOSTILE);
                assertThat(address).endsWith("/approvals0");
                assertThat(answered).isEqualTo("reject_once");
                assertThat(browser.complaints()).isEmpty();
                assertThat(browser.requests()).allSatisfy(url -> assertThat(url).doesNotContain("link="));
            }
        } finally {
            never.countDown();
        }
    }
}
