package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client makes of messages, tool calls, plans and terminals of version 2; the agent is played by hand. */
@Timeout(20)
class ToolCallsVersion2Test {
    private static final ToolCallId CALL = ToolCallId.of("c");
    private static final TerminalId TERMINAL = TerminalId.of("b");

    private RawAgent agent;
    private Session session;

    @BeforeEach
    void open() throws Exception {
        agent = RawAgent.version2(Joined.client());
        session = agent.open();
    }

    @AfterEach
    void close() {
        agent.close();
    }

    private Entry.ToolCall call(String members) throws Exception {
        agent.update("tool_call_update", "\"toolCallId\":\"c\"" + members);
        agent.settleSilently();
        return session.view().toolCall(CALL).orElseThrow();
    }

    private Entry.ToolCall chunk(String text) throws Exception {
        agent.update("tool_call_content_chunk", "\"toolCallId\":\"c\",\"content\":" + content(text));
        agent.settleSilently();
        return session.view().toolCall(CALL).orElseThrow();
    }

    private Entry.Terminal terminal(String members) throws Exception {
        agent.update("terminal_update", "\"terminalId\":\"b\"" + members);
        agent.settleSilently();
        return session.view().terminal(TERMINAL).orElseThrow();
    }

    private Entry.Terminal prints(String base64) throws Exception {
        agent.update("terminal_output_chunk", "\"terminalId\":\"b\",\"data\":\"" + base64 + "\"");
        agent.settleSilently();
        return session.view().terminal(TERMINAL).orElseThrow();
    }

    private Entry.Message message(String members) throws Exception {
        agent.update("agent_message", "\"messageId\":\"m\"" + members);
        agent.settleSilently();
        return session.view().messages().getFirst();
    }

    private static String content(String text) {
        return "{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}}";
    }

    private static List<ToolCallContent> texts(String... texts) {
        return List.of(texts).stream()
                .<ToolCallContent>map(ToolCallContent::text)
                .toList();
    }

    // ---- tool calls

    @Test
    @Tag("SE2-21")
    void aToolCallThatIsNotKnownBeginsWithDefaults() throws Exception {
        Entry.ToolCall call = call("");

        assertThat(call.title()).isEqualTo("c");
        assertThat(call.kind()).isEqualTo(ToolKind.OTHER);
        assertThat(call.status()).isEqualTo(ToolCallStatus.PENDING);
        assertThat(call.content()).isEmpty();
        assertThat(call.locations()).isEmpty();
        assertThat(call.rawInput()).isNull();
        assertThat(call.isCancellable()).isFalse();
    }

    @Test
    @Tag("SE2-20")
    void aMemberIsKeptClearedOrReplaced() throws Exception {
        Entry.ToolCall begun = call(",\"title\":\"Read\",\"kind\":\"read\",\"status\":\"in_progress\",\"content\":["
                + content("1") + "," + content("2")
                + "],\"locations\":[{\"path\":\"/a\"},{\"path\":\"/b\"}],\"rawInput\":{\"n\":1},\"rawOutput\":2");
        Entry.ToolCall kept = call(",\"status\":\"completed\"");
        Entry.ToolCall replaced = call(",\"title\":\"Write\",\"content\":[" + content("3")
                + "],\"locations\":[{\"path\":\"/c\"}],\"rawInput\":{\"m\":2}");
        Entry.ToolCall cleared = call(",\"title\":null,\"kind\":null,\"status\":null,\"content\":null,"
                + "\"locations\":[],\"rawInput\":null,\"rawOutput\":null");

        assertThat(kept.title()).isEqualTo("Read");
        assertThat(kept.kind()).isEqualTo(ToolKind.READ);
        assertThat(kept.content()).isEqualTo(begun.content()).isEqualTo(texts("1", "2"));
        assertThat(kept.locations()).isEqualTo(begun.locations()).hasSize(2);
        assertThat(kept.rawInput()).hasToString("{\"n\":1}");
        assertThat(kept.rawOutput()).hasToString("2");
        assertThat(replaced.title()).isEqualTo("Write");
        assertThat(replaced.content()).isEqualTo(texts("3"));
        assertThat(replaced.locations()).extracting(ToolCallLocation::path).containsExactly("/c");
        assertThat(replaced.rawInput()).hasToString("{\"m\":2}");
        assertThat(cleared.title()).isEqualTo("c");
        assertThat(cleared.kind()).isEqualTo(ToolKind.OTHER);
        assertThat(cleared.status()).isEqualTo(ToolCallStatus.PENDING);
        assertThat(cleared.content()).isEmpty();
        assertThat(cleared.locations()).isEmpty();
        assertThat(cleared.rawInput()).isNull();
        assertThat(cleared.rawOutput()).isNull();
    }

