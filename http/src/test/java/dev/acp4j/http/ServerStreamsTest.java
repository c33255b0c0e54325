package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.update;
import static dev.acp4j.http.HandServer.hears;
import static dev.acp4j.http.HandServer.says;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Transport;
import dev.acp4j.tap.Poll;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What streams of a real server do where sessions, readers and connections end. */
class ServerStreamsTest {
    @ParameterizedTest
    @ValueSource(strings = {"\"result\":{}", "\"error\":{\"code\":1,\"message\":\"no\"}"})
    @Tag("DUR-23")
    void theAnswerAboutASessionThatNobodyReadsComesOnTheStreamOfTheConnection(String answer) throws Exception {
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            client.initialize();
            Transport agent = server.agent();
            RawClient.Events own = client.stream();
            client.post(call(7, "session/delete", "listed"));
            hears(agent);
            says(agent, "{\"jsonrpc\":\"2.0\",\"id\":7," + answer + "}");

            assertThat(own.data()).contains("\"id\":7");
        }
    }

    @Test
    @Tag("DUR-23")
    void aClientThatWasCutStillGetsTheEndOfASessionThatIsOver() throws Exception {
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            client.initialize();
            Transport agent = server.agent();
            RawClient.Events first = client.stream("Acp-Session-Id", "s");
            says(agent, update("s", "one"));
            String cursor = Objects.requireNonNull(first.next()).id();
            client.post(call(7, "session/delete", "s"));
            hears(agent);
            says(agent, update("s", "two"));
            says(agent, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
            assertThat(first.until("\"id\":7")).contains("\"id\":7");
            RawClient.Events again = client.stream("Acp-Session-Id", "s", "Last-Event-ID", cursor);

            assertThat(again.status()).isEqualTo(200);
            assertThat(again.until("\"two\"")).contains("two");
            assertThat(again.until("\"id\":7")).contains("\"id\":7");
            assertThat(again.until("never")).isEqualTo("end");
            // A session of that name may begin anew.
            says(agent, update("s", "three"));
            assertThat(client.stream("Acp-Session-Id", "s").data()).contains("three");
        }
    }

    @Test
    @Tag("DUR-09")
    void aReaderThatIsStillBehindWhatWasDroppedEndsBeforeTheHole() throws Exception {
        ServerLimits minute = ServerLimits.STANDARD
                .withRetention(1 << 30, 10_000, Duration.ofMinutes(1), 1 << 30)
                .withLiveness(Duration.ofHours(1), Duration.ofHours(1));
        try (HandServer server = new HandServer(Http.on(0).limits(minute));
                RawClient client = new RawClient(server.server)) {
            client.initialize();
            Transport agent = server.agent();
            RawClient.Events first = client.stream("Acp-Session-Id", "s");
            for (int i = 0; i < 200; i++) {
                says(agent, update("s", i + "x".repeat(100_000)));
            }
            String cursor = Objects.requireNonNull(first.next()).id();
            first.until("199x");
            HttpResponse<InputStream> slow = client.http.send(
                    client.request("Accept", "text/event-stream", "Acp-Session-Id", "s", "Last-Event-ID", cursor)
                            .GET()
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            server.time.advance(Duration.ofMinutes(2));
            says(agent, update("s", "behind the hole"));
            RawClient.Events rest = new RawClient.Events(slow);
            String last = cursor;
            for (RawClient.Event event = rest.next(); event != null; event = rest.next()) {
                assertThat(event.data()).doesNotContain("behind the hole");
                last = event.id().isEmpty() ? last : event.id();
            }

            RawClient.Events refused = client.stream("Acp-Session-Id", "s", "Last-Event-ID", last);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.data()).contains("cursor_expired");
        }
    }

    @Test
    @Tag("DUR-20")
    @Tag("DUR-39")
    void aClientOfTheJdkThatStoppedReadingIsCutAndGoesOnBehindWhatItRead() throws Exception {
        ServerLimits patient = ServerLimits.STANDARD.withRetention(32 << 20, 10_000, Duration.ofDays(1), 512 << 20);
        try (HandServer server = new HandServer(Http.on(0).limits(patient));
                RawClient client = new RawClient(
                        server.server.uri(),
                        HttpClient.Version.HTTP_2,
                        server.server.token().orElseThrow())) {
            client.initialize();
            Transport agent = server.agent();
            HttpResponse<InputStream> unread = client.http.send(
                    client.request("Accept", "text/event-stream", "Acp-Session-Id", "s")
                            .GET()
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            // More than the 16 MiB that this client takes without having them read.
            for (int i = 0; i < 200; i++) {
                says(agent, update("s", i + "x".repeat(100_000)));
            }
            String cursor = firstId(unread.body());
            server.events.clear();
            // Not as fast as it goes, since what is kept expires after a day.
            assertThat(Poll.until(() -> {
                        server.pass(Duration.ofSeconds(31));
                        return server.events.stream().anyMatch(ServerEvent.StreamClosed.class::isInstance);
                    }))
                    .isTrue();
            RawClient.Events rest = client.stream("Acp-Session-Id", "s", "Last-Event-ID", cursor);

            assertThat(rest.status()).isEqualTo(200);
            for (int i = 1; i < 200; i++) {
                assertThat(rest.data()).contains("\"" + i + "x");
            }
            assertThat(agent.reader().isReady()).isFalse();
        }
    }

    /** Returns the id of the first event with data, and reads little more. */
    private static String firstId(InputStream in) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8), 1024);
        String id = "";
        for (String line = lines.readLine(); !line.startsWith("data: "); line = lines.readLine()) {
            id = line.startsWith("id: ") ? line.substring(4) : id;
        }
        return id;
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    @Tag("DUR-22")
    void losingTheProcessOfTheClientForAMinuteCancelsNothing(HttpClient.Version version) throws Exception {
        try (HandServer server = new HandServer(Http.on(0))) {
            String token = server.server.token().orElseThrow();
            Transport agent;
            String id;
            String cursor;
            try (RawClient client = new RawClient(server.server.uri(), version, token)) {
                client.initialize();
                id = Objects.requireNonNull(client.headers().get("Acp-Connection-Id"));
                agent = server.agent();
                RawClient.Events own = client.stream();
                RawClient.Events session = client.stream("Acp-Session-Id", "s");
                assertThat(own.status()).isEqualTo(200);
                client.post(call(7, "session/prompt", "s"));
                assertThat(hears(agent)).contains("session/prompt");
                says(agent, update("s", "one"));
                cursor = Objects.requireNonNull(session.next()).id();
            }
            server.event(ServerEvent.StreamClosed.class);
            server.event(ServerEvent.StreamClosed.class);
            for (int i = 0; i < 60; i++) {
                server.pass(Duration.ofSeconds(1));
            }
            assertThat(agent.reader().isReady()).isFalse();
            says(agent, update("s", "two"));
            says(agent, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"stopReason\":\"end_turn\"}}");
            try (RawClient client = new RawClient(server.server.uri(), version, token)) {
                client.with("Acp-Connection-Id", id);
                RawClient.Events session = client.stream("Acp-Session-Id", "s", "Last-Event-ID", cursor);

                assertThat(session.data()).contains("\"two\"");
                assertThat(session.data()).contains("\"id\":7").contains("end_turn");
                assertThat(agent.reader().isReady()).isFalse();
            }
        }
    }

    @Test
    @Tag("HTS-43")
    @Tag("HST-39")
    void aServerThatStopsFirstWritesWhatSlowClientsHaveNotGotYet() throws Exception {
        try (HandServer server = new HandServer(Http.on(0), Duration.ofMinutes(1));
                RawClient client = new RawClient(server.server)) {
            client.initialize();
            Transport agent = server.agent();
            HttpResponse<InputStream> slow = client.http.send(
                    client.request("Accept", "text/event-stream", "Acp-Session-Id", "s")
                            .GET()
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            client.post(call(7, "session/prompt", "s"));
            hears(agent);
            Thread closing = Thread.ofVirtual().start(server.server::close);
            server.event(ServerEvent.Draining.class);
            for (int i = 0; i < 100; i++) {
                says(agent, update("s", i + "x".repeat(100_000)));
            }
            says(agent, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"stopReason\":\"end_turn\"}}");
            RawClient.Events rest = new RawClient.Events(slow);

            assertThat(rest.until("99x")).contains("99x");
            assertThat(rest.data()).contains("end_turn");
            assertThat(rest.data()).isEqualTo("end");
            agent.close();
            assertThat(closing.join(Duration.ofMinutes(1))).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("DUR-39")
    void aReaderThatTakesNothingIsDroppedAlsoWhenItIsNoLongerTheReader(boolean takesOver) throws Exception {
        // Jetty's own limit, which waits for real, is twice the first of these.
        ServerLimits patient = ServerLimits.STANDARD.withLiveness(Duration.ofHours(1), Duration.ofSeconds(30));
        try (HandServer server = new HandServer(Http.on(0).limits(patient));
                RawClient client = new RawClient(server.server)) {
            client.initialize();
            Transport agent = server.agent();
            RawClient.Events first = client.stream("Acp-Session-Id", "s");
            says(agent, update("s", "one"));
            String cursor = Objects.requireNonNull(first.next()).id();
            HttpResponse<InputStream> stuck = client.http.send(
                    client.request("Accept", "text/event-stream", "Acp-Session-Id", "s", "Last-Event-ID", cursor)
                            .GET()
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            server.event(ServerEvent.StreamClosed.class);
            for (int i = 0; i < 200; i++) {
                says(agent, update("s", i + "x".repeat(100_000)));
            }
            if (takesOver) {
                RawClient.Events next = client.stream("Acp-Session-Id", "s", "Last-Event-ID", cursor);
                assertThat(next.until("199x")).contains("199x");
            } else {
                assertThat(client.delete().statusCode()).isEqualTo(202);
            }
            server.pass(Duration.ofSeconds(31));

            assertThat(server.event(ServerEvent.StreamClosed.class)).isNotNull();
            stuck.body().close();
        }
    }

    /** Sends a text of a client over a WebSocket; its mask changes nothing. */
    private static void send(Socket socket, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] head = {(byte) 0x81, (byte) (0x80 | 126), (byte) (bytes.length >> 8), (byte) bytes.length, 0, 0, 0, 0};
        socket.getOutputStream().write(head);
        socket.getOutputStream().write(bytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("DUR-39")
    void aClientThatTakesALargeMessageSlowlyIsNotDropped(boolean isSocket) throws Exception {
        int length = 20_000_000;
        int step = 2_000_000;
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server);
                Socket slow = new Socket()) {
            client.initialize();
            Transport agent = server.agent();
            String id = client.headers().getOrDefault("Acp-Connection-Id", "");
            // Less than what is read at a time is on the way.
            slow.setReceiveBufferSize(64 * 1024);
            slow.setSoTimeout(60_000);
            slow.connect(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), server.server.uri().getPort()));
            List<String> head = new ArrayList<>(List.of(
                    "GET /acp HTTP/1.1",
                    "Host: 127.0.0.1:" + server.server.uri().getPort(),
                    "Authorization: Bearer " + server.server.token().orElseThrow(),
                    "Acp-Connection-Id: " + id));
            head.addAll(
                    isSocket
                            ? List.of(
                                    "Connection: Upgrade",
                                    "Upgrade: websocket",
                                    "Sec-WebSocket-Version: 13",
                                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
                            : List.of("Acp-Session-Id: s", "Accept: text/event-stream"));
            String request = String.join("\r\n", head) + "\r\n\r\n";
            slow.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            if (isSocket) {
                send(
                        slow,
                        "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"stream/resume\",\"params\":{\"connectionId\":\""
                                + id + "\",\"cursors\":{}}}");
            }
            StringBuilder begin = new StringBuilder();
            while (begin.indexOf(isSocket ? "received" : ": ok") < 0) {
                begin.append((char) slow.getInputStream().read());
            }
            says(agent, update("s", "x".repeat(length)));
            for (int read = 0; read < length; read += step) {
                assertThat(slow.getInputStream().readNBytes(step)).hasSize(step);
                server.time.advance(Duration.ofSeconds(20));
            }
        }
    }
}
