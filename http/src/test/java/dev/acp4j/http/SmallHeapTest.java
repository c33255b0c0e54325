package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that read nothing, and a server that has less memory than one client could fill otherwise. */
class SmallHeapTest {
    private static final int SILENT = 12;
    private static final String TALK = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x/talk\",\"params\":{}}";

    @Test
    @Tag("LOD-06")
    @Timeout(90)
    void aServerWithSmallHeapAndTheStandardLimitsOutlivesTwelveClientsThatReadNothing() throws Exception {
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SmallServer.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<AutoCloseable> open = new ArrayList<>();
        // What reads a pipe is not interrupted; so what it reads ends.
        var unused = server.toHandle().onExit().orTimeout(80, TimeUnit.SECONDS).exceptionally(late -> {
            server.destroyForcibly();
            return server.toHandle();
        });
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            URI uri = URI.create(lines.readLine());
            String token = lines.readLine();
            for (int i = 0; i < SILENT; i++) {
                RawClient client = new RawClient(uri, HttpClient.Version.HTTP_1_1, token);
                open.add(client);
                client.initialize();
                if (i % 2 == 0) {
                    open.add(openAndReadNothing(client, token));
                }
                assertThat(client.post(TALK).statusCode()).isEqualTo(202);
            }
            String line = lines.readLine();
            while (line != null && !line.equals("slowed " + SILENT)) {
                line = lines.readLine();
            }
            assertThat(line).as("it has ended, or has not slowed them all").isNotNull();

            RawClient reading = new RawClient(uri, HttpClient.Version.HTTP_1_1, token);
            open.add(reading);
            reading.initialize();
            RawClient.Events stream = reading.stream();
            reading.post(TALK);
            for (int i = 0; i < SmallServer.MESSAGES; i++) {
                String data = stream.data();
                assertThat(data.substring(0, Math.min(data.length(), 120))).contains("\"n\":" + i + ",");
            }
            assertThat(stream.data()).contains("\"result\"");
            assertThat(server.isAlive()).isTrue();
        } finally {
            for (AutoCloseable each : open) {
                each.close();
            }
            server.destroyForcibly().waitFor();
        }
    }

    private static Socket openAndReadNothing(RawClient client, String token) throws Exception {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), client.uri.getPort()));
        socket.getOutputStream()
                .write(("GET /acp HTTP/1.1\r\nHost: " + client.uri.getAuthority()
                                + "\r\nAccept: text/event-stream\r\nAuthorization: Bearer " + token
                                + "\r\nAcp-Connection-Id: " + client.headers().get("Acp-Connection-Id") + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }
}