    @Test
    @Tag("SE2-20")
    void theNameOfAToolIsKeptReplacedOrCleared() throws Exception {
        Entry.ToolCall named = call(",\"name\":\"read_file\"");
        Entry.ToolCall kept = call(",\"status\":\"completed\"");
        Entry.ToolCall cleared = call(",\"name\":null");

        assertThat(named.name()).isEqualTo("read_file");
        assertThat(kept.name()).isEqualTo("read_file");
        assertThat(cleared.name()).isNull();
    }

    @Test
    void inVersionOneNullKeepsTheNameOfATool() throws Exception {
        try (RawAgent first = new RawAgent(Joined.client())) {
            Session opened = first.open();
            first.update("tool_call", "\"toolCallId\":\"c\",\"title\":\"Read\",\"name\":\"read_file\"");
            first.update("tool_call_update", "\"toolCallId\":\"c\",\"name\":null");
            first.settleSilently();

            assertThat(opened.view().toolCall(CALL).orElseThrow().name()).isEqualTo("read_file");
        }
    }

    @Test
    @Tag("SE2-20")
    void extensionDataIsChangedKeyByKey() throws Exception {
        assertThat(call(",\"_meta\":{\"a\":1,\"b\":{\"c\":2,\"d\":3}}").meta().raw())
                .hasToString("{\"a\":1,\"b\":{\"c\":2,\"d\":3}}");
        assertThat(call(",\"_meta\":{}").meta().raw()).hasToString("{\"a\":1,\"b\":{\"c\":2,\"d\":3}}");
        assertThat(call("").meta().raw()).hasToString("{\"a\":1,\"b\":{\"c\":2,\"d\":3}}");
        assertThat(call(",\"_meta\":{\"b\":{\"c\":4}}").meta().raw()).hasToString("{\"a\":1,\"b\":{\"c\":4}}");
        assertThat(call(",\"_meta\":{\"a\":null}").meta().raw()).hasToString("{\"b\":{\"c\":4}}");
        assertThat(call(",\"_meta\":null").meta().isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"pending", "in_progress", "paused", "completed", "failed", "cancelled", "_waiting", "later"})
    @Tag("SE2-22")
    void aToolCallHasTheStatusThatTheAgentSays(String status) throws Exception {
        assertThat(call(",\"status\":\"" + status + "\"").status()).isEqualTo(ToolCallStatus.of(status));
    }

    @Test
    @Tag("SE2-24")
    void aPieceOfContentIsAppendedToWhatIsThere() throws Exception {
        assertThat(chunk("1").content()).isEqualTo(texts("1"));
        assertThat(chunk("2").content()).isEqualTo(texts("1", "2"));
        assertThat(call(",\"content\":[" + content("3") + "]").content()).isEqualTo(texts("3"));
        assertThat(chunk("4").content()).isEqualTo(texts("3", "4"));
        assertThat(call(",\"content\":[]").content()).isEmpty();
        assertThat(chunk("5").content()).isEqualTo(texts("5"));
    }

