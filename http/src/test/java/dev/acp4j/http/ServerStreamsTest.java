package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.update;
import static dev.acp4j.http.HandServer.hears;
import static dev.acp4j.http.HandServer.says;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Transport;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What streams of a real server do where sessions, readers and connections end. */
class ServerStreamsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{" + "\"code\":1,\"message\":\"no\"}}"
            })
    @Tag("DUR-23")
    void theAnswerAboutASessionThatNobodyReadsComesOnTheStreamOfTheConnection(String answer) throws Exception {
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            client.initialize();
            Transport agent = server.agent();
            RawClient.Events own = client.stream();
            client.post(call(7, "session/delete", "listed"));
            hears(agent);
            says(agent, answer);

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
}
