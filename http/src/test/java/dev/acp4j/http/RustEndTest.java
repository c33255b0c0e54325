package dev.acp4j.http;

import static dev.acp4j.http.ScriptedClient.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.ScriptedServer.Reply;
import dev.acp4j.tap.Poll;
import dev.acp4j.testkit.FakeTime;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a remote end of the Rust SDK does otherwise than ours, played by hand. */
@Timeout(60)
class RustEndTest {
    @Test
    @Tag("HTC-04")
    void itsErrorOfTheFirstRequestNamesNoConnection() throws Exception {
        String error = "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32022,\"message\":\"no\"}}";
        try (ScriptedClient client = new ScriptedClient()) {
            client.server.replies = request -> new Reply(200, Map.of(), error);

            assertThat(client.initialize()).isEqualTo(error);
            assertThat(client.server.requests()).containsExactly("POST initialize");
        }
    }

    @Test
    @Tag("HTC-07")
    @Tag("DUR-31")
    void itsAnswerToALoadComesOnTheStreamOfTheSessionBehindTheReplay() throws Exception {
        try (ScriptedClient client = new ScriptedClient(new FakeTime())) {
            client.initialize();
            client.write(EndpointFixture.call(1, "session/load", "s"));
            client.server.await("POST session/load");
            client.server.say("s", EndpointFixture.update("s", "one"));
            client.server.say("s", answer(1, "{}"));
            client.server.say("s", EndpointFixture.update("s", "two"));

            assertThat(client.read()).contains("one");
            assertThat(client.read()).isEqualTo(answer(1, "{}"));
            assertThat(client.read()).contains("two");
        }
    }

    @Test
    @Tag("DUR-31")
    void anAnswerToALoadThatOvertakesTheReplayOnAnotherStreamWaitsForItsEnd() throws Exception {
        FakeTime time = new FakeTime();
        try (ScriptedClient client = new ScriptedClient(time)) {
            client.initialize();
            client.write(EndpointFixture.call(1, "session/load", "s"));
            client.server.await("POST session/load");
            client.server.say("", answer(1, "{}"));
            client.server.say("", EndpointFixture.call(7, "_x/behind", ""));
            assertThat(client.read()).contains("_x/behind");
            client.server.say("s", EndpointFixture.update("s", "one"));
            client.server.say("s", EndpointFixture.update("s", "two"));

            assertThat(client.read()).contains("one");
            assertThat(client.read()).contains("two");
            FutureTask<String> last = new FutureTask<>(client::read);
            Thread.ofVirtual().start(last);
            // Nothing announces that the quiet is waited for.
            assertThat(Poll.until(() -> {
                        time.advance(Duration.ofMillis(100));
                        return last.isDone();
                    }))
                    .isTrue();
            assertThat(last.get()).isEqualTo(answer(1, "{}"));
        }
    }

    @Test
    @Tag("HTS-13")
    @Tag("HTS-17")
    void itsClientSendsNoSessionWithAnAnswerAndDiesOfAnyPostThatIsRefused() throws Exception {
        EndpointFixture server = new EndpointFixture();
        var connection = server.connect();
        connection.open("s");

        assertThat(connection
                        .post(EndpointFixture.call(1, "session/prompt", "s"))
                        .status())
                .isEqualTo(202);
        assertThat(connection.hears()).contains("session/prompt");
        connection.says(EndpointFixture.call(5, "session/request_permission", "s"));
        assertThat(connection
                        .post(answer(5, "{\"outcome\":{\"outcome\":\"cancelled\"}}"))
                        .status())
                .isEqualTo(202);
        assertThat(connection.hears()).contains("cancelled");
        // Of a session that nobody has opened, too: the agent says what is wrong.
        assertThat(connection
                        .post(EndpointFixture.call(2, "session/prompt", "unknown"))
                        .status())
                .isEqualTo(202);
        assertThat(connection.hears()).contains("unknown");
    }
}
