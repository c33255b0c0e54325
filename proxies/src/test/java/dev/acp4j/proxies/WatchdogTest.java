package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonObject;
import dev.acp4j.schema.SessionId;
import dev.acp4j.testkit.FakeTime;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WatchdogTest {
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";

    private final FakeTime time = new FakeTime();
    private final BlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private final BlockingQueue<SessionId> stuck = new LinkedBlockingQueue<>();

    private Watchdog.Builder watchdog() {
        return Watchdog.builder().time(time).onNotice(notices::add).onStuck(stuck::add);
    }

    private static String chunk(String text) {
        return "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}}";
    }

    private static String tool(String status) {
        return "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"t\",\"status\":\"" + status + "\"}";
    }

    /** Time passes once somebody waits for it. */
    private void pass(long seconds) throws InterruptedException {
        time.awaitWaiters(1);
        time.advance(Duration.ofSeconds(seconds));
    }

    @Test
    @Tag("RMP-12")
    void silenceIsSaidAndCancelsNothing() throws Exception {
        try (Between between = new Between(
                watchdog()
                        .silence(Duration.ofSeconds(10))
                        .firstSign(Duration.ofSeconds(5))
                        .build(),
                1,
                "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            JsonObject prompt = between.agent.expect("session/prompt");
            pass(6);
            assertThat(notices.take())
                    .isEqualTo("The agent has said nothing since the prompt for 5 s in the session s.");

            between.update(chunk("Well"));
            between.clientGets("session/update");
            pass(6);
            between.update(chunk("..."));
            between.clientGets("session/update");
            // Ten seconds after the first word, and four after the second.
            pass(4);
            pass(6);
            assertThat(notices.take()).isEqualTo("The agent has said nothing in a turn for 10 s in the session s.");
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
            between.agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            between.client.expectResult(70);
        }
        assertThat(notices).isEmpty();
        assertThatThrownBy(() -> Watchdog.builder().turn(Duration.ZERO)).hasMessageContaining("above zero");
    }

    @Test
    @Tag("RMP-12")
    void aSilentTurnIsCancelledOnlyWhenNoToolQuestionOrTerminalIsOpen() throws Exception {
        try (Between between = new Between(
                watchdog().silence(Duration.ofSeconds(10)).cancelSilent().build(), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            JsonObject prompt = between.agent.expect("session/prompt");
            between.update(tool("in_progress"));
            between.clientGets("session/update");
            pass(11);
            time.awaitWaiters(1);
            between.agent.request(71, "terminal/create", "{\"sessionId\":\"s\",\"command\":\"sleep\"}");
            between.client.answer(between.client.expect("terminal/create"), "{\"terminalId\":\"t\"}");
            between.agent.expectResult(71);
            between.update(tool("completed"));
            between.clientGets("session/update");
            pass(11);
            time.awaitWaiters(1);
            between.agent.request(72, "session/request_permission", "{\"sessionId\":\"s\",\"options\":[]}");
            JsonObject question = between.client.expect("session/request_permission");
            between.answeredByClient("terminal/release", "{\"sessionId\":\"s\",\"terminalId\":\"t\"}", "{}");
            pass(11);
            time.awaitWaiters(1);
            between.client.answer(question, "{\"outcome\":{\"outcome\":\"cancelled\"}}");
            between.agent.expectResult(72);
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
            assertThat(notices).isEmpty();

            pass(11);
            assertThat(Between.params(between.agent.expect("session/cancel"))).isEqualTo("{\"sessionId\":\"s\"}");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo("{\"stopReason\":\"cancelled\"}");
        }
        assertThat(notices)
                .containsExactly(
                        "The agent has said nothing in a turn for 10 s in the session s, so the turn is cancelled.");
        assertThat(stuck).isEmpty();
    }

    @Test
    @Tag("RMP-12")
    void aTurnThatDoesNotEndAfterItsCancellationIsAnsweredAndHandedOn() throws Exception {
        try (Between between = new Between(
                watchdog()
                        .turn(Duration.ofMinutes(2))
                        .settle(Duration.ofSeconds(5))
                        .build(),
                1,
                "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            JsonObject prompt = between.agent.expect("session/prompt");
            pass(121);
            between.agent.expect("session/cancel");
            assertThat(notices.take()).contains("has taken more than 2 min, so it is cancelled");
            pass(6);
            assertThat(Between.text(between.client.expectError(70)))
                    .contains("has not ended its turn within 5 s", "\"cause\":\"late\"");
            assertThat(stuck.take()).isEqualTo(SessionId.of("s"));
            assertThat(notices.take()).contains("it hangs. The prompt was answered with an error.");

            // An answer that comes still is dropped, and the session goes on.
            between.agent.expect("$/cancel_request");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            between.prompted("Again.");
        }
    }

    @Test
    @Tag("RMP-12")
    void aCancellationOfTheClientHasToSettleTooAndInVersion2ATurnEndsWithItsState() throws Exception {
        try (Between between =
                new Between(watchdog().settle(Duration.ofSeconds(5)).build(), 2, VERSION_2)) {
            between.opened("/");
            between.asked("session/prompt", Between.prompt("Hello."), "{}");
            between.client.notification("session/cancel", "{\"sessionId\":\"s\"}");
            between.agent.expect("session/cancel");
            between.update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"cancelled\"}");
            between.clientGets("session/update");
            time.advance(Duration.ofSeconds(6));

            between.asked("session/prompt", Between.prompt("Hello."), "{}");
            between.client.notification("session/cancel", "{\"sessionId\":\"s\"}");
            between.agent.expect("session/cancel");
            pass(6);
            assertThat(stuck.take()).isEqualTo(SessionId.of("s"));
        }
        assertThat(notices)
                .containsExactly("The agent has not ended a turn of the session s within 5 s after it was cancelled:"
                        + " it hangs.");
    }

    @Test
    @Tag("RMP-12")
    void aSessionThatIsNotOpenedInTimeIsAnsweredWithAnError() throws Exception {
        try (Between between =
                new Between(watchdog().setup(Duration.ofSeconds(5)).build(), 1, "")) {
            between.client.request(70, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            between.agent.expect("session/new");
            pass(6);
            assertThat(Between.text(between.client.expectError(70)))
                    .contains("session/new was not answered within 5 s");
            between.agent.expect("$/cancel_request");
            between.opened("/");
        }
    }

    @Test
    @Tag("RMP-12")
    void aSessionThatIsNotLoadedInTimeIsNoSignOfAnAgentThatHangs() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        try (Between between = new Between(
                watchdog()
                        .setup(Duration.ofSeconds(5))
                        .settle(Duration.ofSeconds(5))
                        .onStuck(session -> events.add("stuck " + session))
                        .build(),
                1,
                "")) {
            between.opened("/");
            between.client.request(70, "session/load", "{\"sessionId\":\"old\",\"cwd\":\"/\",\"mcpServers\":[]}");
            between.agent.expect("session/load");
            pass(6);
            assertThat(Between.text(between.client.expectError(70)))
                    .contains("session/load was not answered within 5 s");
            between.agent.expect("$/cancel_request");

            between.client.request(71, "session/prompt", Between.prompt("Hello."));
            between.agent.expect("session/prompt");
            between.client.notification("session/cancel", "{\"sessionId\":\"s\"}");
            between.agent.expect("session/cancel");
            pass(6);
            between.client.expectError(71);
            assertThat(events.take()).isEqualTo("stuck s");
        }
    }
}
