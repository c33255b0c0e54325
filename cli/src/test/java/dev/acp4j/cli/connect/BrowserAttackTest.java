package dev.acp4j.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.cli.Browser;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.Http;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.ServerEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pages in a real browser attack a server of this machine that asks for no credential. */
@Timeout(120)
class BrowserAttackTest {
    /** Tries everything that a page can send, and returns what became of it, one attempt a line. */
    private static final String ATTACK = """
            (async () => {
              const url = 'URL';
              const initialize = JSON.stringify(
                {jsonrpc: '2.0', id: 0, method: 'initialize', params: {protocolVersion: 1}});
              const outcomes = [];
              const attempt = async (name, action) => {
                try {
                  outcomes.push(name + ': ' + await action());
                } catch (e) {
                  outcomes.push(name + ': ' + e.name);
                }
              };
              const send = async more => (await fetch(url, more)).status;
              await attempt('simple', () => send({method: 'POST', mode: 'no-cors', body: initialize}));
              await attempt('json', () => send(
                {method: 'POST', headers: {'Content-Type': 'application/json'}, body: initialize}));
              await attempt('stream', () => send({headers: {Accept: 'text/event-stream'}}));
              await attempt('delete', () => send({method: 'DELETE', headers: {'Acp-Connection-Id': 'x'}}));
              await attempt('events', () => new Promise(done => {
                const source = new EventSource(url);
                source.onopen = () => done('open');
                source.onerror = () => done('refused');
              }));
              await attempt('socket', () => new Promise(done => {
                const socket = new WebSocket(url.replace('http', 'ws'));
                socket.onopen = () => {
                  socket.send(initialize);
                  socket.onmessage = () => done('open');
                };
                socket.onerror = () => done('refused');
              }));
              await attempt('form', () => new Promise(done => {
                const frame = document.createElement('iframe');
                frame.name = 'target';
                document.body.append(frame);
                const form = document.createElement('form');
                Object.assign(form, {method: 'POST', action: url, enctype: 'text/plain', target: 'target'});
                document.body.append(form);
                frame.onload = () => done('sent');
                form.submit();
              }));
              return outcomes.join('\\n');
            })()
            """;

    @TempDir
    private Path profile;

    /** Opens a WebSocket without a ticket, with one, and once more with the same. */
    private static final String TICKET = """
            (async () => {
              const url = 'URL';
              const open = protocols => new Promise(done => {
                const socket = new WebSocket(url.replace('http', 'ws'), protocols);
                socket.onopen = () => {
                  socket.send(JSON.stringify(
                    {jsonrpc: '2.0', id: 0, method: 'initialize', params: {protocolVersion: 1}}));
                  socket.onmessage = message =>
                    done(socket.protocol + '; ' + JSON.parse(message.data).result.protocolVersion);
                };
                socket.onerror = () => done('refused');
              });
              const without = await open(['acp']);
              const answer = await fetch(url + '/ticket',
                {method: 'POST', headers: {Authorization: 'Bearer TOKEN'}, credentials: 'omit'});
              const {protocols} = await answer.json();
              return [without, await open(protocols), await open(protocols)].join('; ');
            })()""";

    private final List<ServerEvent> events = new CopyOnWriteArrayList<>();
    private final ServerSocket pages = new ServerSocket();

