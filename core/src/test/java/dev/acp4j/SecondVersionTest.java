package dev.acp4j;

import static dev.acp4j.RawAgent.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns of version 2, in which the agent first accepts a prompt and later says that it is idle. */
@Timeout(20)
class SecondVersionTest {
    private static final String INITIALIZED = "{\"protocolVersion\":2,\"capabilities\":{\"session\":{}},"
            + "\"info\":{\"name\":\"second\",\"version\":\"2\"}}";
    private static final String HELLO = "\"messageId\":\"u1\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]";

    private final StringBuilder printed = new StringBuilder();

    private static RawAgent agent(Client.Builder client) throws Exception {
        return new RawAgent(client.protocol(Version.V1, Version.V2), INITIALIZED);
    }

    private static RawAgent agent() throws Exception {
        return agent(Client.builder("ask", "1.0"));
    }

    private static void idle(RawAgent agent) throws Exception {
        agent.update("state_update", "\"state\":\"idle\",\"stopReason\":\"end_turn\"");
    }

    /** The client of the README, which knows nothing of versions. */
    private StopReason ask(Session session) throws InterruptedException {
        try (Turn turn = session.prompt("hello")) {
            for (SessionEvent event : turn) {
                if (event instanceof SessionEvent.Message message) {
                    printed.append(message.text());
                }
            }
            return turn.result().stopReason();
        }
    }

    @Test
    void aTurnRunsThroughTheSmallestClient() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            FutureTask<StopReason> asking = started(() -> ask(session));

            Message prompt = agent.answering("session/prompt", "{\"messageId\":\"u1\"}");
            agent.update("user_message", HELLO);
            agent.update("state_update", "\"state\":\"running\"");
            agent.update("agent_message", "\"messageId\":\"a1\",\"content\":[{\"type\":\"text\",\"text\":\"It is\"}]");
            agent.update("tool_call_update", "\"toolCallId\":\"t\",\"title\":\"Add\",\"status\":\"in_progress\"");
            agent.update(
                    "tool_call_content_chunk",
                    "\"toolCallId\":\"t\",\"content\":{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"2 + 2\"}}");
            agent.update("tool_call_update", "\"toolCallId\":\"t\",\"status\":\"completed\"");
            agent.update(
                    "agent_message", "\"messageId\":\"a1\",\"content\":[{\"type\":\"text\",\"text\":\"It is 4.\"}]");
            idle(agent);

