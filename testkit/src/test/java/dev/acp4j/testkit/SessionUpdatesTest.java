package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a client makes of the updates that an agent sends, whenever they come. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class SessionUpdatesTest {
    private static final Path HERE = PlayedAgent.HERE;

    @RegisterExtension
    final PlayedAgent played = new PlayedAgent();

    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
    private final List<Problem> problems = Collections.synchronizedList(new ArrayList<>());

    private Client.Builder listening() {
        return Client.builder("client", "1").onProblem(problems::add).onEvent((session, event) -> {
            if (event instanceof SessionEvent.Message message) {
                heard.add(session.id() + ": " + message.text());
            }
        });
    }

    private static List<String> texts(Session session) {
        return session.view().messages().stream().map(Entry.Message::text).toList();
    }

    // ---- when

    @Test
    @Tag("SE1-01")
    void updatesBeforeTheAnswerThatNamesTheSessionAreKept() throws Exception {
        ConnectedAgent agent = played.connect(listening(), "{}");
        FutureTask<Session> opening = PlayedAgent.start(() -> agent.newSession(HERE));
        var request = played.peer.expect("session/new");

        played.says("early");
        played.update(
                "available_commands_update", "\"availableCommands\":[{\"name\":\"go\",\"description\":\"Goes\"}]");
        played.settle();
        played.peer.answer(request, "{\"sessionId\":\"s\"}");
        Session session = opening.get();

        assertThat(texts(session)).containsExactly("early");
        assertThat(session.view().commands()).extracting(AvailableCommand::name).containsExactly("go");
        assertThat(heard).containsExactly("s: early");
        assertThat(problems).isEmpty();
    }

    @Test
    @Tag("SE1-02")
    void updatesRightBehindTheAnswerFindTheSessionOpen() throws Exception {
        List<Path> folders = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = played.connect(
                Client.builder("client", "1").onEvent((session, event) -> folders.add(session.cwd())), "{}");
        FutureTask<Session> opening = PlayedAgent.start(() -> agent.newSession(HERE));

        played.peer.answer(played.peer.expect("session/new"), "{\"sessionId\":\"s\"}");
        played.says("at once");
        played.settle();

        assertThat(folders).containsExactly(HERE);
        assertThat(texts(opening.get())).containsExactly("at once");
    }

    @Test
    @Tag("SE1-05")
    void updatesOfASessionThatNobodyOpenedAreHeardAndAreNoProblem() throws Exception {
        played.connect(listening(), "{}");
        Session session = played.open("");

        played.update("unknown", "agent_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"hello?\"}");
        played.settle("unknown");

        assertThat(heard).containsExactly("unknown: hello?");
        assertThat(problems).isEmpty();
        assertThat(texts(session)).isEmpty();
    }

    @Test
    @Tag("SE1-06")
    void updatesBetweenTurnsAreDelivered() throws Exception {
        Session session = played.open();
        CountDownLatch told = new CountDownLatch(1);
        session.onEvent((same, event) -> told.countDown());
        Turn turn = session.prompt("hi");
        played.peer.answer(played.peer.expect("session/prompt"), "{\"stopReason\":\"end_turn\"}");
        assertThat(turn.text()).isEmpty();

        played.says("one more thing");

        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(texts(session)).containsExactly("hi", "one more thing");
    }

    @Test
    @Tag("SE1-03")
    void whatIsReplayedBeforeTheAnswerIsInTheViewOfTheLoadedSession() throws Exception {
        ConnectedAgent agent = played.connect(listening(), "{\"loadSession\":true}");
        FutureTask<Session> loading = PlayedAgent.start(() -> agent.loadSession(SessionId.of("s"), HERE));
        var request = played.peer.expect("session/load");

        played.says("as I said");
        played.peer.answer(request, "{}");

        assertThat(texts(loading.get())).containsExactly("as I said");
        assertThat(heard).containsExactly("s: as I said");
    }

    // ---- what

    @Test
    @Tag("SE1-11")
    void theTextOfATurnIsThatOfTheAgentsMessages() throws Exception {
        Session session = played.open();
        Turn turn = session.prompt("hi");
        var prompt = played.peer.expect("session/prompt");

        played.update("user_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"hi\"}");
        played.update("agent_thought_chunk", "\"content\":{\"type\":\"text\",\"text\":\"hm\"}");
        played.says("hel");
        played.update(
                "agent_message_chunk", "\"content\":{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}");
        played.update("tool_call", "\"toolCallId\":\"t\",\"title\":\"look\"");
        played.says("lo");
        played.peer.answer(prompt, "{\"stopReason\":\"end_turn\"}");

        assertThat(turn.text()).isEqualTo("hello");
    }

    @Test
    @Tag("SE1-20")
    void piecesWithTheSameIdAreOneMessageAndAnotherIdBeginsAnother() throws Exception {
        Session session = played.open();
        List<Boolean> first = Collections.synchronizedList(new ArrayList<>());
        session.onEvent((same, event) -> first.add(event instanceof SessionEvent.Chunk chunk && chunk.isFirst()));

        for (String piece : List.of("a:on", "a:ce", "b:twi", "a:!", "b:ce")) {
            played.update(
                    "agent_message_chunk",
                    "\"messageId\":\"" + piece.charAt(0) + "\",\"content\":{\"type\":\"text\",\"text\":\""
                            + piece.substring(2) + "\"}");
        }
        played.settle();

        assertThat(texts(session)).containsExactly("once!", "twice");
        assertThat(first).containsExactly(true, false, true, false, false);
    }

    @Test
    @Tag("SE1-21")
    void anUpdateOfAToolCallKeepsWhatItDoesNotNameAndClearsWhatIsNull() throws Exception {
        Session session = played.open();
        String content = "{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"x\"}}";

        played.update(
                "tool_call",
                "\"toolCallId\":\"t\",\"title\":\"Read a\",\"kind\":\"read\",\"status\":\"in_progress\",\"content\":["
                        + content + "],\"locations\":[{\"path\":\"/a\"}],\"rawInput\":{\"n\":1},\"rawOutput\":2");
        played.update("tool_call_update", "\"toolCallId\":\"t\",\"status\":\"completed\"");
        played.settle();
        Entry.ToolCall kept = session.view().toolCall(ToolCallId.of("t")).orElseThrow();
        played.update(
                "tool_call_update",
                "\"toolCallId\":\"t\",\"title\":null,\"kind\":null,\"content\":null,\"locations\":null,"
                        + "\"rawInput\":null,\"rawOutput\":null");
        played.settle();
        Entry.ToolCall cleared = session.view().toolCall(ToolCallId.of("t")).orElseThrow();

        assertThat(kept.title()).isEqualTo("Read a");
        assertThat(kept.kind()).isEqualTo(ToolKind.READ);
        assertThat(kept.status()).isEqualTo(ToolCallStatus.COMPLETED);
        assertThat(kept.content()).hasSize(1);
        assertThat(kept.locations()).hasSize(1);
        assertThat(kept.rawInput()).isEqualTo(RawJson.parse("{\"n\":1}"));
        assertThat(cleared)
                .isEqualTo(Entry.ToolCall.of(ToolCallUpdate.builder(ToolCallId.of("t"))
                        .status(ToolCallStatus.COMPLETED)
                        .build()));
    }

    @Test
    @Tag("SE1-22")
    void aPlanAndAListOfCommandsReplaceTheOnesBefore() throws Exception {
        Session session = played.open();

        for (String step : List.of("one", "two")) {
            played.update(
                    "plan",
                    "\"entries\":[{\"content\":\"" + step + "\",\"priority\":\"high\",\"status\":\"pending\"}]");
            played.update(
                    "available_commands_update",
                    "\"availableCommands\":[{\"name\":\"" + step + "\",\"description\":\"x\"}]");
        }
        played.settle();

        assertThat(session.view().plan()).extracting(PlanEntry::content).containsExactly("two");
        assertThat(session.view().commands()).extracting(AvailableCommand::name).containsExactly("two");
    }

    @Test
    @Tag("SE1-23")
    void whatIsNotPartOfTheConversationHasItsOwnEvents() throws Exception {
        Session session = played.open();
        List<String> kinds = Collections.synchronizedList(new ArrayList<>());
        session.onEvent((same, event) -> kinds.add(event.getClass().getSimpleName()));

        played.update("usage_update", "\"used\":10,\"size\":100");
        played.update("notice", "\"severity\":\"warning\",\"title\":\"Careful\"");
        played.update("compaction_update", "\"compactionId\":\"c\",\"status\":\"in_progress\"");
        played.update(
                "compaction_summary_chunk",
                "\"compactionId\":\"c\",\"content\":{\"type\":\"text\",\"text\":\"in short\"}");
        played.update("compaction_update", "\"compactionId\":\"c\",\"status\":\"completed\"");
        played.update("session_info_update", "\"title\":\"A title\",\"updatedAt\":\"2026-01-01T00:00:00Z\"");
        played.update("session_info_update", "\"title\":null");
        played.settle();

        assertThat(kinds)
                .containsExactly(
                        "UsageChanged",
                        "Noticed",
                        "CompactionChanged",
                        "CompactionChanged",
                        "CompactionChanged",
                        "InfoChanged",
                        "InfoChanged");
        assertThat(session.view().usage())
                .hasValueSatisfying(usage -> assertThat(usage.size()).isEqualTo(100));
        assertThat(session.view().notices())
                .singleElement()
                .satisfies(notice -> assertThat(notice.title()).isEqualTo("Careful"));
        assertThat(session.view().compactions()).singleElement().satisfies(compaction -> {
            assertThat(compaction.status()).isEqualTo(CompactionStatus.COMPLETED);
            assertThat(compaction.summary()).hasSize(1);
        });
        assertThat(session.view().title()).isEmpty();
        assertThat(session.view().updatedAt()).hasValue("2026-01-01T00:00:00Z");
    }
}