    @Test
    @Tag("SE2-17")
    @Tag("SE2-16")
    void whatCanBeDoneWithAToolCallIsKeptClearedOrReplaced() throws Exception {
        assertThat(call(",\"status\":\"in_progress\"").isCancellable()).isFalse();
        assertThat(call(",\"capabilities\":{\"cancel\":{}}").isCancellable()).isTrue();
        assertThat(call(",\"title\":\"T\"").isCancellable()).isTrue();
        assertThat(call(",\"capabilities\":{}").isCancellable()).isFalse();
        assertThat(call(",\"capabilities\":{\"cancel\":{}}").isCancellable()).isTrue();
        assertThat(call(",\"capabilities\":{\"cancel\":null}").isCancellable()).isFalse();
        assertThat(call(",\"capabilities\":{\"cancel\":{}}").isCancellable()).isTrue();
        assertThat(call(",\"capabilities\":null").isCancellable()).isFalse();
        assertThat(call(",\"capabilities\":{\"cancel\":{}}").isCancellable()).isTrue();
        assertThat(call(",\"status\":\"failed\"").isCancellable()).isFalse();

        assertThatThrownBy(() -> session.cancel(CALL)).isInstanceOf(IllegalStateException.class);
        agent.settleSilently();
    }

    // ---- messages

    @Test
    @Tag("SE2-23")
    void aWholeMessageReplacesAndAPieceIsAppended() throws Exception {
        for (String kind : List.of("user_message", "agent_message", "agent_thought")) {
            String id = "\"messageId\":\"" + kind + "\",";
            agent.update(kind + "_chunk", id + "\"content\":{\"type\":\"text\",\"text\":\"A\"}");
            agent.update(kind + "_chunk", id + "\"content\":{\"type\":\"text\",\"text\":\"B\"}");
            agent.update(kind, id + "\"content\":[{\"type\":\"text\",\"text\":\"C\"}]");
            agent.update(kind + "_chunk", id + "\"content\":{\"type\":\"text\",\"text\":\"D\"}");
        }
        agent.settleSilently();

        assertThat(session.view().messages()).extracting(Entry.Message::text).containsExactly("CD", "CD", "CD");
        assertThat(session.view().messages())
                .extracting(Entry.Message::author)
                .containsExactly(Entry.Message.Author.USER, Entry.Message.Author.AGENT, Entry.Message.Author.THOUGHT);
    }

    @Test
    @Tag("SE2-20")
    void theContentOfAMessageIsKeptClearedOrReplaced() throws Exception {
        String text = ",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]";

        assertThat(message(text.formatted("one")).text()).isEqualTo("one");
        assertThat(message(",\"_meta\":{\"k\":1}").text()).isEqualTo("one");
        assertThat(message(text.formatted("two")).text()).isEqualTo("two");
        assertThat(message(",\"content\":null").content()).isEmpty();
        assertThat(message(text.formatted("three")).text()).isEqualTo("three");
        assertThat(message(",\"content\":[]").content()).isEmpty();
        assertThat(message("").meta().raw()).hasToString("{\"k\":1}");
    }

    // ---- plans

    @Test
    @Tag("SE2-27")
    void aPlanIsReplacedAsAWholeByItsId() throws Exception {
        String plan = "\"plan\":{\"type\":\"items\",\"planId\":\"%s\",\"entries\":[%s]}";
        String entry = "{\"content\":\"%s\",\"priority\":\"low\",\"status\":\"pending\"}";

        agent.update("plan_update", plan.formatted("p", entry.formatted("1") + "," + entry.formatted("2")));
        agent.update("plan_update", plan.formatted("q", entry.formatted("3")));
        agent.update("plan_update", plan.formatted("p", entry.formatted("4")));
        agent.update("plan_update", "\"plan\":{\"type\":\"_tree\",\"planId\":\"r\",\"root\":{}}");
        agent.settleSilently();

        assertThat(session.view().plans())
                .extracting(one -> one.id()
                        + one.entries().stream()
                                .map(dev.acp4j.schema.PlanEntry::content)
                                .toList())
                .containsExactly("p[4]", "q[3]");
    }

    // ---- terminals

