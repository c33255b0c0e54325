package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.acp4j.tap.Poll;
import dev.acp4j.testkit.TestAgent;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server does before it believes anybody, over real sockets. */
class ServerSecurityTest {
    private static RunningServer serve(HttpServer server) throws IOException {
        return server.drainTime(Duration.ZERO).start(TestAgent.create()::connect);
    }

    @Test
    @Tag("HST-21")
    void nothingListensBeyondThisMachineWithoutTlsAuthenticationAndNames() throws Exception {
        HttpServer open = Http.on(0).address("0.0.0.0");
        HttpServer behindProxy = open.trustedProxies(InetAddress.getByName("192.0.2.1"));

        assertThatThrownBy(() -> serve(open))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("TLS");
        assertThatThrownBy(() -> serve(behindProxy.authenticator(Authenticator.none())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("authentication");
        assertThatThrownBy(() -> serve(behindProxy))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("allowedHosts");
        try (RunningServer server = serve(behindProxy.allowedHosts("agents.example"))) {
            assertThat(server.token()).isPresent();
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> serve(Http.on(taken.getLocalPort())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
        }
    }

    /** Sends bytes as they are. Returns the status line; empty when the connection is closed without one. */
    private static String status(RunningServer server, String request) throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
            return answer.replace("HTTP/1.1 ", "");
        }
    }

    @Test
    @Tag("HTS-39")
    @Tag("HST-25")
    void aForeignHostIsRefusedInEveryForm() throws Exception {
        try (RunningServer server = serve(Http.on(0))) {
            String own = "127.0.0.1:" + server.uri().getPort();
            String rest = "\r\nAccept: text/event-stream\r\nAuthorization: Bearer "
                    + server.token().orElseThrow() + "\r\n\r\n";

            assertThat(status(server, "GET /acp HTTP/1.1\r\nHost: " + own + rest))
                    .isEqualTo("400");
            assertThat(status(server, "GET /acp HTTP/1.1\r\nHost: evil.example" + rest))
                    .isEqualTo("403");
            assertThat(status(server, "GET http://evil.example/acp HTTP/1.1\r\nHost: " + own + rest))
                    .isIn("400", "403");
            assertThat(status(server, "GET http://" + own + "/acp HTTP/1.1\r\nHost: evil.example" + rest))
                    .isIn("400", "403");
            assertThat(status(server, "GET /acp HTTP/1.1\r\nHost: " + own + "\r\nHost: evil.example" + rest))
                    .isEqualTo("400");
            assertThat(status(server, "GET /acp HTTP/1.0" + rest)).isEqualTo("403");
        }
    }

    @Test
    @Tag("HTS-38")
    @Tag("HST-24")
    @Tag("SEC-09")
    void aPageElsewhereIsRefusedBeforeItsBodyIsRead() throws Exception {
        try (RunningServer server = serve(Http.on(0))) {
            String head = "POST /acp HTTP/1.1\r\nHost: 127.0.0.1:"
                    + server.uri().getPort() + "\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n";
            for (String origin : new String[] {"https://example.org", "http://127.0.0.1:3000", "null", "file://"}) {
                // The body never comes.
                assertThat(status(server, head + "Origin: " + origin + "\r\n\r\n"))
                        .as(origin)
                        .isEqualTo("403");
            }
        }
    }

    @Test
    @Tag("HTS-03")
    void aBodyOverTheLimitIsRefusedDeclaredOrNot() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withMessageBytes(100_000));
        try (RunningServer server = serve(small);
                RawClient client = new RawClient(server)) {
            String large = "\"" + "x".repeat(200_000) + "\"";
            HttpRequest.BodyPublisher unknown = HttpRequest.BodyPublishers.ofInputStream(
                    () -> new java.io.ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8)));

            assertThat(client.post(large).statusCode()).isEqualTo(413);
            assertThat(client.http
                            .send(
                                    client.request("Content-Type", "application/json")
                                            .POST(unknown)
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(413);
            assertThat(client.initialize()).contains("result");
        }
    }

    /** Returns the beginning of a POST of JSON, up to its body. */
    private static byte[] post(RunningServer server, String... headers) {
        return ("POST /acp HTTP/1.1\r\nHost: " + server.uri().getAuthority() + "\r\nContent-Type: application/json\r\n"
                        + String.join("\r\n", headers) + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static String bearer(RunningServer server) {
        return "Authorization: Bearer " + server.token().orElseThrow();
    }

    @Test
    @Tag("HTS-03")
    void aClientThatReadsOnlyWhenItHasSentItsWholeBodyLearnsWhyItIsRefused() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withMessageBytes(100_000));
        try (RunningServer server = serve(small);
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.setSoTimeout(60_000);
            // More than the buffers between the two ends take.
            byte[] body = new byte[16 << 20];
            OutputStream out = socket.getOutputStream();
            out.write(post(server, bearer(server), "Content-Length: " + body.length));
            out.write(body);
            out.write(("GET /acp HTTP/1.1\r\nHost: " + server.uri().getAuthority() + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answers).startsWith("HTTP/1.1 413 ").contains("too_large", "HTTP/1.1 401 ");
        }
    }

    @ParameterizedTest
    @CsvSource({"false,401,unauthorized", "true,400,invalid_body"})
    @Tag("HTS-03")
    void aRequestWhoseBodyIsBrokenIsAnsweredAndItsConnectionEnds(boolean isKnown, int status, String code)
            throws Exception {
        try (RunningServer server = serve(Http.on(0));
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.setSoTimeout(60_000);
            String credential = isKnown ? bearer(server) : "X-Nobody: 1";
            socket.getOutputStream().write(post(server, credential, "Transfer-Encoding: chunked"));
            socket.getOutputStream().write("zz\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 " + status + " ").contains(code);
        }
    }

    @Test
    @Tag("HTS-03")
    void aClientThatWasAskedForItsBodyLearnsWhyItIsRefused() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withMessageBytes(100_000));
        try (RunningServer server = serve(small);
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream()
                    .write(post(
                            server,
                            bearer(server),
                            "Connection: close",
                            "Expect: 100-continue",
                            "Transfer-Encoding: chunked"));
            String asked = "HTTP/1.1 100 Continue\r\n\r\n";
            assertThat(new String(socket.getInputStream().readNBytes(asked.length()), StandardCharsets.US_ASCII))
                    .isEqualTo(asked);
            byte[] chunk = new byte[1 << 20];
            for (int i = 0; i < 16; i++) {
                socket.getOutputStream().write("100000\r\n".getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(chunk);
                socket.getOutputStream().write("\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            socket.getOutputStream().write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 413 ").contains("too_large");
        }
    }

    /** Whether the server has closed a connection, which may take a moment. */
    private static boolean hasEnded(Socket socket) throws IOException {
        socket.setSoTimeout(100);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("HTS-36")
    void aClientThatSendsItsFirstRequestByteByByteIsNotWaitedForForEver(boolean isTls, @TempDir Path folder)
            throws Exception {
        HttpServer plain = Http.on(0);
        HttpServer configured = isTls ? plain.tls(Tls.of(Certificates.make(folder, "server"), "secret")) : plain;
        // The headers never end, and neither does the first record of TLS.
        byte[] begin = isTls
                ? new byte[] {0x16, 3, 1, 0x3f, 0}
                : "GET /acp HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII);
        try (HandServer server = new HandServer(configured);
                Socket slow = new Socket(
                        InetAddress.getLoopbackAddress(), server.server.uri().getPort())) {
            slow.getOutputStream().write(begin);
            boolean ended = false;
            for (int i = 0; i < 20 && !ended; i++) {
                slow.getOutputStream().write('a');
                server.pass(Duration.ofSeconds(31));
                ended = hasEnded(slow);
            }

            assertThat(ended).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("HTS-36")
    void aClientThatSendsALaterRequestByteByByteIsNotWaitedForForEver(boolean isTls, @TempDir Path folder)
            throws Exception {
        KeyStore certificate = Certificates.make(folder, "server");
        SocketFactory sockets = isTls
                ? Certificates.trusting(certificate, "server", null).getSocketFactory()
                : SocketFactory.getDefault();
        HttpServer plain = Http.on(0);
        try (HandServer server = new HandServer(isTls ? plain.tls(Tls.of(certificate, "secret")) : plain);
                Socket slow = sockets.createSocket()) {
            slow.connect(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), server.server.uri().getPort()));
            slow.setSoTimeout(30_000);
            String request = "GET /acp HTTP/1.1\r\nHost: " + server.server.uri().getAuthority() + "\r\n";
            slow.getOutputStream().write((request + "\r\n").getBytes(StandardCharsets.US_ASCII));
            String first = answer(slow);
            // Between requests a client may be silent.
            server.pass(Duration.ofSeconds(31));
            server.pass(Duration.ofSeconds(31));
            slow.getOutputStream().write((request + "\r\n").getBytes(StandardCharsets.US_ASCII));
            String second = answer(slow);
            slow.getOutputStream().write((request + "X-Slow: ").getBytes(StandardCharsets.US_ASCII));
            boolean ended = false;
            for (int i = 0; i < 20 && !ended; i++) {
                slow.getOutputStream().write('a');
                server.pass(Duration.ofSeconds(31));
                ended = hasEnded(slow);
            }

            assertThat(first).startsWith("HTTP/1.1 401 ");
            assertThat(second).startsWith("HTTP/1.1 401 ");
            assertThat(ended).isTrue();
        }
    }

    /** Reads the headers of an answer and its body. */
    private static String answer(Socket socket) throws IOException {
        StringBuilder read = new StringBuilder();
        while (!read.toString().endsWith("\r\n\r\n")) {
            read.append((char) socket.getInputStream().read());
        }
        int length = Integer.parseInt(read.toString().replaceAll("(?is).*content-length: (\\d+).*", "$1"));
        assertThat(socket.getInputStream().readNBytes(length)).hasSize(length);
        return read.toString();
    }

    @Test
    @Tag("HTS-36")
    void anAddressHasSoManyConnectionsOnlyAndATrustedProxyAnyNumber() throws Exception {
        HttpServer few = Http.on(0).limits(ServerLimits.STANDARD.withConnectionsOfAddress(2));
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        try (RunningServer server = serve(few.onEvent(events::add));
                RunningServer behind = serve(
                        few.trustedProxies(InetAddress.getLoopbackAddress()).allowedHosts("agents.example"))) {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                sockets.add(new Socket(
                        InetAddress.getLoopbackAddress(), server.uri().getPort()));
                sockets.add(new Socket(
                        InetAddress.getLoopbackAddress(), behind.uri().getPort()));
            }
            ServerEvent refused = events.poll(60, TimeUnit.SECONDS);
            long ended = 0;
            for (int i = 0; i < 20 && ended == 0; i++) {
                for (Socket socket : sockets) {
                    ended += hasEnded(socket) ? 1 : 0;
                }
            }
            for (Socket socket : sockets) {
                socket.close();
            }

            assertThat(refused)
                    .isEqualTo(
                            new ServerEvent.Refused(0, "too_many_connections_of_address", "127.0.0.1", "", null, ""));
            assertThat(ended).isEqualTo(1);
            assertThat(Poll.until(() -> isAnswered(server))).isTrue();
        }
    }

    private static boolean isAnswered(RunningServer server) {
        try {
            return status(server, "GET /acp HTTP/1.1\r\nHost: elsewhere\r\n\r\n")
                    .equals("403");
        } catch (Exception e) {
            return false;
        }
    }

    @Test
    @Tag("HST-21")
    @Tag("HST-41")
    void whatAProxyHereSaysToHaveComeInClearTextFromElsewhereIsRefused() throws Exception {
        HttpServer trusting =
                Http.on(0).trustedProxies(InetAddress.getLoopbackAddress()).allowedHosts("agents.example");
        String request = "GET /acp HTTP/1.1\r\nHost: agents.example\r\n";
        try (RunningServer server = serve(trusting)) {
            String elsewhere = "X-Forwarded-For: 192.0.2.7\r\n";

            assertThat(status(server, request + elsewhere + "X-Forwarded-Proto: http\r\n\r\n"))
                    .isEqualTo("403");
            assertThat(status(server, request + "Forwarded: for=192.0.2.7;proto=http\r\n\r\n"))
                    .isEqualTo("403");
            assertThat(status(server, request + elsewhere + "Forwarded: for=192.0.2.7;proto=http\r\n\r\n"))
                    .isEqualTo("403");
            assertThat(status(server, request + elsewhere + "Forwarded: for=192.0.2.7;proto=https\r\n\r\n"))
                    .isEqualTo("401");
            assertThat(status(server, request + elsewhere + "X-Forwarded-Proto: https\r\n\r\n"))
                    .isEqualTo("401");
            assertThat(status(server, request + "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\n\r\n"))
                    .isEqualTo("401");
        }
    }

    @Test
    @Tag("HST-41")
    void whatProxiesSayCountsFromTrustedOnesOnly() throws Exception {
        List<String> seen = new ArrayList<>();
        Authenticator listening = credentials -> {
            seen.add(credentials.address());
            return new Authenticator.Refused("Bearer");
        };
        HttpServer plain = Http.on(0).authenticator(listening);
        HttpServer trusting =
                plain.trustedProxies(InetAddress.getLoopbackAddress()).allowedHosts("agents.example");
        try (RunningServer server = serve(plain);
                RunningServer behind = serve(trusting);
                RawClient client = new RawClient(server);
                RawClient proxied = new RawClient(behind)) {
            client.post("{}", "X-Forwarded-For", "192.0.2.7", "X-Forwarded-Host", "agents.example");
            proxied.post("{}", "X-Forwarded-For", "192.0.2.7", "X-Forwarded-Host", "agents.example");
        }

        assertThat(seen).containsExactly("127.0.0.1", "192.0.2.7");
    }

    /** Proxies append whom they see to what the client has sent. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = '|', textBlock = """
                    X-Forwarded-For | 1.2.3.4, 192.0.2.7                                | 192.0.2.7
                    X-Forwarded-For | 1.2.3.4, 192.0.2.7, 127.0.0.1                     | 192.0.2.7
                    X-Forwarded-For | 127.0.0.1                                         | 127.0.0.1
                    X-Forwarded-For | 1.2.3.4, 192.0.2.7:4711, 127.0.0.1:99             | 192.0.2.7
                    X-Forwarded-For | 1.2.3.4, 2001:db8::7                              | [2001:db8::7]
                    X-Forwarded-For | 1.2.3.4, nobody                                   | nobody
                    Forwarded       | for=1.2.3.4, for=192.0.2.7;proto=https            | 192.0.2.7
                    Forwarded       | for=1.2.3.4, For="[2001:db8::7]:80", for=127.0.0.1 | [2001:db8::7]
                    """)
    @Tag("HST-41")
    void ofAChainOfProxiesTheLastAddressThatIsNoTrustedOneIsTheClient(String header, String chain, String client)
            throws Exception {
        List<String> seen = new ArrayList<>();
        HttpServer trusting = Http.on(0)
                .authenticator(credentials -> {
                    seen.add(credentials.address());
                    return new Authenticator.Refused("Bearer");
                })
                .trustedProxies(InetAddress.getLoopbackAddress())
                .allowedHosts("agents.example");
        try (RunningServer server = serve(trusting);
                RawClient proxied = new RawClient(server)) {
            proxied.post("{}", header, chain, "X-Forwarded-Host", "agents.example");
            // The client's own, which a proxy that does not know it passes on.
            proxied.post(
                    "{}",
                    "X-Forwarded-For",
                    "192.0.2.9",
                    "Forwarded",
                    "for=1.2.3.4",
                    "X-Forwarded-Host",
                    "agents.example");
        }

        assertThat(seen).containsExactly(client, "192.0.2.9");
    }

    @Test
    @Tag("HST-19")
    void aCredentialThatCannotBeCheckedEndsItsStreamAndOthersAreStillChecked() throws Exception {
        AtomicBoolean isValid = new AtomicBoolean(true);
        Authenticator broken = credentials -> {
            String token = credentials.bearerToken().orElseThrow();
            return new Authenticator.Allowed(Principal.of(token), () -> {
                if (token.equals("broken")) {
                    throw new IllegalStateException("the directory is not reached");
                }
                return isValid.get();
            });
        };
        try (QuietLog log = new QuietLog();
                HandServer server = new HandServer(Http.on(0).authenticator(broken));
                RawClient first = new RawClient(server.server.uri(), HttpClient.Version.HTTP_1_1, "broken");
                RawClient second = new RawClient(server.server.uri(), HttpClient.Version.HTTP_1_1, "good")) {
            first.initialize();
            second.initialize();
            RawClient.Events unchecked = first.stream();
            RawClient.Events checked = second.stream();
            server.pass(Duration.ofSeconds(1));
            assertThat(unchecked.data()).isEqualTo("end");
            isValid.set(false);
            server.pass(Duration.ofSeconds(1));

            assertThat(checked.data()).isEqualTo("end");
            assertThat(log.messages).isNotEmpty().allMatch(text -> text.contains("could not be checked"));
        }
    }

    @Test
    void aListenerThatFailsStopsNothing() throws Exception {
        HttpServer failing = Http.on(0).onEvent(event -> {
            throw new IllegalStateException("no disk");
        });
        try (QuietLog log = new QuietLog();
                RunningServer server = serve(failing);
                RawClient client = new RawClient(server)) {
            client.initialize();
            RawClient.Events own = client.stream();
            client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\",\"params\":{}}");

            assertThat(own.data()).contains("\"id\":1");
            assertThat(log.messages).isNotEmpty();
        }
    }

    /** Returns an address of this machine that others reach, too. */
    private static InetAddress outside() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .findFirst()
                .orElseGet(() -> abort("this machine has no address but those of loopback"));
    }

    private static String status(Socket socket, String path, String header) throws IOException {
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: agents.example\r\n" + header + "\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).substring(9);
    }

    @Test
    @Tag("HST-21")
    @Tag("HST-41")
    void clearTextIsTakenFromThisMachineAndFromTrustedProxiesWithTlsOnly() throws Exception {
        InetAddress outside = outside();
        HttpServer open = Http.on(0)
                .address(outside instanceof Inet4Address ? "0.0.0.0" : "::")
                .probePaths("/health", "/ready")
                .allowedHosts("agents.example");
        String local = "X-Forwarded-For: 127.0.0.1\r\n";
        String secure = "X-Forwarded-Proto: https\r\n" + local;
        try (RunningServer foreign = serve(open.trustedProxies(InetAddress.getByName("192.0.2.111")));
                RunningServer trusting = serve(open.trustedProxies(outside))) {
            int port = foreign.uri().getPort();
            try (Socket first = new Socket(outside, port);
                    Socket second = new Socket(outside, port);
                    Socket third = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket live = new Socket(outside, port);
                    Socket ready = new Socket(outside, port)) {
                assertThat(status(first, "/acp", "X-Other: 1\r\n")).isEqualTo("403");
                assertThat(new String(first.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .contains("cleartext");
                assertThat(status(second, "/acp", secure)).isEqualTo("403");
                assertThat(status(third, "/acp", "X-Other: 1\r\n")).isEqualTo("401");
                assertThat(status(live, "/health", "")).isEqualTo("200");
                assertThat(status(ready, "/ready", "")).isEqualTo("200");
            }
            port = trusting.uri().getPort();
            try (Socket first = new Socket(outside, port);
                    Socket second = new Socket(outside, port)) {
                assertThat(status(first, "/acp", local)).isEqualTo("403");
                assertThat(status(second, "/acp", secure)).isEqualTo("401");
            }
        }
    }

    @Test
    @Tag("HST-21")
    void withTlsAServerIsReachedFromEverywhere(@TempDir Path folder) throws Exception {
        InetAddress outside = outside();
        KeyStore keys = Certificates.make(folder, "server");
        HttpServer secure = Http.on(0)
                .address(outside instanceof Inet4Address ? "0.0.0.0" : "::")
                .allowedHosts("agents.example")
                .tls(Tls.of(keys, "secret"))
                .tokens(BearerTokens.of("me", FakeExchange.TOKEN));
        try (RunningServer server = serve(secure);
                Socket socket = Certificates.trusting(keys, "server", null)
                        .getSocketFactory()
                        .createSocket(outside, server.uri().getPort())) {
            assertThat(status(socket, "/acp", "X-Other: 1\r\n")).isEqualTo("401");
        }
    }

    @Test
    @Tag("HTS-03")
    void theBodiesThatOnePrincipalSendsAtOnceAreBounded() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withMessageBytes(100_000));
        var answers = new LinkedBlockingQueue<String>();
        List<Socket> sockets = new ArrayList<>();
        try (RunningServer server = serve(small);
                RawClient client = new RawClient(server)) {
            client.initialize();
            String head =
                    "POST /acp HTTP/1.1\r\nHost: 127.0.0.1:" + server.uri().getPort()
                            + "\r\nContent-Type: application/json\r\nContent-Length: 100000\r\nAuthorization: Bearer "
                            + server.token().orElseThrow() + "\r\n\r\n";
            for (int i = 0; i < 5; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.uri().getPort());
                sockets.add(socket);
                socket.getOutputStream().write((head + " ".repeat(99_999)).getBytes(StandardCharsets.US_ASCII));
                Thread unused = Thread.ofVirtual().start(() -> {
                    try {
                        answers.add(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                        answers.add("closed");
                    }
                });
            }

            assertThat(answers.poll(60, TimeUnit.SECONDS)).isEqualTo("HTTP/1.1 429");
            assertThat(client.post("{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\"}").statusCode())
                    .isEqualTo(202);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    @Tag("HST-43")
    void aThousandStreamsOfOneConnectionLiveAndEndTogether() throws Exception {
        try (RunningServer server = serve(Http.on(0).limits(ServerLimits.STANDARD.withStreams(4000, 2000)));
                RawClient client = new RawClient(
                        server.uri(), HttpClient.Version.HTTP_2, server.token().orElseThrow())) {
            client.initialize();
            RawClient.Events own = client.stream("X-Padding", "x".repeat(20_000));
            List<RawClient.Events> streams = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                RawClient.Events stream = client.stream("Acp-Session-Id", "s" + i);
                assertThat(stream.status()).isEqualTo(200);
                streams.add(stream);
            }
            streams.forEach(RawClient.Events::close);
            client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\",\"params\":{}}");

            assertThat(own.status()).isEqualTo(200);
            assertThat(own.data()).contains("\"id\":1");
        }
    }

    // TLS.

    private static HttpResponse<String> initialize(RunningServer server, HttpClient client) throws Exception {
        return client.send(
                HttpRequest.newBuilder(server.uri())
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + server.token().orElse("none"))
                        .POST(HttpRequest.BodyPublishers.ofString(RawClient.INITIALIZE))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    @Tag("HST-21")
    @Tag("HTS-42")
    void overTlsTheVersionOfHttpIsAgreed(HttpClient.Version version, @TempDir Path folder) throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        Tls tls = version == HttpClient.Version.HTTP_2
                ? Tls.pem(folder.resolve("server.pem"), folder.resolve("server-key.pem"))
                : Tls.of(keys, "secret");
        try (RunningServer server = serve(Http.on(0).tls(tls));
                HttpClient client = HttpClient.newBuilder()
                        .version(version)
                        .sslContext(Certificates.trusting(keys, "server", null))
                        .build()) {
            HttpResponse<String> answer = initialize(server, client);

            assertThat(server.uri().getScheme()).isEqualTo("https");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.version()).isEqualTo(version);
        }
    }

    @Test
    @Tag("HST-20")
    void aCertificateSaysWhoAClientIs(@TempDir Path folder) throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        KeyStore alice = Certificates.make(folder, "alice");
        Tls tls = Tls.of(keys, "secret").clientCertificates(folder.resolve("alice.pem"), true);
        List<String> names = new ArrayList<>();
        HttpServer configuration = Http.on(0).tls(tls).authenticator(credentials -> {
            names.add(
                    credentials.certificates().get(0).getSubjectX500Principal().getName());
            return new Authenticator.Allowed(Principal.of("alice"));
        });
        try (RunningServer server = serve(configuration);
                HttpClient known = HttpClient.newBuilder()
                        .sslContext(Certificates.trusting(keys, "server", alice))
                        .build();
                HttpClient stranger = HttpClient.newBuilder()
                        .sslContext(Certificates.trusting(keys, "server", null))
                        .build()) {
            assertThat(initialize(server, known).statusCode()).isEqualTo(200);
            assertThat(names).containsExactly("CN=alice");
            assertThatThrownBy(() -> initialize(server, stranger)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aFileThatIsNoKeyIsNamed(@TempDir Path folder) throws Exception {
        KeyStore unused = Certificates.make(folder, "server");

        assertThatThrownBy(() -> Tls.pem(folder.resolve("server.pem"), folder.resolve("server.pem")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("server.pem")
                .hasMessageContaining("BEGIN PRIVATE KEY");
        assertThatThrownBy(() -> Tls.pem(folder.resolve("server-key.pem"), folder.resolve("server-key.pem")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("server-key.pem");
    }
}