    BrowserAttackTest() throws IOException {
        pages.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @BeforeEach
    void servePages() {
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    serve(pages.accept());
                }
            } catch (IOException e) {
                // The test is over.
                assertThat(pages.isClosed()).isTrue();
            }
        });
    }

    /** Answers every request with an empty page. */
    private static void serve(Socket browser) throws IOException {
        String page = "<!doctype html><title>page</title><body>";
        try (browser) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(browser.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                // The headers do not matter.
            }
            browser.getOutputStream()
                    .write(("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: "
                                    + page.length() + "\r\n\r\n" + page)
                            .getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    @AfterEach
    void stop() throws IOException {
        pages.close();
    }

    private RunningServer serve(String... origins) throws IOException {
        Agent agent = Agent.builder("owned", "1.0").onPrompt(turn -> {}).build();
        return Http.on(0)
                .authenticator(Authenticator.none())
                .allowedOrigins(origins)
                .drainTime(Duration.ZERO)
                .onEvent(events::add)
                .start(agent::connect);
    }

    /** Opens a page under a foreign name that leads to this machine, and has it attack. */
    private List<String> attack(URI page, URI target) throws IOException {
        try (Browser browser = Browser.open(page, profile, "--host-resolver-rules=MAP evil.example 127.0.0.1")) {
            return browser.eval(ATTACK.replace("URL", target.toString()))
                    .lines()
                    .toList();
        }
    }

    private URI page() {
        return URI.create("http://evil.example:" + pages.getLocalPort() + "/");
    }

    private List<String> reasons() {
        return events.stream()
                .filter(ServerEvent.Refused.class::isInstance)
                .map(event -> ((ServerEvent.Refused) event).reason())
                .distinct()
                .toList();
    }

    private void assertNobodyCameIn() {
        assertThat(events).noneMatch(ServerEvent.ConnectionOpened.class::isInstance);
        assertThat(events).noneMatch(ServerEvent.StreamOpened.class::isInstance);
    }

    @Test
    @Tag("HST-24")
    void aPageOfAnotherSiteReachesNothing() throws Exception {
        List<String> outcomes;
        try (RunningServer server = serve()) {
            outcomes = attack(page(), server.uri());
        }

        assertThat(outcomes)
                .containsExactly(
                        "simple: 0",
                        "json: TypeError",
                        "stream: TypeError",
                        "delete: TypeError",
                        "events: refused",
                        "socket: refused",
                        "form: sent");
        assertThat(reasons()).containsExactly("origin_not_allowed");
        assertNobodyCameIn();
    }

    @Test
    @Tag("HST-24")
    void aPageOfAnotherPortOfThisMachineReachesNothing() throws Exception {
        List<String> outcomes;
        try (RunningServer server = serve()) {
            URI page = URI.create("http://127.0.0.1:" + pages.getLocalPort() + "/");
            outcomes = attack(page, server.uri());
        }

        assertThat(outcomes).contains("json: TypeError", "events: refused", "socket: refused");
        assertThat(reasons()).containsExactly("origin_not_allowed");
        assertNobodyCameIn();
    }

    @Test
    @Tag("HST-25")
    void aNameThatWasRebountToThisMachineReachesNothing() throws Exception {
        List<String> outcomes;
        try (RunningServer server = serve()) {
            // What the page would be after the name has changed its address: of the same origin as the server.
            URI rebound = URI.create("http://evil.example:" + server.uri().getPort() + "/acp");
            outcomes = attack(rebound, rebound);
        }

        assertThat(outcomes)
                .containsExactly(
                        "simple: 403",
                        "json: 403",
                        "stream: 403",
                        "delete: 403",
                        "events: refused",
                        "socket: refused",
                        "form: sent");
        assertThat(reasons()).containsExactly("host_not_allowed");
        assertNobodyCameIn();
    }

    /** A page cannot send a header with its WebSocket, and so gets a ticket for it first. */
    @Test
    @Tag("HST-23")
    void aPageOpensItsWebSocketWithATicket() throws Exception {
        Agent agent = Agent.builder("owned", "1.0").onPrompt(turn -> {}).build();
        String outcome;
        try (RunningServer server = Http.on(0)
                        .allowedOrigins(page().toString().replaceFirst("/$", ""))
                        .drainTime(Duration.ZERO)
                        .onEvent(events::add)
                        .start(agent::connect);
                Browser browser = Browser.open(page(), profile, "--host-resolver-rules=MAP evil.example 127.0.0.1")) {
            outcome = browser.eval(TICKET.replace("URL", server.uri().toString())
                    .replace("TOKEN", server.token().orElseThrow()));
        }

        assertThat(outcome).isEqualTo("refused; acp; 1; refused");
    }

    /** The attempts are good ones: from an origin that is allowed they succeed. */
    @Test
    void aPageOfAnAllowedOriginIsServed() throws Exception {
        List<String> outcomes;
        try (RunningServer server = serve(page().toString().replaceFirst("/$", ""))) {
            outcomes = attack(page(), server.uri());
        }

        assertThat(outcomes).contains("json: 200", "socket: open");
        assertThat(events).anyMatch(ServerEvent.ConnectionOpened.class::isInstance);
    }
}
