package dev.acp4j;

import static dev.acp4j.RawAgent.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.StopReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client makes of prompts, states and messages of version 2; the agent is played by hand. */
@Timeout(20)
class PromptVersion2Test {
    private final List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
    private RawAgent agent;

    @BeforeEach
    void connect() throws Exception {
        agent = RawAgent.version2(Joined.client().onProblem(problems::add));
    }

    @AfterEach
    void close() {
        agent.close();
    }

    private Turn accepted(Session session, String message) throws Exception {
        Turn turn = session.prompt("hello");
        agent.answer("session/prompt", "{\"messageId\":\"" + message + "\"}");
        return turn;
    }

    private void running() throws Exception {
        agent.update("state_update", "\"state\":\"running\"");
    }

    private void idle(String reason) throws Exception {
        agent.update("state_update", "\"state\":\"idle\",\"stopReason\":\"" + reason + "\"");
    }

    private void piece(String kind, String id, String text) throws Exception {
        agent.update(kind, "\"messageId\":\"" + id + "\",\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}");
    }

    private void whole(String kind, String id, String text) throws Exception {
        agent.update(kind, "\"messageId\":\"" + id + "\",\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]");
    }

    // ---- prompts

    @Test
    @Tag("SE2-06")
    void aPromptWithoutContentIsNotSent() throws Exception {
        Session session = agent.open();

        assertThatThrownBy(() -> session.prompt(List.of())).isInstanceOf(IllegalArgumentException.class);

        agent.settleSilently();
    }

    @Test
    @Tag("SE2-07")
    void aPromptWaitsForTheTurnBeforeItAndCanBeTakenBack() throws Exception {
        Session session = agent.open();
        Turn first = accepted(session, "u1");
        Turn withdrawn = session.prompt("second");
        Turn third = session.prompt("third");

        running();
        agent.settleSilently();
        withdrawn.cancel();
        idle("end_turn");
        Message next = agent.expect("session/prompt");

        assertThat(first.result().stopReason()).isEqualTo(StopReason.END_TURN);
        assertThat(withdrawn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(next.params()).asString().contains("third");
        agent.answer(next, "{\"messageId\":\"u3\"}");
        running();
        idle("refusal");
        assertThat(third.result().stopReason()).isEqualTo(StopReason.REFUSAL);
    }

    @Test
    @Tag("SE2-05")
    void theMessageOfThePromptMayComeBehindItsAnswer() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");

        whole("user_message", "u1", "hello");
        running();
        piece("agent_message_chunk", "a1", "Hi");
        idle("end_turn");

        assertThat(turn.text()).isEqualTo("Hi");
        assertThat(session.view().messages())
                .extracting(Entry.Message::author)
                .containsExactly(Entry.Message.Author.USER, Entry.Message.Author.AGENT);
    }