            assertThat(asking.get()).isEqualTo(StopReason.END_TURN);
            assertThat(printed).hasToString("It is 4.");
            assertThat(prompt.params())
                    .hasToString("{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"hello\"}]}");
            assertThat(agent.connected().protocolVersion()).isEqualTo(2);
            assertThat(agent.connected().info())
                    .hasValueSatisfying(info -> assertThat(info.name()).isEqualTo("second"));
            List<Entry> entries = session.view().timeline().entries();
            assertThat(entries).hasSize(4);
            assertThat(entries.get(0)).isInstanceOfSatisfying(Entry.Message.class, user -> {
                assertThat(user.author()).isEqualTo(Entry.Message.Author.USER);
                assertThat(user.text()).isEqualTo("hello");
            });
            assertThat(entries.get(1))
                    .isInstanceOfSatisfying(
                            Entry.Message.class, said -> assertThat(said.text()).isEqualTo("It is 4."));
            assertThat(entries.get(2))
                    .isInstanceOfSatisfying(
                            Entry.ToolCall.class,
                            call -> assertThat(call.content())
                                    .singleElement()
                                    .isInstanceOf(ToolCallContent.Content.class));
            assertThat(entries.get(3))
                    .isInstanceOfSatisfying(
                            Entry.TurnEnd.class,
                            end -> assertThat(end.stopReason()).isEqualTo(StopReason.END_TURN));
        }
    }

    @Test
    @Tag("SE2-05")
    void theAgentMayHaveDoneTheWorkBeforeItAnswersThePrompt() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            FutureTask<StopReason> asking = started(() -> ask(session));

            Message prompt = agent.expect("session/prompt");
            agent.update("user_message", HELLO);
            agent.update("state_update", "\"state\":\"running\"");
            agent.update("agent_message_chunk", "\"messageId\":\"a\",\"content\":{\"type\":\"text\",\"text\":\"4\"}");
            idle(agent);
            agent.answer(prompt, "{\"messageId\":\"u1\"}");

            assertThat(asking.get()).isEqualTo(StopReason.END_TURN);
            assertThat(printed).hasToString("4");
        }
    }

    @Test
    void aMessageThatComesInPiecesMayBeThePromptToo() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            Message prompt = agent.expect("session/prompt");
            agent.update(
                    "user_message_chunk", "\"messageId\":\"u1\",\"content\":{\"type\":\"text\",\"text\":\"hello\"}");
            agent.update("state_update", "\"state\":\"running\"");
            idle(agent);
            agent.update("user_message", HELLO.replace("u1", "u2"));
            agent.update("state_update", "\"state\":\"running\"");
            agent.update("state_update", "\"state\":\"idle\",\"stopReason\":\"refusal\"");

            agent.answer(prompt, "{\"messageId\":\"u1\"}");

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        }
    }

    @Test
    void aTurnThatWasAcceptedFailsWithItsConnection() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            Turn next = session.prompt("and then");
            agent.answer("session/prompt", "{\"messageId\":\"u1\"}");
            agent.settle();

            agent.hangUp();

            assertThatThrownBy(turn::result).isInstanceOf(ConnectionClosedException.class);
            assertThatThrownBy(next::result).isInstanceOf(ConnectionClosedException.class);
        }
    }

    @Test
    void aTurnOfADetachedSessionEndsAsAlways() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            agent.answer("session/prompt", "{\"messageId\":\"u1\"}");
            agent.settle();

            session.detach();
            agent.update("state_update", "\"state\":\"running\"");
            idle(agent);

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        }
    }

    @Test
    void aTurnEndsWhenItsSessionIsClosed() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            agent.answer("session/prompt", "{\"messageId\":\"u1\"}");
            agent.settle();

            FutureTask<Boolean> closing = started(() -> {
                session.close();
                return true;
            });
            agent.expect("session/cancel");
            agent.answer("session/close", "{}");

            assertThat(closing.get()).isTrue();
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
    }

    @Test
    @Tag("SE2-08")
    @Tag("SE2-09")
    void workThatTheAgentBeganByItselfEndsNoTurn() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            agent.update("state_update", "\"state\":\"running\"");
            Turn turn = session.prompt("hello");

            Message prompt = agent.expect("session/prompt");
            idle(agent);
            agent.answer(prompt, "{\"messageId\":\"u1\"}");
            // The same once more, for whoever has just come: nothing has changed.
            agent.update("state_update", "\"state\":\"idle\"");
            agent.settle();
            assertThat(turn.isDone()).isFalse();

            agent.update("user_message", HELLO);
            agent.update("state_update", "\"state\":\"running\"");
            idle(agent);
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        }
    }

    @Test
    void thatTheAgentIsIdleIsToldBeforeTheTurnEnds() throws Exception {
        List<SessionEvent> told = Collections.synchronizedList(new ArrayList<>());
        try (RawAgent agent = agent(Client.builder("ask", "1.0").onEvent((session, event) -> told.add(event)))) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            agent.answer("session/prompt", "{\"messageId\":\"u1\"}");
            agent.update("state_update", "\"state\":\"running\"");
            idle(agent);

            TurnResult unused = turn.result();

            assertThat(told)
                    .last()
                    .isInstanceOfSatisfying(
                            SessionEvent.StateChanged.class,
                            changed -> assertThat(changed.state()).isEqualTo(SessionEvent.StateChanged.State.IDLE));
        }
    }

    @Test
    @Tag("SE2-07")
    @Tag("CAN-27")
    void aPromptThatIsCancelledBeforeItIsAcceptedIsWithdrawn() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            Message prompt = agent.expect("session/prompt");

            turn.cancel();

            assertThat(agent.expect("$/cancel_request").params()).asString().contains("requestId");
            agent.refuse(prompt, -32800, "Request cancelled");
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
    }

    @Test
    @Tag("SE2-36")
    @Tag("CAN-23")
    void aTurnThatIsCancelledAfterwardsEndsWhenTheAgentIsIdle() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            agent.answer("session/prompt", "{\"messageId\":\"u1\"}");
            agent.settle();

            turn.cancel();

            assertThat(agent.expect("session/cancel").params()).hasToString("{\"sessionId\":\"s\"}");
            agent.update("state_update", "\"state\":\"idle\",\"stopReason\":\"cancelled\"");
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
    }

    @Test
    @Tag("SE2-10")
    void aTurnThatEndsWithAnErrorFails() throws Exception {
        try (RawAgent agent = agent()) {
            Session session = agent.open();
            Turn turn = session.prompt("hello");
            agent.answer("session/prompt", "{\"messageId\":\"u1\"}");
            agent.update("state_update", "\"state\":\"running\"");
            agent.update("state_update", "\"state\":\"idle\",\"error\":{\"code\":-32603,\"message\":\"no model\"}");

            assertThatThrownBy(turn::result).isInstanceOf(RpcError.class).hasMessageContaining("no model");
        }
    }

    @Test
    @Tag("CBK-04")
    void aPermissionNeedsNoToolCall() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        try (RawAgent agent = agent(Client.builder("ask", "1.0").onPermission(request -> {
            asked.add(request.title() + ", " + request.description() + ", " + request.toolCall());
            return request.allowOnce();
        }))) {
            Session unused = agent.open();

            agent.request(
                    7,
                    "session/request_permission",
                    "{\"sessionId\":\"s\",\"title\":\"Use the network?\",\"description\":\"To look it up.\",\"options\":"
                            + "[{\"optionId\":\"o\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}");

            assertThat(agent.read().result())
                    .isEqualTo(RawJson.parse("{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"o\"}}"));
            assertThat(asked).containsExactly("Use the network?, To look it up., null");
        }
    }

    @Test
    void anAgentThatOnlyEchoesTheNumberIsOfVersionOne() throws Exception {
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        String answer = "{\"protocolVersion\":2,\"agentCapabilities\":{\"loadSession\":true}}";
        try (RawAgent agent = new RawAgent(
                Client.builder("ask", "1.0")
                        .protocol(Version.V1, Version.V2)
                        .onProblem(problem -> problems.add(problem.detail())),
                answer)) {
            assertThat(agent.connected().protocolVersion()).isEqualTo(1);
            assertThat(agent.connected().supports(Feature.LOAD_SESSION)).isTrue();
            assertThat(problems).singleElement().asString().contains("the connection uses version 1");
        }
    }

    @Test
    void whatVersionTwoLacksIsRefusedHere() throws Exception {
        try (RawAgent agent = agent()) {
            assertThatThrownBy(() -> agent.connected().logout())
                    .isInstanceOfSatisfying(UnsupportedException.class, e -> {
                        assertThat(e.feature()).isEqualTo(Feature.LOGOUT);
                        assertThat(e.version()).isEqualTo(2);
                    });
        }
    }
}
