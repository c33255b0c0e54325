package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user interface draws a session from. */
@Timeout(60)
class TimelineTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String META = ",\"_meta\":{\"traceparent\":\"" + TRACE + "\"}";
    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    final Joined joined = new Joined();

    private static String text(String text) {
        return "\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}";
    }

    private static List<String> kinds(Timeline timeline) {
        return timeline.entries().stream()
                .map(entry -> entry.getClass().getSimpleName())
                .toList();
    }

    private static List<Timeline.Change> since(Timeline timeline, long revision) {
        return timeline.changesSince(revision).list();
    }

    private static String appended(Timeline timeline, long revision) {
        List<Timeline.Change> changes = since(timeline, revision);
        assertThat(changes).hasSize(1);
        return ((Timeline.Appended) changes.getFirst()).text();
    }

    // ---- entries

    @Test
    void entriesStandInTheOrderInWhichTheyBegan() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            Turn turn = session.prompt("go");
            Message prompt = agent.expect("session/prompt");
            agent.update("user_message_chunk", text("go"));
            agent.update("agent_thought_chunk", text("hm"));
            agent.says("I read ");
            agent.says("a file");
            agent.update("tool_call", "\"toolCallId\":\"t\",\"title\":\"Read\"");
            agent.update("plan", "\"entries\":[{\"content\":\"a\",\"priority\":\"high\",\"status\":\"pending\"}]");
            agent.update("notice", "\"severity\":\"info\",\"title\":\"Note\"");
            agent.says("more");
            agent.update("compaction_update", "\"compactionId\":\"c\",\"status\":\"in_progress\"");
            agent.update("tool_call_update", "\"toolCallId\":\"t\",\"status\":\"completed\"");
            agent.update("plan", "\"entries\":[]");
            agent.answer(prompt, "{\"stopReason\":\"max_tokens\"" + META + "}");
            turn.result();

            Timeline timeline = session.view().timeline();

            assertThat(kinds(timeline))
                    .containsExactly(
                            "Message",
                            "Message",
                            "Message",
                            "ToolCall",
                            "Plan",
                            "Notice",
                            "Message",
                            "Compaction",
                            "TurnEnd");
            assertThat(timeline.entries())
                    .extracting(Entry::number)
                    .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
            assertThat(timeline.entries(Entry.Message.class))
                    .extracting(Entry.Message::text)
                    .containsExactly("go", "hm", "I read a file", "more");
            assertThat(timeline.entries(Entry.ToolCall.class))
                    .extracting(Entry.ToolCall::status)
                    .containsExactly(ToolCallStatus.COMPLETED);
            assertThat(timeline.entries(Entry.TurnEnd.class)).singleElement().satisfies(end -> {
                assertThat(end.stopReason()).isEqualTo(StopReason.MAX_TOKENS);
                assertThat(end.failure()).isNull();
                assertThat(end.meta().get(Meta.TRACEPARENT)).hasValue(TRACE);
            });
        }
    }

    @Test
    void extensionDataOfTheSessionIsKeptClearedOrReplaced() throws Exception {
        BlockingQueue<Meta> told = new LinkedBlockingQueue<>();
        try (RawAgent agent = new RawAgent(client().onEvent((session, event) -> {
            if (event instanceof SessionEvent.InfoChanged info) {
                told.add(info.origin().meta());
            }
        }))) {
            Session session = agent.open();
            agent.update("session_info_update", "\"_meta\":{\"tag\":1}");
            agent.update("session_info_update", "\"title\":\"A title\"");
            agent.settle();
            assertThat(session.view().infoMeta()).hasToString("{\"tag\":1}");

            agent.update("session_info_update", "\"_meta\":null");
            agent.settle();

            assertThat(session.view().infoMeta()).isEqualTo(Meta.EMPTY);
            // Listeners come behind the view.
            assertThat(told.take()).hasToString("{\"tag\":1}");
            assertThat(told.take()).isEqualTo(Meta.EMPTY);
            assertThat(told.take()).isEqualTo(Meta.NULL);
            assertThat(told).isEmpty();
        }
    }

    @Test
    void whatTheDocumentationShowsInExamplesIsUnderstood() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open("""
                    {"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[
                    {"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}""".replace("\n", ""));
            agent.update("current_mode_update", "\"modeId\":\"code\"");
            agent.update(
                    "tool_call",
                    "\"toolCallId\":\"t\",\"title\":\"Read\",\"content\":[{\"type\":\"text\",\"text\":\"bare\"},"
                            + "{\"type\":\"text\"},{\"type\":\"_odd\",\"x\":1}]");
            agent.settle();

            assertThat(session.view().configOptions())
                    .singleElement()
                    .satisfies(mode -> assertThat(((SessionConfigOption.Select) mode).currentValue())
                            .isEqualTo(SessionConfigValueId.of("code")));
            assertThat(session.view().toolCalls().getFirst().content())
                    .extracting(Object::toString)
                    .first(as(STRING))
                    .contains("bare");
            assertThat(session.view().toolCalls().getFirst().content())
                    .extracting(content -> content.getClass().getSimpleName())
                    .containsExactly("Content", "Unknown", "Unknown");
        }
    }

    @Test
    void whatEntriesHaveIsTheExtensionDataThatTheAgentGaveLast() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            agent.update("user_message_chunk", text("a") + META);
            agent.update("agent_thought_chunk", text("a") + META);
            agent.update("agent_message_chunk", text("a") + META);
            agent.says("b");
            agent.update("tool_call", "\"toolCallId\":\"t\",\"title\":\"Read\",\"_meta\":{\"a\":1}");
            agent.update("tool_call_update", "\"toolCallId\":\"t\"" + META);
            agent.update("tool_call_update", "\"toolCallId\":\"t\",\"status\":\"completed\"");
            agent.update("plan", "\"entries\":[]" + META);
            agent.update("notice", "\"severity\":\"info\",\"title\":\"Note\"" + META);
            agent.update("compaction_update", "\"compactionId\":\"c\",\"status\":\"in_progress\"" + META);
            agent.update("compaction_summary_chunk", "\"compactionId\":\"c\"," + text("a"));
            agent.update("available_commands_update", "\"availableCommands\":[]" + META);
            agent.update("available_commands_update", "\"availableCommands\":[]");
            agent.update("config_option_update", "\"configOptions\":[]" + META);
            agent.update("session_info_update", "\"title\":\"A title\"" + META);
            agent.update("usage_update", "\"used\":1,\"size\":2" + META);
            agent.settle();

            SessionView view = session.view();

            assertThat(view.timeline().entries()).hasSize(7);
            assertThat(view.timeline().entries())
                    .allSatisfy(entry ->
                            assertThat(entry.meta().get(Meta.TRACEPARENT)).hasValue(TRACE));
            assertThat(view.commandsMeta().get(Meta.TRACEPARENT)).hasValue(TRACE);
            assertThat(view.configOptionsMeta().get(Meta.TRACEPARENT)).hasValue(TRACE);
            assertThat(view.infoMeta().get(Meta.TRACEPARENT)).hasValue(TRACE);
            assertThat(view.usage().orElseThrow().meta().get(Meta.TRACEPARENT)).hasValue(TRACE);
        }
    }

    @Test
    void aClientThatKeepsNoMessagesHasTheOtherEntries() throws Exception {
        try (RawAgent agent = new RawAgent(client().keepsMessages(false))) {
            Session session = agent.open();
            agent.says("a");
            agent.update("tool_call", "\"toolCallId\":\"t\",\"title\":\"Read\"");
            agent.settle();

            assertThat(kinds(session.view().timeline())).containsExactly("ToolCall");
        }
    }

    // ---- changes

    @Test
    void whatChangedSinceARevisionIsOneChangeForEachEntry() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.update("tool_call", "\"toolCallId\":\"1\",\"title\":\"One\"");
            agent.update("tool_call", "\"toolCallId\":\"2\",\"title\":\"Two\"");
            agent.update("tool_call", "\"toolCallId\":\"3\",\"title\":\"Three\"");
            agent.settle();
            Timeline.Changes first = timeline.changesSince(0);
            agent.update("tool_call_update", "\"toolCallId\":\"3\",\"status\":\"in_progress\"");
            agent.update("tool_call_update", "\"toolCallId\":\"1\",\"status\":\"in_progress\"");
            agent.update("tool_call_update", "\"toolCallId\":\"1\",\"status\":\"completed\"");
            agent.update("tool_call", "\"toolCallId\":\"4\",\"title\":\"Four\"");
            agent.update("tool_call_update", "\"toolCallId\":\"4\",\"status\":\"failed\"");
            agent.settle();

            Timeline.Changes second = timeline.changesSince(first.revision());

            List<Entry.ToolCall> calls = timeline.entries(Entry.ToolCall.class);
            assertThat(first.list()).hasSize(3).allMatch(Timeline.Added.class::isInstance);
            assertThat(second.list())
                    .containsExactly(
                            new Timeline.Changed(calls.get(0)),
                            new Timeline.Changed(calls.get(2)),
                            new Timeline.Added(calls.get(3)));
            assertThat(calls.get(0).status()).isEqualTo(ToolCallStatus.COMPLETED);
            assertThat(calls.get(0).revision()).isBetween(first.revision() + 1, second.revision());
            assertThat(calls.get(1).revision()).isLessThanOrEqualTo(first.revision());
            assertThat(since(timeline, second.revision())).isEmpty();
        }
    }

    @Test
    void textThatGrowsIsReportedAsItsSuffix() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.says("Hel");
            agent.settle();
            long one = timeline.changesSince(0).revision();
            agent.says("lo");
            agent.says(", ");
            agent.settle();
            long two = timeline.revision();
            agent.says("you");
            agent.settle();

            assertThat(appended(timeline, one)).isEqualTo("lo, you");
            assertThat(appended(timeline, two)).isEqualTo("you");
            assertThat(since(timeline, 0))
                    .singleElement()
                    .satisfies(change -> assertThat(change)
                            .isInstanceOfSatisfying(
                                    Timeline.Added.class,
                                    added -> assertThat(((Entry.Message) added.entry()).text())
                                            .isEqualTo("Hello, you")));
        }
    }

    @Test
    void longTextIsCompleteHoweverOftenItIsLookedAt() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.says("begin");
            agent.settle();
            long begin = timeline.revision();
            StringBuilder read = new StringBuilder();
            StringBuilder said = new StringBuilder();
            long revision = begin;
            for (int i = 0; i < 30; i++) {
                String piece = (i + ",").repeat(i % 3 == 0 ? 4_000 : 100);
                said.append(piece);
                agent.says(piece);
                agent.settle();
                read.append(appended(timeline, revision));
                revision = timeline.revision();
            }

            assertThat(read).hasToString(said.toString());
            assertThat(appended(timeline, begin)).isEqualTo(said.toString());
            assertThat(timeline.entries(Entry.Message.class).getFirst().text()).isEqualTo("begin" + said);
        }
    }

    @Test
    void aMessageThatGotMoreThanTextIsReportedAsItsNewPieces() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.says("a");
            agent.settle();
            long one = timeline.revision();
            agent.update(
                    "agent_message_chunk",
                    "\"content\":{\"type\":\"image\",\"data\":\"AQ==\",\"mimeType\":\"image/png\"}");
            agent.settle();
            long two = timeline.revision();
            agent.says("b");
            agent.settle();

            assertThat(since(timeline, one))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Timeline.Appended.class,
                            more -> assertThat(more.content())
                                    .containsExactly(
                                            ContentBlock.image(new byte[] {1}, "image/png"), ContentBlock.text("b")));
            assertThat(appended(timeline, two)).isEqualTo("b");
            assertThat(timeline.entries(Entry.Message.class).getFirst().content())
                    .containsExactly(
                            ContentBlock.text("a"),
                            ContentBlock.image(new byte[] {1}, "image/png"),
                            ContentBlock.text("b"));
        }
    }

    @Test
    void whoLookedLongAgoGetsAMessageWholeThatOthersLookAtAfterEachPiece() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.says("a");
            agent.settle();
            long longAgo = timeline.revision();
            for (int piece = 0; piece < 1000; piece++) {
                long before = timeline.changesSince(0).revision();
                agent.says("b");
                agent.settle();
                assertThat(appended(timeline, before)).isEqualTo("b");
            }

            assertThat(since(timeline, longAgo))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Timeline.Changed.class,
                            whole -> assertThat(((Entry.Message) whole.entry()).text())
                                    .isEqualTo("a" + "b".repeat(1000)));
        }
    }

    @Test
    void textThatGrewBeforeAnotherPieceCameIsPartOfWhatWasAppended() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.says("a");
            agent.settle();
            long one = timeline.revision();
            agent.says("b");
            agent.update(
                    "agent_message_chunk",
                    "\"content\":{\"type\":\"image\",\"data\":\"AQ==\",\"mimeType\":\"image/png\"}");
            agent.settle();

            assertThat(since(timeline, one))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Timeline.Appended.class,
                            more -> assertThat(more.content())
                                    .containsExactly(
                                            ContentBlock.text("b"), ContentBlock.image(new byte[] {1}, "image/png")));
        }
    }

    @Test
    void whatMessagesSaidCanBeForgottenAndTheyGrowOn() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.says("printed");
            agent.settle();
            Timeline.Changes printed = timeline.changesSince(0);
            agent.update("agent_thought_chunk", text("not yet"));
            agent.settle();

            timeline.forgetMessages(printed.revision());
            long revision = timeline.revision();
            agent.update("agent_thought_chunk", text(" printed"));
            agent.settle();

            assertThat(((Entry.Message) ((Timeline.Added) printed.list().getFirst()).entry()).text())
                    .isEqualTo("printed");
            assertThat(timeline.entries(Entry.Message.class))
                    .extracting(Entry.Message::text)
                    .containsExactly("", "not yet printed");

            timeline.forgetMessages(revision);
            assertThat(timeline.entries(Entry.Message.class).getLast().text()).isEqualTo("not yet printed");
            timeline.forgetMessages(timeline.revision());
            long all = timeline.revision();
            agent.update("agent_thought_chunk", text(" at all"));
            agent.settle();
            assertThat(appended(timeline, all)).isEqualTo(" at all");
            assertThat(timeline.entries(Entry.Message.class).getLast().text()).isEqualTo(" at all");
        }
    }

    @Test
    void anEntryStaysAsItWas() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.says("a");
            agent.update("compaction_summary_chunk", "\"compactionId\":\"c\"," + text("long"));
            agent.settle();
            List<Entry> before = timeline.entries();
            agent.update("compaction_update", "\"compactionId\":\"c\",\"status\":\"completed\",\"summary\":[]");
            agent.says("b");
            agent.settle();

            assertThat(((Entry.Message) before.get(0)).text()).isEqualTo("a");
            assertThat(((Entry.Compaction) before.get(1)).summary()).containsExactly(ContentBlock.text("long"));
            assertThat(timeline.entries(Entry.Compaction.class).getFirst().summary())
                    .isEmpty();
        }
    }

    /** Keeps up with a timeline by its changes alone. */
    private static final class Follower {
        private final Map<Long, String> rows = new TreeMap<>();
        private long revision;

        void follow(Timeline timeline) {
            Timeline.Changes changes = timeline.changesSince(revision);
            for (Timeline.Change change : changes.list()) {
                switch (change) {
                    case Timeline.Added added ->
                        assertThat(rows.put(added.number(), row(added.entry()))).isNull();
                    case Timeline.Changed changed ->
                        assertThat(rows.put(changed.number(), row(changed.entry())))
                                .isNotNull();
                    case Timeline.Appended appended -> {
                        rows.merge(appended.number(), appended.text(), String::concat);
                        assertThat(rows.get(appended.number())).isEqualTo(row(appended.entry()));
                    }
                    case Timeline.Removed removed -> rows.remove(removed.number());
                    case Timeline.Dropped dropped -> rows.keySet().removeIf(number -> number <= dropped.number());
                }
            }
            revision = changes.revision();
        }

        static String row(Entry entry) {
            return entry instanceof Entry.Message message ? message.text() : entry.toString();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void thoseWhoFollowTheChangesHaveTheTimelineHoweverOftenTheyLook(long seed) throws Exception {
        Random random = new Random(seed);
        List<Follower> followers = List.of(new Follower(), new Follower(), new Follower());
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            for (int i = 0; i < 400; i++) {
                change(agent, random, i);
                if (random.nextInt(3) == 0) {
                    agent.settle();
                    followers.get(random.nextInt(random.nextInt(3) + 1)).follow(timeline);
                }
            }
            agent.settle();

            for (Follower follower : followers) {
                follower.follow(timeline);
                assertThat(follower.rows.keySet())
                        .containsExactlyElementsOf(
                                timeline.entries().stream().map(Entry::number).toList());
                assertThat(follower.rows.values())
                        .containsExactlyElementsOf(
                                timeline.entries().stream().map(Follower::row).toList());
            }
        }
    }

    private static void change(RawAgent agent, Random random, int step) throws Exception {
        String message = ",\"messageId\":\"" + random.nextInt(3) + "\"";
        String tool = "\"toolCallId\":\"" + random.nextInt(3) + "\"";
        switch (random.nextInt(8)) {
            case 0, 1 -> agent.says("piece " + step);
            case 2 -> agent.update("agent_message_chunk", text("x" + step) + message);
            case 3 -> agent.update("agent_thought_chunk", text((step + " ").repeat(2_000)) + message);
            case 4 ->
                agent.update(
                        "agent_message_chunk",
                        "\"content\":{\"type\":\"image\",\"data\":\"AQ==\",\"mimeType\":\"image/png\"}" + message);
            case 5 -> agent.update("tool_call", tool + ",\"title\":\"" + step + "\"");
            case 6 -> agent.update("tool_call_update", tool + ",\"status\":\"in_progress\"");
            default -> agent.update("compaction_summary_chunk", "\"compactionId\":\"c\"," + text("y" + step));
        }
    }

    @Test
    void anEntryThatIsTakenAwayLeavesItsNumber() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            agent.update("tool_call", "\"toolCallId\":\"t\",\"title\":\"Read\"");
            agent.says("a");
            agent.settle();
            long before = timeline.revision();

            timeline.remove(1);
            timeline.remove(2);
            agent.says("b");
            agent.update("tool_call_update", "\"toolCallId\":\"t\",\"status\":\"completed\"");
            agent.settle();

            List<Entry> now = timeline.entries();
            assertThat(now).extracting(Entry::number).containsExactly(3L, 4L);
            assertThat(since(timeline, before))
                    .containsExactly(
                            new Timeline.Removed(1),
                            new Timeline.Removed(2),
                            new Timeline.Added(now.get(0)),
                            new Timeline.Added(now.get(1)));
            assertThat(since(timeline, 0)).hasSize(2);
        }
    }

    @Test
    void theOldestEntriesAreDroppedWhenTheViewIsFull() throws Exception {
        try (RawAgent agent = new RawAgent(client().limits(Limits.STANDARD.withViewBytes(10_000)))) {
            Timeline timeline = agent.open().view().timeline();
            for (int i = 1; i <= 40; i++) {
                agent.update("tool_call", "\"toolCallId\":\"" + i + "\",\"title\":\"" + "x".repeat(500) + "\"");
            }
            agent.settle();

            List<Entry> entries = timeline.entries();
            long first = entries.getFirst().number();
            assertThat(entries.size()).isBetween(2, 10);
            assertThat(entries.getLast().number()).isEqualTo(40);
            assertThat(since(timeline, 0)).first().isEqualTo(new Timeline.Dropped(first - 1));
            assertThat(since(timeline, 0)).hasSize(1 + entries.size());
            long before = timeline.revision();
            agent.update("tool_call_update", "\"toolCallId\":\"40\",\"status\":\"completed\"");
            agent.settle();
            assertThat(since(timeline, before))
                    .containsExactly(new Timeline.Changed(timeline.entries().getLast()));
        }
    }

    @Test
    void aPieceThatIsLargerThanTheViewIsDroppedWhenMoreComes() throws Exception {
        try (RawAgent agent = new RawAgent(client().limits(Limits.STANDARD.withViewBytes(10_000)))) {
            Session session = agent.open();
            agent.says("x".repeat(50_000));
            agent.says("y".repeat(100));
            agent.settle();

            Entry.Message message = session.view().messages().getLast();
            assertThat(message.isCut()).isTrue();
            assertThat(message.text()).hasSizeLessThan(5_000).endsWith("y".repeat(100));
        }
    }

    @Test
    void aMessageThatFillsTheViewLosesItsBeginning() throws Exception {
        try (RawAgent agent = new RawAgent(client().limits(Limits.STANDARD.withViewBytes(1_000_000)))) {
            Session session = agent.open();
            Timeline timeline = session.view().timeline();
            Turn turn = session.prompt("go");
            Message prompt = agent.expect("session/prompt");
            Follower rows = new Follower();
            for (int i = 0; i < 1000; i++) {
                agent.says(i + " " + "x".repeat(997) + ";");
                if (i % 50 == 0) {
                    agent.settle();
                    rows.follow(timeline);
                }
            }
            agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            turn.result();
            rows.follow(timeline);

            Entry.Message message = session.view().messages().getLast();
            assertThat(message.isCut()).isTrue();
            assertThat(message.text()).hasSizeBetween(100_000, 500_000).endsWith(";");
            assertThat(rows.rows.get(message.number())).isEqualTo(message.text());
            assertThatThrownBy(turn::text)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Limits.viewBytes() = 1000000");
        }
    }

    // ---- waiting

    @Test
    void aChangeWakesThoseWhoWaitForIt() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            FutureTask<String> reading = RawAgent.started(() -> {
                StringBuilder text = new StringBuilder();
                long revision = 0;
                while (!text.toString().endsWith("end") && timeline.awaitChange(revision, LONG)) {
                    Timeline.Changes changes = timeline.changesSince(revision);
                    for (Timeline.Change change : changes.list()) {
                        text.append(
                                switch (change) {
                                    case Timeline.Added(Entry.Message begun) -> begun.text();
                                    case Timeline.Appended more -> more.text();
                                    default -> throw new AssertionError(change);
                                });
                    }
                    revision = changes.revision();
                }
                return text.toString();
            });

            agent.says("begin");
            agent.settle();
            for (int i = 0; i < 100; i++) {
                agent.says("x");
            }
            agent.says("end");

            assertThat(reading.get()).startsWith("begin").endsWith("end");
        }
    }

    @Test
    void aWaitForAChangeEndsWithItsTimeAndByAnInterrupt() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Timeline timeline = agent.open().view().timeline();
            FutureTask<Boolean> waiting = new FutureTask<>(() -> timeline.awaitChange(0, Duration.ZERO));
            Thread thread = Thread.ofVirtual().start(waiting);

            thread.interrupt();

            assertThatThrownBy(waiting::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            assertThat(timeline.awaitChange(0, Duration.ofNanos(1))).isFalse();
            assertThatThrownBy(() -> timeline.awaitChange(0, Duration.ofNanos(-1)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aListenerFindsItsEventInTheTimeline() throws Exception {
        List<Boolean> found = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.toolCall("Read", ToolKind.READ).complete()), client().onEvent((session, event) -> {
                    Entry.ToolCall call = ((SessionEvent.ToolCallChanged) event).call();
                    Entry now = session.view()
                            .timeline()
                            .entries(Entry.ToolCall.class)
                            .getFirst();
                    found.add(now.number() == call.number() && now.revision() >= call.revision());
                }));

        agent.newSession(HERE).prompt("go").result();

        assertThat(found).isNotEmpty().doesNotContain(false);
    }

    // ---- prompts

    private static List<String> said(Session session) {
        return session.view().messages().stream()
                .map(message -> message.author() + " " + message.text())
                .toList();
    }

    private static void repeats(RawAgent agent, String text) throws Exception {
        agent.update("user_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}");
    }

    @Test
    void aPromptStandsInTheTimelineFromWhenItIsSent() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            Turn first = session.prompt("one");
            Turn second = session.prompt("two");
            assertThat(said(session)).containsExactly("USER one");

            agent.answer("session/prompt", "{\"stopReason\":\"end_turn\"}");
            assertThat(first.result().stopReason()).isEqualTo(StopReason.END_TURN);
            Message prompt = agent.expect("session/prompt");

            assertThat(said(session)).containsExactly("USER one", "USER two");
            agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            assertThat(second.text()).isEmpty();
        }
    }

    @Test
    void aPromptThatTheAgentRepeatsStandsThereOnce() throws Exception {
        List<Boolean> first = Collections.synchronizedList(new ArrayList<>());
        try (RawAgent agent =
                new RawAgent(client().onEvent((session, event) -> first.add(((SessionEvent.Chunk) event).isFirst())))) {
            Session session = agent.open();
            Turn turn = session.prompt(List.of(ContentBlock.text("go on, please"), ContentBlock.text("now")));

            repeats(agent, "go on");
            repeats(agent, ", please");
            repeats(agent, "now");
            agent.says("yes");
            agent.answer("session/prompt", "{\"stopReason\":\"end_turn\"}");

            assertThat(turn.text()).isEqualTo("yes");
            assertThat(said(session)).containsExactly("USER go on, pleasenow", "AGENT yes");
            assertThat(first).containsExactly(true, false, false, true);
        }
    }

    @Test
    void aMessageThatBeginsLikeThePromptKeepsItsBeginning() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            Turn turn = session.prompt("go on, please");

            repeats(agent, "go on");
            repeats(agent, " without me");
            agent.answer("session/prompt", "{\"stopReason\":\"end_turn\"}");

            assertThat(turn.text()).isEmpty();
            assertThat(said(session)).containsExactly("USER go on, please", "USER go on without me");
        }
    }

    @Test
    void aPromptThatWasWithdrawnHasNoText() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            Turn first = session.prompt("one");
            Turn second = session.prompt("two");
            Message prompt = agent.expect("session/prompt");
            agent.says("the answer to one");
            agent.settle();

            second.cancel();

            assertThat(second.text()).isEmpty();
            agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            assertThat(first.text()).isEqualTo("the answer to one");
        }
    }

    @Test
    void whoWaitsForChangesGoesOnWhenTheSessionIsLeft() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            Timeline timeline = session.view().timeline();
            FutureTask<Boolean> waiting = RawAgent.started(() -> timeline.awaitChange(0, Duration.ZERO));

            session.detach();

            assertThat(waiting.get()).isFalse();
        }
    }

    @Test
    void whatAnAgentSaysInTheNameOfTheUserIsAMessageOfItsOwn() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            Turn turn = session.prompt("go");

            repeats(agent, "go and see");
            repeats(agent, "!");
            agent.answer("session/prompt", "{\"stopReason\":\"end_turn\"}");

            assertThat(turn.text()).isEmpty();
            assertThat(said(session)).containsExactly("USER go", "USER go and see!");
        }
    }

    // ---- turns

    @Test
    void toolCallsThatHaveNotEndedAreCancelledWithTheirTurnUntilTheAgentSaysOtherwise() throws Exception {
        try (RawAgent agent = new RawAgent(client())) {
            Session session = agent.open();
            agent.update("tool_call", "\"toolCallId\":\"before\",\"title\":\"Before\",\"status\":\"in_progress\"");
            agent.settle();
            Turn turn = session.prompt("go");
            Message prompt = agent.expect("session/prompt");
            agent.update("tool_call", "\"toolCallId\":\"1\",\"title\":\"One\"");
            agent.update("tool_call", "\"toolCallId\":\"2\",\"title\":\"Two\",\"status\":\"in_progress\"");
            agent.update("tool_call", "\"toolCallId\":\"3\",\"title\":\"Three\",\"status\":\"completed\"");
            agent.settle();
            long before = session.view().timeline().revision();

            turn.cancel();

            assertThat(session.view().toolCalls())
                    .extracting(call -> call.status().value())
                    .containsExactly("in_progress", "cancelled", "cancelled", "completed");
            assertThat(since(session.view().timeline(), before))
                    .hasSize(2)
                    .allMatch(Timeline.Changed.class::isInstance);

            agent.expect("session/cancel");
            agent.update("tool_call_update", "\"toolCallId\":\"2\",\"status\":\"failed\"");
            agent.update("tool_call_update", "\"toolCallId\":\"1\",\"title\":\"Still one\"");
            agent.update("tool_call", "\"toolCallId\":\"4\",\"title\":\"Late\"");
            agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            turn.result();

            assertThat(session.view().toolCalls())
                    .extracting(call -> call.status().value())
                    .containsExactly("in_progress", "cancelled", "failed", "completed", "cancelled");
        }
    }

    @Test
    void aTurnThatFailsEndsWithItsFailure() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    throw new dev.acp4j.rpc.RpcError(-32001, "no credit");
                }),
                client());
        Session session = agent.newSession(HERE);

        assertThatThrownBy(() -> session.prompt("go").result()).isInstanceOf(RpcError.class);

        assertThat(session.view().timeline().entries(Entry.TurnEnd.class))
                .singleElement()
                .satisfies(end -> {
                    assertThat(end.stopReason()).isNull();
                    assertThat(end.failure()).isInstanceOf(RpcError.class).hasMessageContaining("no credit");
                });
    }

    @Test
    void aTurnEndsWithItsConnectionAndAPromptThatWasNeverSentLeavesNothing() throws Exception {
        RawAgent agent = new RawAgent(client());
        Session session = agent.open();
        Turn running = session.prompt("one");
        Turn waiting = session.prompt("two");
        waiting.cancel();
        agent.expect("session/prompt");

        agent.close();

        assertThatThrownBy(running::result).isInstanceOf(dev.acp4j.rpc.ConnectionClosedException.class);
        assertThat(waiting.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(kinds(session.view().timeline())).containsExactly("Message", "TurnEnd");
        assertThat(session.view().messages()).extracting(Entry.Message::text).containsExactly("one");
    }

    // ---- questions

    private static Entry.Question question(Session session) {
        List<Entry.Question> questions = session.view().timeline().entries(Entry.Question.class);
        assertThat(questions).hasSize(1);
        return questions.getFirst();
    }

    @Test
    void aQuestionForPermissionIsOpenUntilItIsAnswered() throws Exception {
        List<Entry.Question> open = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    turn.message("may I?");
                    turn.toolCall("Run it", ToolKind.EXECUTE).requestPermission();
                    turn.message("thanks");
                }),
                client().onPermission(request -> {
                    open.add(question(request.session()));
                    return request.allowOnce();
                }));
        Session session = agent.newSession(HERE);

        session.prompt("go").result();

        assertThat(open).singleElement().satisfies(question -> {
            assertThat(question.state()).isEqualTo(Entry.Question.State.OPEN);
            assertThat(question.kind()).isEqualTo(Entry.Question.Kind.PERMISSION);
            assertThat(question.title()).isEqualTo("Run it");
            assertThat(question.toolCall())
                    .isEqualTo(session.view().toolCalls().getFirst().id());
            assertThat(question.options()).isNotEmpty();
        });
        assertThat(question(session).state()).isEqualTo(Entry.Question.State.ANSWERED);
        assertThat(question(session).choice())
                .isNotNull()
                .extracting(PermissionOption::kind)
                .isEqualTo(PermissionOptionKind.ALLOW_ONCE);
        assertThat(kinds(session.view().timeline()))
                .containsExactly("Message", "Message", "ToolCall", "Question", "Message", "TurnEnd");
    }

    @Test
    void aQuestionIsWithdrawnWhenItsTurnIsCancelled() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.toolCall("Run", ToolKind.EXECUTE).requestPermission()),
                client().onPermission(request -> {
                    asked.countDown();
                    new CountDownLatch(1).await();
                    return request.allowOnce();
                }));
        Session session = agent.newSession(HERE);
        Turn turn = session.prompt("go");
        asked.await();

        turn.cancel();
        turn.result();

        assertThat(question(session).state()).isEqualTo(Entry.Question.State.WITHDRAWN);
        assertThat(question(session).choice()).isNull();
    }

    @Test
    void aQuestionThatWaitedForListenersUntilItsTurnWasCancelledIsNotAsked() throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Client.Builder client = client().onEvent((session, event) -> {
                    heard.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })
                .onPermission(question -> {
                    asked.add(question.title());
                    return question.allowOnce();
                });
        try (RawAgent agent = new RawAgent(client)) {
            Session session = agent.open();
            Turn turn = session.prompt("go");
            Message prompt = agent.expect("session/prompt");
            agent.says("a");
            agent.request(
                    7,
                    "session/request_permission",
                    "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"Run\"},\"options\":"
                            + "[{\"optionId\":\"yes\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}");
            heard.await();
            agent.settle();
            turn.cancel();
            Message unused = agent.expect("session/cancel");
            agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            agent.settle();

            goOn.countDown();

            assertThat(String.valueOf(agent.read().result())).contains("\"cancelled\"");
            assertThat(asked).isEmpty();
            assertThat(question(session).state()).isEqualTo(Entry.Question.State.WITHDRAWN);
        }
    }

    @Test
    void aQuestionWhoseHandlerFailsIsWithdrawn() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.toolCall("Run", ToolKind.EXECUTE).requestPermission()),
                client().onProblem(problem -> {}).onPermission(request -> {
                    throw new IllegalStateException("broken");
                }));
        Session session = agent.newSession(HERE);

        session.prompt("go").result();

        assertThat(question(session).state()).isEqualTo(Entry.Question.State.WITHDRAWN);
    }

    @Test
    void aFormIsAQuestion() throws Exception {
        try (RawAgent agent = new RawAgent(client().onElicitation(ElicitationQuestion::decline))) {
            Session session = agent.open();
            agent.request(7, "elicitation/create", """
                    {"mode":"form","sessionId":"s","message":"Your name?",
                     "requestedSchema":{"type":"object","properties":{}}%s}""".formatted(META));
            assertThat(agent.read().result()).hasToString("{\"action\":\"decline\"}");

            assertThat(question(session).kind()).isEqualTo(Entry.Question.Kind.ELICITATION);
            assertThat(question(session).title()).isEqualTo("Your name?");
            assertThat(question(session).state()).isEqualTo(Entry.Question.State.ANSWERED);
            assertThat(question(session).meta().get(Meta.TRACEPARENT)).hasValue(TRACE);
        }
    }
}