    @Test
    @Tag("SE2-08")
    void aPromptThatIsRefusedEndsNoWork() throws Exception {
        Session session = agent.open();
        running();
        Turn turn = session.prompt("hello");
        agent.refuse(agent.expect("session/prompt"), -32602, "No");

        assertThatThrownBy(turn::result)
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(-32602));
        assertThat(session.view().state()).isEqualTo(SessionEvent.StateChanged.State.RUNNING);
        Turn next = accepted(session, "u2");
        running();
        idle("max_tokens");
        assertThat(next.result().stopReason()).isEqualTo(StopReason.MAX_TOKENS);
    }

    // ---- the end of a turn

    @Test
    @Tag("SE2-09")
    void anEndThatIsSaidAgainEndsNothing() throws Exception {
        Session session = agent.open();
        Turn first = accepted(session, "u1");
        running();
        idle("end_turn");
        TurnResult unused = first.result();

        idle("end_turn");
        Turn second = accepted(session, "u2");
        idle("end_turn");
        agent.settleSilently();
        assertThat(second.isDone()).isFalse();
        running();
        idle("max_turn_requests");
        idle("max_turn_requests");
        agent.settleSilently();

        assertThat(second.result().stopReason()).isEqualTo(StopReason.MAX_TURN_REQUESTS);
        assertThat(session.view().timeline().entries(Entry.TurnEnd.class)).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"stopReason\":\"end_turn\" | end_turn",
                "\"stopReason\":\"max_tokens\" | max_tokens",
                "\"stopReason\":\"max_turn_requests\" | max_turn_requests",
                "\"stopReason\":\"refusal\" | refusal",
                "\"stopReason\":\"cancelled\" | cancelled",
                "\"stopReason\":\"error\" | error",
                "\"stopReason\":\"_budget\" | _budget",
                "\"stopReason\":null | end_turn",
                "\"stopReason\":7 | end_turn",
                "\"_meta\":{} | end_turn",
            })
    @Tag("SE2-10")
    void aTurnEndsForTheReasonThatTheAgentGives(String members, String reason) throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");

        running();
        agent.update("state_update", "\"state\":\"idle\"," + members);

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.of(reason));
        assertThat(problems).isEmpty();
    }

    @Test
    @Tag("SE2-10")
    void aTurnThatEndsWithTheDetailsOfAnErrorFailsWithThem() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");

        running();
        agent.update(
                "state_update",
                "\"state\":\"idle\",\"stopReason\":\"error\",\"error\":{\"code\":-7,\"message\":\"No model\","
                        + "\"data\":{\"model\":\"m\"}}");

        assertThatThrownBy(turn::result).isInstanceOfSatisfying(RpcError.class, e -> {
            assertThat(e.code()).isEqualTo(-7);
            assertThat(e.message()).isEqualTo("No model");
            assertThat(e.data()).hasValueSatisfying(data -> assertThat(data).hasToString("{\"model\":\"m\"}"));
        });
    }

    // ---- states

    @Test
    @Tag("SE2-11")
    void onlyIdleEndsATurn() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");

        running();
        for (String state : List.of("requires_action", "_resting", "hibernating", "running", "unknown")) {
            agent.update("state_update", "\"state\":\"" + state + "\",\"stopReason\":\"end_turn\"");
            agent.settleSilently();
            assertThat(turn.isDone()).as(state).isFalse();
            assertThat(session.view().state()).as(state).isNotEqualTo(SessionEvent.StateChanged.State.IDLE);
        }
        agent.update("state_update", "\"state\":\"requires_action\"");
        agent.settleSilently();
        assertThat(session.view().state()).isEqualTo(SessionEvent.StateChanged.State.REQUIRES_ACTION);
        idle("end_turn");

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
    }

    @Test
    @Tag("SE2-12")
    void aSessionIsIdleUnlessTheAgentHasSaidOtherwiseBeforeItWasOpen() throws Exception {
        FutureTask<Session> opening = started(() -> agent.connected().newSession(Joined.HERE));
        Message request = agent.expect("session/new");
        agent.updateOf("busy", "state_update", "\"state\":\"running\",\"background\":[]");
        agent.answer(request, "{\"sessionId\":\"busy\"}");

        Session busy = opening.get();
        Session other = agent.open("{\"sessionId\":\"other\"}");

        assertThat(busy.view().state()).isEqualTo(SessionEvent.StateChanged.State.RUNNING);
        assertThat(busy.view().background()).isPresent();
        assertThat(other.view().state()).isEqualTo(SessionEvent.StateChanged.State.IDLE);
        assertThat(other.view().background()).isEmpty();
    }

    private List<BackgroundWork> background(Session session, String members) throws Exception {
        agent.update("state_update", "\"state\":\"idle\"" + members);
        agent.settleSilently();
        return session.view().background().orElseThrow();
    }

    @Test
    @Tag("SE2-13")
    @Tag("SE2-14")
    void theLatestReportOfWorkBesideTheTurnsCounts() throws Exception {
        Session session = agent.open();

        assertThat(background(
                        session,
                        ",\"background\":[{\"type\":\"tool_call\",\"toolCallId\":\"a\"},"
                                + "{\"type\":\"terminal\",\"terminalId\":\"b\"}]"))
                .hasSize(2);
        // Of a kind that is not known, but running.
        assertThat(background(session, ",\"background\":[{\"type\":\"_cron\",\"at\":\"noon\"}]"))
                .singleElement()
                .isInstanceOfSatisfying(
                        BackgroundWork.Unknown.class,
                        work -> assertThat(work.raw()).hasToString("{\"type\":\"_cron\",\"at\":\"noon\"}"));
        assertThat(background(session, ",\"background\":[]")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ",\"background\":null", ",\"background\":7", ",\"background\":[{\"type\":\"terminal\"}]"})
    @Tag("SE2-13")
    void workBesideTheTurnsIsNotKnownWhenItIsNotReported(String members) throws Exception {
        Session session = agent.open();
        assertThat(background(session, ",\"background\":[{\"type\":\"terminal\",\"terminalId\":\"b\"}]"))
                .hasSize(1);

        agent.update("state_update", "\"state\":\"idle\"" + members);
        agent.settleSilently();

        assertThat(session.view().background()).isEmpty();
    }

    // ---- reading

    @Test
    @Tag("SE2-38")
    void aReadThatIsInterruptedLosesNothing() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");
        Iterator<SessionEvent> events = turn.iterator();
        agent.settleSilently();

        Thread.currentThread().interrupt();
        assertThatThrownBy(events::hasNext).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
        Message unused = agent.expect("session/cancel");
        piece("agent_message_chunk", "a1", "Stopped.");

        assertThat(events.next())
                .isInstanceOfSatisfying(
                        SessionEvent.Message.class,
                        said -> assertThat(said.text()).isEqualTo("Stopped."));
    }

    @Test
    @Tag("SE2-38")
    void whatHadComeWhenTheConnectionEndedCanStillBeRead() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");
        piece("agent_message_chunk", "a1", "One");
        piece("agent_message_chunk", "a1", "Two");

        agent.hangUp();
        agent.connected().awaitClosed();

        assertThatThrownBy(turn::result).hasMessageContaining("closed");
        List<String> read = new ArrayList<>();
        for (SessionEvent event : turn) {
            read.add(((SessionEvent.Message) event).text());
        }
        assertThat(read).containsExactly("One", "Two");
    }

    @Test
    @Tag("SE2-39")
    void theTextOfATurnIsThatOfTheAgentsMessagesAsTheyAreInTheEnd() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");

        whole("user_message", "u1", "hello");
        running();
        piece("agent_message_chunk", "a1", "A");
        whole("agent_message", "a2", "B");
        piece("agent_thought_chunk", "t1", "Hm");
        piece("agent_message_chunk", "a1", "a");
        whole("agent_message", "a2", "C");
        piece("agent_message_chunk", "a2", "c");
        whole("agent_message", "a3", "D");
        agent.update("agent_message", "\"messageId\":\"a3\",\"content\":null");
        agent.update("agent_message", "\"messageId\":\"a1\",\"_meta\":{\"seen\":true}");
        idle("end_turn");

        assertThat(turn.text()).isEqualTo("AaCc");
    }

    @Test
    @Tag("SE2-40")
    void anUpdateOfAnUnknownKindIsReadAsItCame() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");

        running();
        agent.update("_mood", "\"mood\":\"good\",\"x\":[1]");
        agent.update("plan", "\"entries\":[]");
        piece("agent_message_chunk", "a1", "Hi");
        idle("end_turn");

        List<SessionEvent> read = new ArrayList<>();
        turn.forEach(read::add);
        assertThat(read)
                .filteredOn(event -> event instanceof SessionEvent.Other)
                .satisfiesExactly(
                        first -> assertThat(((SessionEvent.Other) first).update())
                                .hasToString("{\"sessionUpdate\":\"_mood\",\"mood\":\"good\",\"x\":[1]}"),
                        second ->
                                assertThat(((SessionEvent.Other) second).kind()).isEqualTo("plan"));
        assertThat(session.view().plans()).isEmpty();
        assertThat(turn.text()).isEqualTo("Hi");
    }

    @Test
    @Tag("SE2-41")
    void anUpdateThatCannotBeReadIsReportedAndLeftOut() throws Exception {
        Session session = agent.open();
        Turn turn = accepted(session, "u1");

        running();
        agent.update("tool_call_update", "\"title\":\"Without an id\"");
        agent.update("agent_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"without an id\"}");
        piece("agent_message_chunk", "a1", "Hi");
        idle("end_turn");

        assertThat(turn.text()).isEqualTo("Hi");
        assertThat(session.view().toolCalls()).isEmpty();
        assertThat(problems)
                .extracting(Problem::detail)
                .satisfiesExactly(
                        first -> assertThat(first).contains("toolCallId"),
                        second -> assertThat(second).contains("messageId"));
    }

    @Test
    @Tag("SE2-33")
    void ofSessionsThatNobodyOpensOnlySoMuchIsKept() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            agent.updateOf("stranger-" + i, "state_update", "\"state\":\"running\"");
        }
        agent.settleSilently();

        assertThat(problems)
                .filteredOn(problem -> problem.kind() == Problem.Kind.UNHANDLED_NOTIFICATION)
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail()).contains("too many sessions that nobody opened"));
    }

    // ---- the session as a whole

    @Test
    @Tag("SE2-32")
    void threadsShareASessionAndALeavingListenerTakesNoOtherWithIt() throws Exception {
        List<String> stays = Collections.synchronizedList(new ArrayList<>());
        List<String> leaves = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch heard = new CountDownLatch(2);
        Session session = agent.open();
        Session.Subscription first = session.onEvent((of, event) -> {
            leaves.add(event.getClass().getSimpleName());
            heard.countDown();
        });
        Session.Subscription second = session.onEvent((of, event) -> {
            stays.add(event.getClass().getSimpleName());
            heard.countDown();
        });
        FutureTask<Turn> elsewhere = started(() -> accepted(session, "u1"));
        Turn turn = elsewhere.get();

        running();
        heard.await();
        first.close();
        idle("end_turn");
        FutureTask<TurnResult> waiting = started(turn::result);

        assertThat(waiting.get()).isSameAs(turn.result());
        assertThat(stays).containsExactly("StateChanged", "StateChanged");
        assertThat(leaves).containsExactly("StateChanged");
        second.close();
    }

    private void conversation() throws Exception {
        whole("user_message", "u1", "hello");
        piece("agent_thought_chunk", "t1", "Hm");
        piece("agent_message_chunk", "a1", "I wil");
        agent.update("tool_call_update", "\"toolCallId\":\"c1\",\"title\":\"Read\",\"status\":\"in_progress\"");
        whole("agent_message", "a1", "I will read.");
        agent.update(
                "tool_call_content_chunk",
                "\"toolCallId\":\"c1\",\"content\":{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"x\"}}");
        agent.update(
                "plan_update",
                "\"plan\":{\"type\":\"items\",\"planId\":\"p\",\"entries\":"
                        + "[{\"content\":\"Read\",\"priority\":\"high\",\"status\":\"completed\"}]}");
        agent.update("terminal_update", "\"terminalId\":\"b\",\"command\":\"ls\",\"output\":{\"data\":\"YQ==\"}");
        agent.update("terminal_output_chunk", "\"terminalId\":\"b\",\"data\":\"Yg==\"");
        agent.update("tool_call_update", "\"toolCallId\":\"c1\",\"status\":\"completed\",\"rawOutput\":{\"n\":1}");
        agent.update("session_info_update", "\"title\":\"Reading\"");
        agent.update("usage_update", "\"used\":1,\"size\":2");
    }

    private static List<String> shown(Session session) {
        List<String> shown = new ArrayList<>(BothVersionsTest.shown(session));
        shown.removeIf(line -> line.startsWith("end "));
        shown.add(session.view().title() + " " + session.view().usage() + " "
                + session.view().plan());
        session.view().timeline().entries(Entry.Terminal.class).forEach(terminal -> shown.add(terminal.output()));
        return shown;
    }

    @Test
    @Tag("SE2-52")
    @Tag("SE2-02")
    void aReplayShowsWhatWasShownLive() throws Exception {
        Session live = agent.open();
        Turn turn = accepted(live, "u1");
        running();
        conversation();
        idle("end_turn");
        TurnResult unused = turn.result();
        List<String> expected = shown(live);
        live.detach();

        FutureTask<Session> loading = started(() -> agent.connected().loadSession(live.id(), Joined.HERE));
        Message resume = agent.expect("session/resume");
        conversation();
        agent.update("state_update", "\"state\":\"idle\"");
        agent.answer(resume, "{}");

        assertThat(resume.params()).asString().contains("\"replayFrom\":{\"type\":\"start\"}");
        assertThat(shown(loading.get())).hasSizeGreaterThan(6).isEqualTo(expected);
    }
}
