package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonObject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PromptQueueTest {
    private static final String END = "{\"stopReason\":\"end_turn\"}";
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";

    @Test
    @Tag("RMP-13")
    void aPromptDuringATurnWaitsAndIsSentAfterItInOrder() throws Exception {
        try (Between between = new Between(PromptQueue.create(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("One."));
            JsonObject one = between.agent.expect("session/prompt");
            between.client.request(71, "session/prompt", Between.prompt("Two."));
            between.client.request(72, "session/prompt", Between.prompt("Three."));
            // Nothing else waits: the next thing that the agent gets is this.
            between.asked("session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"m\"}", "{}");

            between.agent.answer(one, END);
            between.client.expectResult(70);
            JsonObject two = between.agent.expect("session/prompt");
            assertThat(Between.params(two)).contains("Two.");
            between.agent.answer(two, END);
            between.client.expectResult(71);
            JsonObject three = between.agent.expect("session/prompt");
            assertThat(Between.params(three)).contains("Three.");
            between.agent.answer(three, END);
            between.client.expectResult(72);
        }
    }

    @Test
    @Tag("RMP-13")
    void aPromptThatWaitsCanBeCancelledAloneAndIsNeverSent() throws Exception {
        try (Between between = new Between(PromptQueue.create(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("One."));
            JsonObject one = between.agent.expect("session/prompt");
            between.client.request(71, "session/prompt", Between.prompt("Two."));
            between.client.request(72, "session/prompt", Between.prompt("Three."));
            between.asked("_next", "{\"sessionId\":\"s\"}", "{}");
            between.client.notification("$/cancel_request", "{\"requestId\":71}");
            assertThat(Between.text(between.client.expectError(71))).contains("-32800");

            between.agent.answer(one, END);
            between.client.expectResult(70);
            JsonObject three = between.agent.expect("session/prompt");
            assertThat(Between.params(three)).contains("Three.");

            between.client.request(73, "session/prompt", Between.prompt("Four."));
            between.asked("_next", "{\"sessionId\":\"s\"}", "{}");
            between.client.notification("session/cancel", "{\"sessionId\":\"s\"}");
            assertThat(Between.text(between.client.expectResult(73))).isEqualTo("{\"stopReason\":\"cancelled\"}");
            between.agent.expect("session/cancel");
            between.agent.answer(three, "{\"stopReason\":\"cancelled\"}");
            between.client.expectResult(72);
            between.prompted("Five.");
        }
    }

    @Test
    @Tag("RMP-13")
    void inVersion2ATurnEndsWithTheStateOfTheSession() throws Exception {
        try (Between between = new Between(PromptQueue.create(), 2, VERSION_2)) {
            between.opened("/");
            between.asked("session/prompt", Between.prompt("One."), "{}");
            between.client.request(71, "session/prompt", Between.prompt("Two."));
            between.asked("_next", "{\"sessionId\":\"s\"}", "{}");
            between.update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}");
            between.clientGets("session/update");
            JsonObject two = between.agent.expect("session/prompt");
            between.agent.answer(two, "{}");
            between.client.expectResult(71);
        }
    }

    @Test
    @Tag("RMP-13")
    void inVersion2SuchAPromptIsPassedOnAtOnceIfTheAgentTakesItIntoATurn() throws Exception {
        String steer = Between.prompt("Faster.").replaceFirst("\\}$", ",\"_meta\":{\"acp4j.dev/steer\":true}}");
        String takes = VERSION_2.replace("\"session\":{}", "\"session\":{\"steering\":{}}");
        try (Between between = new Between(PromptQueue.create(), 2, takes)) {
            between.opened("/");
            between.asked("session/prompt", Between.prompt("One."), "{}");
            assertThat(between.asked("session/prompt", steer, "{}")).isEqualTo(steer);
            between.client.request(71, "session/prompt", Between.prompt("Two."));
            between.asked("_next", "{\"sessionId\":\"s\"}", "{}");
            between.update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}");
            between.clientGets("session/update");
            between.agent.answer(between.agent.expect("session/prompt"), "{}");
            between.client.expectResult(71);
        }
    }

    @Test
    @Tag("RMP-13")
    void aPromptThatTheClientWantsInTheTurnIsSteeredIfTheAgentCanDoThat() throws Exception {
        String steer = Between.prompt("Faster.").replaceFirst("\\}$", ",\"_meta\":{\"acp4j.dev/steer\":true}}");
        try (Between between = new Between(PromptQueue.create(), 1, ",\"_meta\":{\"steering\":{\"supported\":true}}")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("One."));
            JsonObject one = between.agent.expect("session/prompt");
            between.client.request(71, "session/prompt", steer);
            JsonObject steered = between.agent.expect("_session/steering");
            assertThat(Between.params(steered))
                    .contains("Faster.", "\"_meta\":{\"steering\":{\"idleBehavior\":\"promptRequired\"}}");
            between.agent.answer(steered, "{\"outcome\":\"injected\"}");
            between.client.request(72, "session/prompt", steer);
            steered = between.agent.expect("_session/steering");
            between.agent.answer(steered, "{\"outcome\":\"promptRequired\"}");

            between.agent.answer(one, "{\"stopReason\":\"max_tokens\"}");
            between.client.expectResult(70);
            assertThat(Between.text(between.client.expectResult(71))).isEqualTo("{\"stopReason\":\"max_tokens\"}");
            JsonObject last = between.agent.expect("session/prompt");
            assertThat(Between.params(last)).isEqualTo(steer);
            between.agent.answer(last, END);
            between.client.expectResult(72);
        }
    }
}