    @Test
    @Tag("SE2-25")
    void outputIsReplacedAsAWholeAndAppendedInPieces() throws Exception {
        assertThat(terminal(",\"output\":{\"data\":\"YWI=\"}").output()).isEqualTo("ab");
        assertThat(prints("Yw==").output()).isEqualTo("abc");
        assertThat(prints("ZGU=").output()).isEqualTo("abcde");
        assertThat(terminal(",\"command\":\"ls\"").output()).isEqualTo("abcde");
        assertThat(terminal(",\"output\":{\"data\":\"eA==\"}").output()).isEqualTo("x");
        assertThat(terminal(",\"output\":null").output()).isEmpty();
        assertThat(prints("eQ==").output()).isEqualTo("y");
    }

    @Test
    @Tag("SE2-25")
    void aCharacterMayBeSplitOverPiecesAndBytesMayBeNone() throws Exception {
        // The three bytes of a euro sign, in two pieces; then one that is in no character.
        assertThat(prints("4oI=").output()).doesNotContain("€");
        assertThat(prints("rA==").output()).isEqualTo("€");
        assertThat(prints("/w==").output()).isEqualTo("€\ufffd");
        assertThat(prints("Wg==").output()).isEqualTo("€\ufffdZ");
    }

    @Test
    @Tag("SE2-26")
    @Tag("SE2-17")
    void aTerminalHasASizeAndWhatCanBeDoneWithItAndAnEnd() throws Exception {
        Entry.Terminal begun = terminal(
                ",\"command\":\"make\",\"cwd\":\"/src\",\"size\":{\"cols\":80,\"rows\":24},\"capabilities\":{\"cancel\":{}}");
        Entry.Terminal kept = terminal(",\"_meta\":{}");
        Entry.Terminal cleared = terminal(",\"size\":null,\"capabilities\":null");
        Entry.Terminal offered = terminal(",\"capabilities\":{\"cancel\":{}}");
        Entry.Terminal exited = terminal(",\"exitStatus\":{}");

        assertThat(begun.command()).isEqualTo("make");
        assertThat(kept.cwd()).isEqualTo("/src");
        assertThat(kept.size()).hasFieldOrPropertyWithValue("cols", 80).hasFieldOrPropertyWithValue("rows", 24);
        assertThat(kept.isCancellable()).isTrue();
        assertThat(kept.exitStatus()).isNull();
        assertThat(cleared.size()).isNull();
        assertThat(cleared.isCancellable()).isFalse();
        assertThat(offered.isCancellable()).isTrue();
        assertThat(exited.exitStatus()).isNotNull();
        assertThat(exited.isCancellable()).isFalse();
        assertThat(terminal(",\"exitStatus\":{\"exitCode\":-1,\"signal\":\"TERM\"}")
                        .exitStatus())
                .hasFieldOrPropertyWithValue("exitCode", -1L)
                .hasFieldOrPropertyWithValue("signal", "TERM");
    }

    @Test
    @Tag("SE2-16")
    @Tag("SE2-19")
    void aTerminalIsCancelledOnlyWhileItSaysThatItCanBe() throws Exception {
        assertThat(terminal("").isCancellable()).isFalse();
        assertThatThrownBy(() -> session.cancel(TERMINAL)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> session.cancel(TerminalId.of("other"))).isInstanceOf(IllegalStateException.class);
        agent.settleSilently();
        assertThat(terminal(",\"capabilities\":{\"cancel\":{}}").isCancellable())
                .isTrue();

        var cancelling = RawAgent.started(() -> {
            session.cancel(TERMINAL);
            return true;
        });
        var asked = agent.answering("terminal/cancel", "{}");

        assertThat(cancelling.get()).isTrue();
        assertThat(asked.params()).hasToString("{\"sessionId\":\"s\",\"terminalId\":\"b\"}");
        // Accepted is not ended.
        assertThat(terminal("").exitStatus()).isNull();
        assertThat(terminal(",\"exitStatus\":{\"signal\":\"TERM\"}").exitStatus())
                .isNotNull();
    }
}
