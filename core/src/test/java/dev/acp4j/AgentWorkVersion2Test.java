package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Questions, cancellation and work beside the turns of an agent of version 2; the client is played by hand. */
@Timeout(20)
class AgentWorkVersion2Test {
    private static final String CANCEL =
            "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}";
    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Joined.agent(onPrompt).protocol(Version.V2).sessionIds(() -> SessionId.of("s"));
    }

    private RawClient session(Agent.Builder agent) throws Exception {
        return session(agent.build());
    }

    /** Opens the session; the next request has the number 2. */
    private RawClient session(Agent agent) throws Exception {
        RawClient client = connect(agent);
        client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        String unused = client.answerOf(1);
        return client;
    }

    private RawClient connect(Agent agent) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        open.add(agent.connect(pair.left()));
        RawClient client = new RawClient(pair.right());
        open.add(client);
        client.send(
                "initialize",
                RawClient.INITIALIZE.replace(
                        "\"capabilities\":{}", "\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}}"));
        String unused = client.answerOf(0);
        return client;
    }

    private static void prompt(RawClient client, String text) throws Exception {
        client.send(
                "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
    }

    private static String id(List<String> messages) {
        Matcher id = ID.matcher(messages.getLast());
        assertThat(id.find()).isTrue();
        return id.group(1);
    }

    private static void answer(RawClient client, String id, String result) throws Exception {
        client.line("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}");
    }

    /** Asks the user what a turn is asked for. */
    private void ask(AgentTurn turn) throws InterruptedException {
        try {
            if (turn.text().equals("permission")) {
                told.add(String.valueOf(turn.ask("Go on?")));
            } else {
                told.add(turn.elicit(CreateElicitationRequest.url(
                                ElicitationScope.session(turn.sessionId()),
                                "Here",
                                ElicitationId.of("e"),
                                "https://example.org/"))
                        .toString());
            }
        } catch (InterruptedException e) {
            told.add("withdrawn");
            throw e;
        }
    }

    // ---- prompts

    @Test
    @Tag("SE2-06")
    void aPromptWithoutContentIsRefusedAndNothingBegins() throws Exception {
        RawClient client = session(agent(turn -> turn.message("Hi")));

        client.send("session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
        assertThat(client.until("\"id\":2")).singleElement().asString().contains("-32602");
        prompt(client, "hello");

        assertThat(client.until("\"idle\""))
                .filteredOn(line -> line.contains("Hi"))
                .hasSize(1);
    }

    @Test
    @Tag("CAN-26")
    void aPromptThatIsSentBehindACancellationIsWorkedOn() throws Exception {
        RawClient client = session(agent(turn -> {
            if (turn.text().equals("first")) {
                new CountDownLatch(1).await();
            }
            turn.message(turn.text());
        }));

        prompt(client, "first");
        List<String> unused = client.until("\"id\":2");
        client.line(CANCEL);
        prompt(client, "second");

        assertThat(client.until("\"idle\"")).last().asString().contains("\"cancelled\"");
        assertThat(client.until("\"idle\""))
                .filteredOn(line -> line.contains("agent_message_chunk"))
                .singleElement()
                .asString()
                .contains("second");
    }

    @Test
    @Tag("CAN-27")
    @Tag("CAN-23")
    void ofThePromptsThatAreCancelledThoseWithAMessageAreAnsweredWithIt() throws Exception {
        RawClient client = session(agent(turn -> new CountDownLatch(1).await()));

        prompt(client, "first");
        prompt(client, "second");
        prompt(client, "third");
        List<String> taken = client.until("\"id\":2");
        client.line(CANCEL);
        List<String> rest = client.until("\"idle\"");
        while (rest.stream().filter(line -> line.contains("-32800")).count() < 2) {
            rest.addAll(client.until("-32800"));
        }

        assertThat(taken).last().asString().contains("\"result\":{\"messageId\":\"msg-1\"}");
        assertThat(rest)
                .filteredOn(line -> line.contains("-32800"))
                .extracting(line -> line.substring(0, 24))
                .containsExactlyInAnyOrder("{\"jsonrpc\":\"2.0\",\"id\":3,", "{\"jsonrpc\":\"2.0\",\"id\":4,");
        assertThat(rest)
                .filteredOn(line -> line.contains("user_message") || line.contains("\"running\""))
                .isEmpty();
    }

    @Test
    @Tag("CAN-27")
    void aPromptThatHasItsMessageIsNotWithdrawnAnyMore() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        RawClient client = session(agent(turn -> {
            go.await();
            turn.message("done");
        }));

        prompt(client, "hello");
        List<String> unused = client.until("\"id\":2");
        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":2}}");
        client.send("session/list", "{}");
        String behind = client.answerOf(3);
        go.countDown();

        assertThat(behind).contains("sessions");
        assertThat(client.until("\"idle\"")).last().asString().contains("end_turn");
    }

    @ParameterizedTest
    @ValueSource(strings = {"end_turn", "max_tokens", "max_turn_requests", "refusal", "_budget"})
    @Tag("SE2-10")
    void theReasonOfATurnIsSaidWhenTheAgentIsIdle(String reason) throws Exception {
        RawClient client = session(agent(turn -> turn.stop(StopReason.of(reason))));

        prompt(client, "hello");

        assertThat(client.until("\"idle\"")).last().asString().contains("\"stopReason\":\"" + reason + "\"");
    }

    // ---- questions

    @ParameterizedTest
    @ValueSource(strings = {"permission", "page"})
    @Tag("CAN-25")
    void aQuestionOfACancelledTurnIsWithdrawnByTheAgent(String kind) throws Exception {
        RawClient client = session(agent(this::ask));

        prompt(client, kind);
        String asked = id(client.until(kind.equals("page") ? "elicitation/create" : "session/request_permission"));
        client.line(CANCEL);
        List<String> withdrawn = client.until("$/cancel_request");
        answer(
                client,
                asked,
                kind.equals("page") ? "{\"action\":\"cancel\"}" : "{\"outcome\":{\"outcome\":\"cancelled\"}}");

        assertThat(withdrawn).last().asString().contains("\"requestId\":" + asked + "}");
        assertThat(client.until("\"idle\"")).last().asString().contains("\"stopReason\":\"cancelled\"");
        assertThat(told).containsExactly("withdrawn");
    }

    @ParameterizedTest
    @ValueSource(strings = {"permission", "page"})
    @Tag("SE2-37")
    void closingWithdrawsQuestionsEndsTheTurnAndFreesTheSessionBeforeItIsAnswered(String kind) throws Exception {
        RawClient client = session(agent(this::ask).onCloseSession(session -> told.add("freed")));

        prompt(client, kind);
        String asked = id(client.until(kind.equals("page") ? "elicitation/create" : "session/request_permission"));
        client.send("session/close", "{\"sessionId\":\"s\"}");
        List<String> withdrawn = client.until("$/cancel_request");
        List<String> rest = client.until("\"id\":3,");

        assertThat(withdrawn).last().asString().contains("\"requestId\":" + asked + "}");
        assertThat(rest.get(rest.size() - 2)).contains("\"idle\"").contains("\"cancelled\"");
        assertThat(told).containsExactly("withdrawn", "freed");
        client.send("session/list", "{}");
        assertThat(client.until("\"id\":4")).singleElement().asString().contains("\"sessions\":[]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"outcome\":\"_later\",\"when\":\"noon\"}",
                "{\"outcome\":\"approved\",\"optionId\":\"allow\"}",
                "{\"outcome\":\"selected\",\"optionId\":\"other\"}",
                "{\"outcome\":\"cancelled\",\"_meta\":{\"by\":\"policy\"}}"
            })
    @Tag("CBK-03")
    void whatIsNoChoiceOfAnOptionAllowsNothing(String outcome) throws Exception {
        List<PermissionAnswer> answers = Collections.synchronizedList(new ArrayList<>());
        RawClient client = session(agent(turn -> {
            try (ToolCallHandle call = turn.toolCall("Delete", ToolKind.DELETE)) {
                answers.add(call.requestPermission());
            }
        }));

        prompt(client, "hello");
        String asked = id(client.until("session/request_permission"));
        answer(client, asked, "{\"outcome\":" + outcome + "}");
        List<String> unused = client.until("\"idle\"");

        assertThat(answers).singleElement().satisfies(answer -> {
            assertThat(answer.isAllowed()).isFalse();
            assertThat(answer.option()).isNull();
            assertThat(answer.raw().orElseThrow().result()).hasToString("{\"outcome\":" + outcome + "}");
        });
    }

    @Test
    @Tag("CBK-04")
    void aQuestionWithoutAnOptionIsNotAsked() throws Exception {
        RawClient client = session(agent(turn -> {
            try (ToolCallHandle call = turn.toolCall("Delete", ToolKind.DELETE)) {
                PermissionAnswer unused =
                        turn.requestPermission(ToolCallUpdate.builder(call.id()).build(), List.of());
            } catch (IllegalArgumentException e) {
                told.add("refused");
            }
        }));

        prompt(client, "hello");

        assertThat(client.until("\"idle\""))
                .filteredOn(line -> line.contains("session/request_permission"))
                .isEmpty();
        assertThat(told).containsExactly("refused");
    }

    // ---- work beside the turns

    @Test
    @Tag("CAN-26")
    @Tag("SE2-13")
    void workBesideTheTurnsIsReportedWithEveryStateAndOutlivesACancellation() throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        RawClient client = session(agent(turn -> {
            ToolCallHandle watcher =
                    turn.session().toolCall("Watch", ToolKind.EXECUTE).start();
            watcher.onCancel(stopped::countDown);
            turn.session().background(List.of(BackgroundWork.ToolCall.of(watcher.id())));
            new CountDownLatch(1).await();
        }));
        String background = "\"background\":[{\"type\":\"tool_call\",\"toolCallId\":\"call-1\"}]";

        prompt(client, "hello");
        assertThat(client.until(background)).last().asString().contains("\"running\"");
        client.line(CANCEL);
        List<String> end = client.until("\"idle\"");

        assertThat(end).last().asString().contains("\"cancelled\"").contains(background);
        assertThat(end)
                .filteredOn(line -> line.contains("call-1") && line.contains("\"status\""))
                .isEmpty();
        assertThat(stopped.getCount()).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tool_call/cancel toolCallId", "terminal/cancel terminalId"})
    @Tag("SE2-18")
    void whatCannotBeCancelledIsNamed(String methodAndMember) throws Exception {
        String method = methodAndMember.split(" ", -1)[0];
        String member = methodAndMember.split(" ", -1)[1];
        RawClient client = session(agent(turn -> {}));

        client.send(method, "{\"sessionId\":\"s\",\"" + member + "\":\"x\"}");

        assertThat(client.answerOf(2)).contains("-32602").contains("\"data\":{\"" + member + "\":\"x\"}");
    }

    @Test
    @Tag("SE2-03")
    void whoResumesARunningSessionIsToldOnceWhatItIsDoing() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Agent agent = agent(turn -> {
                    turn.session().background(List.of(BackgroundWork.ToolCall.of(ToolCallId.of("w"))));
                    go.await();
                })
                .onLoadSession(session -> session.userMessage(ContentBlock.text("before")))
                .build();
        RawClient first = session(agent);
        prompt(first, "hello");
        List<String> unused = first.until("\"background\"");
        RawClient second = connect(agent);

        second.send("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"replayFrom\":{\"type\":\"start\"}}");
        List<String> resumed = second.until("\"id\":1,");
        go.countDown();

        assertThat(resumed).filteredOn(line -> line.contains("state_update")).hasSize(1);
        assertThat(resumed.getFirst()).contains("before");
        assertThat(resumed.get(resumed.size() - 2))
                .contains("\"state\":\"running\"")
                .contains("\"background\":[{\"type\":\"tool_call\",\"toolCallId\":\"w\"}]");
        assertThat(second.until("\"idle\"")).last().asString().contains("end_turn");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "session/new {\"cwd\":\"/\"",
                "session/resume {\"sessionId\":\"t\",\"cwd\":\"/\"",
            })
    @Tag("SE2-47")
    void aSystemPromptThatIsNotOfferedIsRefused(String methodAndMembers) throws Exception {
        String[] asked = methodAndMembers.split(" ", -1);
        RawClient client = session(agent(turn -> {})
                .onLoadSession(session -> told.add("loaded"))
                .onNewSession(session -> told.add("opened")));

        client.send(
                asked[0],
                asked[1]
                        + ",\"systemPrompt\":{\"mode\":\"override\",\"content\":[{\"type\":\"text\",\"text\":\"Be rude\"}]}}");

        assertThat(client.answerOf(2)).contains("-32602").contains("params.systemPrompt");
        assertThat(told).containsExactly("opened");
    }

    // ---- what a session says

    @Test
    @Tag("SE2-23")
    void aWholeMessageGoesOutAsItIs() throws Exception {
        RawClient client = session(agent(turn -> turn.update(SessionUpdate.AgentMessage.builder(MessageId.of("m"))
                .content(List.of(ContentBlock.text("whole")))
                .build())));

        prompt(client, "hello");

        assertThat(client.until("whole"))
                .last()
                .asString()
                .contains("{\"sessionUpdate\":\"agent_message\",\"messageId\":\"m\",\"content\":"
                        + "[{\"type\":\"text\",\"text\":\"whole\"}]}");
    }

    @Test
    @Tag("SE2-27")
    void aPlanHasAnIdAndIsSaidAsAWhole() throws Exception {
        PlanEntry entry = PlanEntry.of("Read", PlanEntryPriority.HIGH, PlanEntryStatus.PENDING);
        RawClient client = session(agent(turn -> {
            turn.plan(List.of(entry));
            turn.update(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Items.of(PlanId.of("own"), List.of(entry))));
        }));

        prompt(client, "hello");
        List<String> plans = client.until("\"idle\"");
        plans.removeIf(line -> !line.contains("plan_update"));

        assertThat(plans)
                .satisfiesExactly(
                        first -> assertThat(first).contains("\"planId\":\"main\"", "\"type\":\"items\"", "Read"),
                        second -> assertThat(second).contains("\"planId\":\"own\"", "Read"));
    }
}
