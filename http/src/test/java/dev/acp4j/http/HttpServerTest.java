package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.testkit.TestAgent;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real agent behind a real server, and clients that write each request themselves. */
class HttpServerTest {
    private static final String NEW_SESSION =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}";

    private static String prompt(int id, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id
                + ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"test-1\","
                + "\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}}";
    }

    private static RunningServer serve(HttpServer server, Agent agent) throws Exception {
        return server.drainTime(Duration.ZERO).start(agent::connect);
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    @Tag("HTS-05")
    @Tag("HTS-12")
    @Tag("HTS-24")
    @Tag("HTS-42")
    void aTurnWithAQuestionRunsOverEventsOnBothVersionsOfHttp(HttpClient.Version version) throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client =
                        new RawClient(server.uri(), version, server.token().orElseThrow())) {
            String initialized = client.initialize();
            RawClient.Events own = client.stream();
            assertThat(client.post(NEW_SESSION).statusCode()).isEqualTo(202);
            assertThat(own.data()).contains("\"id\":1").contains("test-1");
            RawClient.Events session = client.stream("Acp-Session-Id", "test-1");
            assertThat(client.post(prompt(2, "say hello\\nask May I?"), "Acp-Session-Id", "test-1")
                            .statusCode())
                    .isEqualTo(202);
            assertThat(session.until("agent_message_chunk")).contains("hello");
            String question = session.until("session/request_permission");
            String id = question.replaceAll(".*\"id\":([^,]*),.*", "$1");
            String option = question.replaceAll(".*\"optionId\":\"([^\"]*)\".*", "$1");
            var answered = client.post("{\"jsonrpc\":\"2.0\",\"id\":" + id
                    + ",\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}}");
            String ended = session.until("\"stopReason\"");

            assertThat(initialized).contains("\"protocolVersion\":1");
            assertThat(answered.statusCode()).isEqualTo(202);
            assertThat(answered.body()).isEmpty();
            assertThat(ended).contains("\"id\":2").contains("end_turn");
            assertThat(client.delete().statusCode()).isEqualTo(202);
            assertThat(session.until("never")).isEqualTo("end");
            assertThat(own.until("never")).isEqualTo("end");
        }
    }

    @Test
    @Tag("HTS-05")
    void curlGetsAnAnswer() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create())) {
            Process curl = new ProcessBuilder(
                            "curl",
                            "-sS",
                            "-i",
                            "-H",
                            "Authorization: Bearer " + server.token().orElseThrow(),
                            "-H",
                            "Content-Type: application/json",
                            "-d",
                            RawClient.INITIALIZE,
                            server.uri().toString())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(curl.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(output)
                    .startsWith("HTTP/1.1 200")
                    .containsIgnoringCase("acp-connection-id: ")
                    .contains("\"result\"");
        }
    }
}
