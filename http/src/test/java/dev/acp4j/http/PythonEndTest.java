package dev.acp4j.http;

import static dev.acp4j.http.ScriptedClient.answer;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a remote end of the Python SDK does otherwise than ours, played by hand. */
@Timeout(60)
class PythonEndTest {
    @Test
    @Tag("HTC-07")
    @Tag("HTC-09")
    void itsAnswerToAForkComesOnTheStreamOfTheConnection() throws Exception {
        try (ScriptedClient client = new ScriptedClient()) {
            client.initialize();
            client.openSession("s");
            client.write(EndpointFixture.call(1, "session/fork", "s"));
            client.server.await("POST session/fork");
            client.server.say("", answer(1, "{\"sessionId\":\"t\"}"));

            assertThat(client.read()).isEqualTo(answer(1, "{\"sessionId\":\"t\"}"));
            client.server.await("GET t");
            client.server.say("t", EndpointFixture.update("t", "of the fork"));
            assertThat(client.read()).contains("of the fork");
        }
    }

    @Test
    @Tag("HTS-25")
    void itsClientListensToASessionOnlyWhenItsLoadIsAnsweredSoTheReplayComesOnTheStreamOfTheConnection()
            throws Exception {
        EndpointFixture server = new EndpointFixture();
        var connection = server.connect();
        FakeExchange stream = connection.stream();

        assertThat(connection.post(EndpointFixture.call(1, "session/load", "s")).status())
                .isEqualTo(202);
        assertThat(connection.hears()).contains("session/load");
        connection.says(EndpointFixture.update("s", "one"));
        connection.says(EndpointFixture.update("s", "two"));
        connection.says(answer(1, "{}"));

        assertThat(stream.stream.toString()).containsSubsequence("one", "two", "\"id\":1");
        FakeExchange session = connection.session("s");
        connection.says(EndpointFixture.update("s", "three"));
        assertThat(session.stream.toString()).contains("three");
    }
}
