package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.schema.SessionId;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only a session that is open, or is being opened, may put a question to the user. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class QuestionsOfUnknownSessionsTest {
    private static final String PERMISSION = "session/request_permission";
    private static final String ELICITATION = "elicitation/create";

    /** More than the sessions that an agent may talk about before they are open. */
    private static final int MANY = 1_500;

    @RegisterExtension
    final PlayedAgent played = new PlayedAgent();

    private final AtomicInteger asked = new AtomicInteger();

    private Client.Builder user() {
        Client.ElicitationHandler form = question -> {
            asked.incrementAndGet();
            return question.cancel();
        };
        return Client.builder("client", "1").onElicitation(form).onPermission(question -> {
            asked.incrementAndGet();
            return question.allowOnce();
        });
    }

    private void ask(long id, String method, String session) throws Exception {
        String question = method.equals(PERMISSION)
                ? "\"toolCall\":{\"toolCallId\":\"c\"},"
                        + "\"options\":[{\"optionId\":\"yes\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]"
                : "\"mode\":\"form\",\"message\":\"Which?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}";
        played.peer.request(id, method, "{\"sessionId\":\"" + session + "\"," + question + "}");
    }

    private void assertRefused(long id, String session) throws Exception {
        JsonObject error = played.peer.expectError(id);
        assertThat(error.get("code").map(JsonValue::toString)).hasValue("-32002");
        assertThat(error.get("message").map(JsonValue::toString)).hasValue("\"Session not found: " + session + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {PERMISSION, ELICITATION})
    void questionOfASessionThatNobodyOpenedIsRefused(String method) throws Exception {
        played.connect(user(), "{}");
        played.open("");

        for (int i = 0; i < MANY; i++) {
            ask(i, method, "unknown" + i);
            assertRefused(i, "unknown" + i);
        }

        assertThat(asked).hasValue(0);
        ask(MANY, method, "s");
        played.peer.expectResult(MANY);
        assertThat(asked).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {PERMISSION, ELICITATION})
    void questionOfASessionThatWasDetachedIsRefused(String method) throws Exception {
        played.connect(user(), "{}");
        played.open("").detach();

        ask(1, method, "s");

        assertRefused(1, "s");
        assertThat(asked).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {PERMISSION, ELICITATION})
    void questionIsAskedWhileItsSessionIsBeingOpenedAndRightAfterwards(String method) throws Exception {
        CountDownLatch handled = new CountDownLatch(1);
        played.connect(user().onNotification("_slow", (agent, params) -> handled.await()), "{}");
        FutureTask<Session> opening =
                PlayedAgent.start(() -> played.agent().newSession(SessionSetup.in(PlayedAgent.HERE)));
        JsonObject request = played.peer.expect("session/new");

        ask(1, method, "s");
        played.peer.expectResult(1);
        // The answer waits behind this notification, and what follows it in its own session does not.
        played.peer.notification("_slow", "{}");
        played.peer.answer(request, "{\"sessionId\":\"s\"}");
        ask(2, method, "s");
        played.peer.expectResult(2);
        handled.countDown();

        assertThat(opening.get().id()).isEqualTo(SessionId.of("s"));
        assertThat(asked).hasValue(2);
        ask(3, method, "t");
        assertRefused(3, "t");
    }

    @Test
    void questionIsAskedWhileItsSessionIsBeingLoaded() throws Exception {
        played.connect(user(), "{\"loadSession\":true}");
        FutureTask<Session> loading = PlayedAgent.start(
                () -> played.agent().loadSession(SessionId.of("s"), SessionSetup.in(PlayedAgent.HERE)));
        JsonObject request = played.peer.expect("session/load");

        ask(1, PERMISSION, "s");
        played.peer.expectResult(1);
        ask(2, PERMISSION, "t");
        assertRefused(2, "t");
        played.peer.answer(request, "{}");

        assertThat(loading.get().id()).isEqualTo(SessionId.of("s"));
        assertThat(asked).hasValue(1);
    }
}
