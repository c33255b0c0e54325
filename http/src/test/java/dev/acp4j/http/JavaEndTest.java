package dev.acp4j.http;

import static dev.acp4j.http.ScriptedClient.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.ScriptedServer.Reply;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a remote end of the Java SDK 0.80 does otherwise than ours, played by hand. */
@Timeout(60)
class JavaEndTest {
    @Test
    @Tag("HTC-08")
    void everythingOfASessionNamesItForItRefusesWhatDoesNot() throws Exception {
        try (ScriptedClient client = new ScriptedClient()) {
            client.server.replies = request -> {
                boolean isOfSession = request.message().kind().isResponse()
                        || String.valueOf(request.message().params()).contains("sessionId");
                boolean isRefused = request.method().equals("POST")
                        && isOfSession
                        && !request.header("Acp-session-id").equals("s");
                return isRefused ? Reply.status(400) : null;
            };
            client.initialize();
            client.openSession("s");
            client.write(EndpointFixture.call(1, "session/prompt", "s"));
            client.server.await("POST session/prompt");
            client.server.say("s", EndpointFixture.call(5, "fs/read_text_file", "s"));
            assertThat(client.read()).contains("fs/read_text_file");
            client.write(answer(5, "{\"content\":\"\"}"));
            client.write("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}");
            client.server.await("POST answer");
            client.server.await("POST session/cancel");
            client.server.say("s", answer(1, "{\"stopReason\":\"cancelled\"}"));

            assertThat(client.read()).isEqualTo(answer(1, "{\"stopReason\":\"cancelled\"}"));
        }
    }

    @Test
    @Tag("HTC-07")
    @Tag("HTC-09")
    void itsAnswerToAForkComesOnTheStreamOfTheSessionThatWasForked() throws Exception {
        try (ScriptedClient client = new ScriptedClient()) {
            client.initialize();
            client.openSession("s");
            client.write(EndpointFixture.call(1, "session/fork", "s"));
            client.server.await("POST session/fork");
            client.server.say("s", answer(1, "{\"sessionId\":\"t\"}"));

            assertThat(client.read()).isEqualTo(answer(1, "{\"sessionId\":\"t\"}"));
            client.server.await("GET t");
            client.server.say("t", EndpointFixture.update("t", "of the fork"));
            assertThat(client.read()).contains("of the fork");
        }
    }

    @Test
    @Tag("HTC-16")
    void anAgentThatDiesBeforeItsFirstAnswerIsAnErrorOfTheServer() throws Exception {
        String error = "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32603,\"message\":\"the agent has ended\"}}";
        try (ScriptedClient client = new ScriptedClient()) {
            client.server.replies = request -> new Reply(500, Map.of(), error);

            assertThat(client.initialize()).contains("500").contains("the agent has ended");
        }
    }
}
