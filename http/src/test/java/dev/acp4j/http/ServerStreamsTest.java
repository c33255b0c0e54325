package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.update;
import static dev.acp4j.http.HandServer.hears;
import static dev.acp4j.http.HandServer.says;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Transport;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
            client.post(call(7, "session/close", "s"));
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
}
