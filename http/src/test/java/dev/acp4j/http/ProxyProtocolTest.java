package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.testkit.TestAgent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy that passes bytes on, and says with the first of them who the client is. */
@Tag("HST-41")
class ProxyProtocolTest {
    private static final byte[] VERSION_1 =
            "PROXY TCP4 192.0.2.7 198.51.100.1 1234 443\r\n".getBytes(StandardCharsets.US_ASCII);

    private final List<String> seen = new CopyOnWriteArrayList<>();

    private HttpServer server(InetAddress proxy) {
        Authenticator listening = credentials -> {
            seen.add(credentials.address());
            return new Authenticator.Refused("Bearer");
        };
        return Http.on(0)
                .authenticator(listening)
                .allowedHosts("agents.example")
                .trustedProxies(proxy)
                .proxyProtocol(true)
                .drainTime(Duration.ZERO);
    }

    private static RunningServer start(HttpServer server) throws IOException {
        return server.start(TestAgent.create()::connect);
    }

    /** The same as {@link #VERSION_1} in version 2. */
    private static byte[] version2() throws IOException {
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        header.write(new byte[] {0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a});
        header.write(new byte[] {0x21, 0x11, 0, 12});
        header.write(InetAddress.getByName("192.0.2.7").getAddress());
        header.write(InetAddress.getByName("198.51.100.1").getAddress());
        header.write(new byte[] {0x04, (byte) 0xd2, 0x01, (byte) 0xbb});
        return header.toByteArray();
    }

    private static Socket connect(RunningServer server, byte[] header) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort());
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write(header);
        return socket;
    }

    /** Returns the status; empty when the connection is closed without one. */
    private static String status(Socket socket, String... headers) throws IOException {
        String request = "GET /acp HTTP/1.1\r\nHost: agents.example\r\nAccept: text/event-stream\r\n"
                + String.join("", headers) + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        return answer.replace("HTTP/1.1 ", "");
    }

    @Test
    void aTrustedProxySaysWhoTheClientIsInBothVersions(@TempDir Path folder) throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        try (RunningServer plain = start(server(InetAddress.getLoopbackAddress()));
                RunningServer secure =
                        start(server(InetAddress.getLoopbackAddress()).tls(Tls.of(keys, "secret")));
                Socket first = connect(plain, VERSION_1);
                Socket second = connect(plain, version2());
                Socket under = connect(secure, VERSION_1);
                SSLSocket third = (SSLSocket) Certificates.trusting(keys, "server", null)
                        .getSocketFactory()
                        .createSocket(under, "localhost", secure.uri().getPort(), true)) {
            assertThat(status(first)).isEqualTo("401");
            assertThat(status(second)).isEqualTo("401");
            assertThat(status(third)).isEqualTo("401");
        }
        assertThat(seen).containsExactly("192.0.2.7", "192.0.2.7", "192.0.2.7");
    }

    @Test
    void withoutItsHeaderATrustedProxyIsNotServed() throws Exception {
        try (RunningServer server = start(server(InetAddress.getLoopbackAddress()));
                Socket socket = connect(server, new byte[0])) {
            assertThat(status(socket)).isEmpty();
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void fromOthersTheHeaderIsNoRequestAndPlainOnesAreServed() throws Exception {
        try (RunningServer server = start(server(InetAddress.getByName("192.0.2.1")));
                Socket header = connect(server, VERSION_1);
                Socket plain = connect(server, new byte[0])) {
            assertThat(status(header)).isEqualTo("400");
            assertThat(status(plain)).isEqualTo("401");
        }
        assertThat(seen).containsExactly("127.0.0.1");
    }

    /** What the proxy says of the client makes nobody local or remote. */
    @Test
    void loopbackIsNeverWhatAHeaderSays() throws Exception {
        byte[] local = "PROXY TCP4 127.0.0.1 127.0.0.1 1234 443\r\n".getBytes(StandardCharsets.US_ASCII);
        try (RunningServer server = start(server(InetAddress.getLoopbackAddress()));
                Socket socket = connect(server, VERSION_1);
                Socket forwarded = connect(server, local)) {
            // Clear text is taken because the proxy is on this machine, wherever its client is.
            assertThat(status(socket)).isEqualTo("401");
            assertThat(status(forwarded, "X-Forwarded-For: 192.0.2.9\r\n")).isEqualTo("401");
        }
        assertThat(seen).containsExactly("192.0.2.7", "192.0.2.9");
    }
}
