package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The content of a tool call that comes piece by piece, as only version 2 has it. */
@Timeout(20)
class ToolCallPiecesTest {
    private static final String VERSION_2 = "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"},"
            + "\"capabilities\":{\"session\":{}}}";

    @RegisterExtension
    private final Joined joined = new Joined();

    private static Client.Builder client() {
        return Joined.client().protocol(Version.V2);
    }

    private static void piece(RawAgent agent, String text) throws Exception {
        agent.update("tool_call_content_chunk", "\"toolCallId\":\"t\",\"content\":" + content(text));
    }

    private static String content(String text) {
        return "{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}}";
    }

    private static List<String> texts(Entry.ToolCall call) {
        List<String> texts = new ArrayList<>();
        for (ToolCallContent piece : call.content()) {
            texts.add(((ContentBlock.Text) ((ToolCallContent.Content) piece).content()).text());
        }
        return texts;
    }

    @Test
    @Tag("SE2-24")
    void whatWasSeenOfAToolCallStaysWhenMoreOfItComes() throws Exception {
        List<Entry.ToolCall> seen = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        try (RawAgent agent = new RawAgent(client(), VERSION_2)) {
            Session session = agent.open();
            for (int i = 0; i < 40; i++) {
                piece(agent, "" + i);
                expected.add("" + i);
                agent.settle();
                seen.add(session.view().toolCall(ToolCallId.of("t")).orElseThrow());
            }
            agent.update(
                    "tool_call_update", "\"toolCallId\":\"t\",\"title\":\"Make\",\"content\":[" + content("a") + "]");
            piece(agent, "b");
            agent.settle();

            Entry.ToolCall last = session.view().toolCall(ToolCallId.of("t")).orElseThrow();
            assertThat(texts(last)).containsExactly("a", "b");
            assertThat(last.title()).isEqualTo("Make");
            for (int i = 0; i < seen.size(); i++) {
                assertThat(texts(seen.get(i))).isEqualTo(expected.subList(0, i + 1));
            }
        }
    }

    @Test
    void theFirstPiecesGoWhenTheViewIsFull() throws Exception {
        try (RawAgent agent = new RawAgent(client().limits(Limits.STANDARD.withViewBytes(20_000)), VERSION_2)) {
            Session session = agent.open();
            for (int i = 0; i < 200; i++) {
                piece(agent, "x".repeat(100) + i);
            }
            agent.settle();

            Entry.ToolCall call = session.view().toolCall(ToolCallId.of("t")).orElseThrow();
            assertThat(call.isCut()).isTrue();
            assertThat(texts(call)).hasSizeBetween(1, 199).last().isEqualTo("x".repeat(100) + 199);
        }
    }

    @Test
    void aClientOfVersionOneSeesEachPieceThoughNothingMoreHappens() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        ToolCallId id = ToolCallId.of("t");
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            turn.update(ToolCall.builder(id, "Make").build());
                            for (String text : List.of("one", "two", "three")) {
                                turn.update(SessionUpdate.ToolCallContentChunk.of(id, ToolCallContent.text(text)));
                            }
                            seen.await();
                        })
                        .protocol(Version.V1, Version.V2),
                Joined.client().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.ToolCallChanged changed
                            && changed.call().content().size() == 3) {
                        seen.countDown();
                    }
                }));
        Session session = connected.newSession(Joined.HERE);

        assertThat(session.prompt("Go").result().stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(texts(session.view().toolCalls().getFirst())).containsExactly("one", "two", "three");
    }

    @Test
    void whatIsReplayedIsWholeInVersionOneAndGoesOnAfterwards() throws Exception {
        ToolCallId id = ToolCallId.of("t");
        MessageId said = MessageId.of("m");
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            turn.update(ToolCallUpdate.builder(id)
                                    .status(ToolCallStatus.COMPLETED)
                                    .build());
                            turn.update(SessionUpdate.AgentMessage.builder(said)
                                    .content(List.of(ContentBlock.text("One two")))
                                    .build());
                        })
                        .protocol(Version.V1, Version.V2)
                        .onLoadSession(session -> {
                            session.message(ContentBlock.text("One"), said);
                            session.update(ToolCall.builder(id, "Make").build());
                            for (String text : List.of("one", "two", "three")) {
                                session.update(SessionUpdate.ToolCallContentChunk.of(id, ToolCallContent.text(text)));
                            }
                        }),
                Joined.client());
        Session session = connected.loadSession(SessionId.of("s"), Joined.HERE);

        assertThat(texts(session.view().toolCalls().getFirst())).containsExactly("one", "two", "three");

        TurnResult unused = session.prompt("Go").result();

        Entry.ToolCall call = session.view().toolCalls().getFirst();
        assertThat(call.title()).isEqualTo("Make");
        assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
        assertThat(texts(call)).containsExactly("one", "two", "three");
        assertThat(BothVersionsTest.shown(session)).contains("AGENT: One two");
    }

    @Test
    void aMessageThatWasClearedIsANewOneInVersionOne() throws Exception {
        MessageId said = MessageId.of("m");
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            turn.message(ContentBlock.text("Wrong"), said);
                            turn.update(SessionUpdate.AgentMessage.builder(said)
                                    .content(Change.clear())
                                    .build());
                            turn.message(ContentBlock.text("Right"), said);
                        })
                        .protocol(Version.V1, Version.V2),
                Joined.client());
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(BothVersionsTest.shown(session)).contains("AGENT: Wrong", "AGENT: Right");
    }

    @Test
    void anAgentOfVersionOneMayAddPiecesToWhatItSaid() throws Exception {
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("Make", ToolKind.EXECUTE)) {
                        call.text("one");
                        turn.update(SessionUpdate.ToolCallContentChunk.of(call.id(), ToolCallContent.text("two")));
                    }
                }),
                Joined.client());
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(texts(session.view().toolCalls().getFirst())).containsExactly("one", "two");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-20")
    void aToolCallThatIsAnnouncedAgainHasNothingOfBefore(Version version) throws Exception {
        ToolCallId id = ToolCallId.of("t");
        ToolCall first = ToolCall.builder(id, "Make")
                .name("make")
                .kind(ToolKind.EXECUTE)
                .status(ToolCallStatus.FAILED)
                .content(List.of(ToolCallContent.text("one")))
                .locations(List.of(ToolCallLocation.of("/a")))
                .rawInput(RawJson.parse("{\"n\":1}"))
                .rawOutput(RawJson.parse("2"))
                .build();
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            turn.update(first);
                            turn.update(ToolCall.builder(id, "Again").build());
                        })
                        .protocol(Version.V1, Version.V2),
                Joined.client().protocol(version));
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(session.view().toolCalls())
                .containsExactly(Entry.ToolCall.of(
                        ToolCallUpdate.builder(id).title("Again").build()));
    }
}
