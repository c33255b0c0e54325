package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Meta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Extension data and members that the library does not know, on their way from the wire to a client. */
@Timeout(60)
class WhatCameTest {
    private static final String INNER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String OUTER = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    @RegisterExtension
    final Joined joined = new Joined();

    /** An update with extension data and a member that nobody knows, in a notification that has both, too. */
    private static void send(AgentTurn turn, String kind, String members) throws InterruptedException {
        turn.session().client().send("session/update", RawJson.parse("""
                {"sessionId":"%s","update":{"sessionUpdate":"%s",%s,"_meta":{"traceparent":"%s"},"x-new":[1]},
                 "_meta":{"traceparent":"%s"},"x-outer":2}""".formatted(
                        turn.sessionId(), kind, members, INNER, OUTER)));
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = '|', textBlock = """
            agent_message_chunk | "content":{"type":"text","text":"a"} | Message
            agent_thought_chunk | "content":{"type":"text","text":"a"} | Thought
            user_message_chunk | "content":{"type":"text","text":"a"} | UserMessage
            tool_call | "toolCallId":"t","title":"Read" | ToolCallChanged
            tool_call_update | "toolCallId":"t","status":"completed" | ToolCallChanged
            plan | "entries":[{"content":"a","priority":"high","status":"pending"}] | PlanChanged
            notice | "severity":"info","title":"Note" | Noticed
            compaction_update | "compactionId":"c","status":"in_progress" | CompactionChanged
            compaction_summary_chunk | "compactionId":"c","content":{"type":"text","text":"a"} | CompactionChanged
            usage_update | "used":1,"size":2 | UsageChanged
            available_commands_update | "availableCommands":[] | CommandsChanged
            current_mode_update | "currentModeId":"ask" | ConfigChanged
            config_option_update | "configOptions":[] | ConfigChanged
            session_info_update | "title":"A title" | InfoChanged
            something_new | "a":1 | Other
            """)
    void anEventHasTheExtensionDataOfItsUpdateAndTheMessage(String kind, String members, String event)
            throws Exception {
        List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> send(turn, kind, members)), client().onEvent((session, one) -> events.add(one)));

        agent.newSession(HERE).prompt("go").result();

        assertThat(events).singleElement().satisfies(one -> {
            assertThat(one.getClass().getSimpleName()).isEqualTo(event);
            assertThat(one.meta().get(Meta.TRACEPARENT)).hasValue(INNER);
            assertThat(one.origin().messageMeta().get(Meta.TRACEPARENT)).hasValue(OUTER);
            Message raw = one.raw().orElseThrow();
            assertThat(raw.method()).isEqualTo("session/update");
            assertThat(raw.toString()).contains("\"x-new\":[1]", "\"x-outer\":2");
        });
    }

    @Test
    void aQuestionThatTellsMoreOfAToolCallHasItsMessage() throws Exception {
        List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.session().client().call("session/request_permission", RawJson.parse("""
                        {"sessionId":"%s","toolCall":{"toolCallId":"t","title":"Run","_meta":{"traceparent":"%s"},"x-new":[1]},
                         "options":[],"_meta":{"traceparent":"%s"}}""".formatted(
                                turn.sessionId(), INNER, OUTER)))),
                client().onEvent((session, one) -> events.add(one)));

        agent.newSession(HERE).prompt("go").result();

        assertThat(events).singleElement().satisfies(one -> {
            assertThat(one.meta().get(Meta.TRACEPARENT)).hasValue(INNER);
            assertThat(one.origin().messageMeta().get(Meta.TRACEPARENT)).hasValue(OUTER);
            assertThat(one.raw())
                    .hasValueSatisfying(raw -> assertThat(raw.toString()).contains("\"x-new\":[1]"));
        });
    }

    @Test
    void theResultOfATurnHasItsExtensionDataAndTheAnswer() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            Turn turn = session.prompt("go");
            agent.answer(
                    "session/prompt",
                    "{\"stopReason\":\"end_turn\",\"_meta\":{\"traceparent\":\"" + INNER + "\"},\"x-new\":[1]}");

            TurnResult result = turn.result();

            assertThat(result.meta().get(Meta.TRACEPARENT)).hasValue(INNER);
            assertThat(result.raw())
                    .hasValueSatisfying(raw -> assertThat(raw.toString()).contains("\"x-new\":[1]"));
        }
    }
}
