package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.ToolKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What waits for what in a session, and what does not. */
@Timeout(60)
class WaitingInSessionsTest {
    @RegisterExtension
    final Joined joined = new Joined();

    @Test
    @Tag("DSP-15")
    void aCancellationDoesNotWaitForThePromptsThatWaitForTheirTurn() throws Exception {
        List<String> begun = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch running = new CountDownLatch(1);
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    begun.add(turn.text());
                    running.countDown();
                    new CountDownLatch(1).await();
                }),
                client());
        String session = "\"sessionId\":\"" + agent.newSession(HERE).id() + "\"";
        Connection rpc = agent.rpc();

        // Sent by hand, for our client keeps back a prompt until the one before it has ended.
        Call one = rpc.start("session/prompt", prompt(session, "one"), RawJson.CODEC, null);
        Call two = rpc.start("session/prompt", prompt(session, "two"), RawJson.CODEC, null);
        running.await();
        rpc.send("session/cancel", RawJson.parse("{" + session + "}"));

        assertThat(one.await().toString()).contains("\"cancelled\"");
        assertThat(two.await().toString()).contains("\"cancelled\"");
        assertThat(begun).containsExactly("one");
    }

    private static RawJson prompt(String session, String text) {
        return RawJson.parse("{" + session + ",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
    }

    @Test
    @Tag("DSP-16")
    void questionsDoNotWaitForAReaderOfTheTurnThatIsSlow() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        ElicitationSchema form = ElicitationSchema.builder().build();
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    turn.message("first");
                    turn.message("second");
                    turn.toolCall("x", ToolKind.EXECUTE).requestPermission();
                    turn.elicit(
                            CreateElicitationRequest.form(ElicitationScope.session(turn.sessionId()), "Which?", form));
                }),
                client().onPermission(request -> {
                            asked.countDown();
                            return request.allowOnce();
                        })
                        .onElicitation(request -> {
                            asked.countDown();
                            return CreateElicitationResponse.decline();
                        }));

        try (Turn turn = agent.newSession(HERE).prompt("go")) {
            int events = 0;
            for (SessionEvent unused : turn) {
                events++;
                assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
            }

            assertThat(events).isGreaterThan(1);
        }
    }
}
