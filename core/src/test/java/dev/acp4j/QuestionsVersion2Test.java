package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a client answers the questions of an agent of version 2, which is played by hand. */
@Timeout(20)
class QuestionsVersion2Test {
    private static final String OPTIONS = "\"options\":[{\"optionId\":\"y\",\"name\":\"Yes\",\"kind\":\"allow_once\"},"
            + "{\"optionId\":\"n\",\"name\":\"No\",\"kind\":\"reject_once\"}]";

    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore arrived = new Semaphore(0);

    @SuppressWarnings("NullAway.Init") // Each test connects first.
    private RawAgent agent;

    @AfterEach
    void close() {
        agent.close();
    }

    private Session connect(Client.Builder client) throws Exception {
        agent = RawAgent.version2(client.onProblem(problem -> {}));
        return agent.open();
    }

    private void ask(int id, String members) throws Exception {
        agent.request(id, "session/request_permission", "{\"sessionId\":\"s\"," + members + "," + OPTIONS + "}");
    }

    private static String subject(String about) {
        return "\"title\":\"Go on?\",\"subject\":" + about;
    }

    private static String describe(PermissionQuestion question) {
        Entry.ToolCall call = question.toolCall();
        return question.title() + "; " + question.description() + "; "
                + (call == null ? "-" : call.id() + " " + call.title());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"title\":\"Go on?\" | Go on?; null; -",
                "\"title\":\"Go on?\",\"description\":null,\"subject\":null | Go on?; null; -",
                "\"title\":\"Go on?\",\"description\":\"It costs.\" | Go on?; It costs.; -",
                "\"title\":\"Go on?\",\"subject\":{\"type\":\"tool_call\",\"toolCall\":{\"toolCallId\":\"c\",\"title\":\"Read\"}}"
                        + " | Go on?; null; c Read",
                "\"title\":\"Go on?\",\"subject\":{\"type\":\"command\",\"command\":\"ls\",\"cwd\":\"/x\"}"
                        + " | Go on?; Runs ls in /x; -",
                "\"title\":\"Go on?\",\"subject\":{\"type\":\"command\",\"command\":\"ls\",\"cwd\":\"/x\",\"toolCallId\":\"c\"}"
                        + " | Go on?; Runs ls in /x; c c",
                "\"title\":\"Go on?\",\"subject\":{\"type\":\"_door\",\"door\":3} | Go on?; null; -",
            })
    @Tag("CBK-04")
    @Tag("SE2-34")
    void aQuestionHasATitleAndMaySayMore(String members, String described) throws Exception {
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        Session unused = connect(Joined.client()
                .onEvent((session, event) -> events.add(event.getClass().getSimpleName()))
                .onPermission(question -> {
                    asked.add(describe(question));
                    return question.allowOnce();
                }));

        ask(7, members);

        assertThat(agent.read().result()).hasToString("{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"y\"}}");
        assertThat(asked).containsExactly(described);
        assertThat(events).isSubsetOf("ToolCallChanged");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"description\":\"It costs.\"", "\"title\":null", "\"title\":7"})
    @Tag("CBK-04")
    void aQuestionWithoutATitleIsNotPutToTheUser(String members) throws Exception {
        Session unused = connect(Joined.client().onPermission(question -> {
            asked.add(describe(question));
            return question.allowOnce();
        }));

        ask(7, members);

        assertThat(agent.read().error()).asString().contains("-32602").contains("title");
        assertThat(asked).isEmpty();
    }

    @Test
    @Tag("CBK-04")
    void aQuestionWithoutOptionsCanOnlyBeCancelled() throws Exception {
        Session unused = connect(Joined.client().onPermission(PermissionQuestion::allowOnce));

        agent.request(7, "session/request_permission", "{\"sessionId\":\"s\",\"title\":\"Go on?\",\"options\":[]}");

        assertThat(agent.read().result()).hasToString("{\"outcome\":{\"outcome\":\"cancelled\"}}");
    }

    @Test
    @Tag("CBK-03")
    void anAnswerMayBeOneOfAnExtension() throws Exception {
        RawJson later = RawJson.parse("{\"outcome\":\"_later\",\"when\":\"noon\"}");
        Session unused = connect(
                Joined.client().onPermission(question -> new RequestPermissionOutcome.Unknown("_later", later)));

        ask(7, "\"title\":\"Go on?\"");

        assertThat(agent.read().result()).hasToString("{\"outcome\":" + later + "}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"session/request_permission", "elicitation/create"})
    @Tag("CAN-25")
    @Tag("CBK-05")
    void aQuestionThatTheAgentWithdrawsIsAnsweredWithCancelled(String method) throws Exception {
        Session unused = connect(Joined.client()
                .onPermission(question -> {
                    arrived.release();
                    new CountDownLatch(1).await();
                    return question.allowOnce();
                })
                .onElicitation(
                        question -> {
                            arrived.release();
                            new CountDownLatch(1).await();
                            return question.accept();
                        },
                        Feature.PAGES));

        agent.request(
                7,
                method,
                "{\"sessionId\":\"s\",\"title\":\"Go on?\"," + OPTIONS
                        + ",\"mode\":\"url\",\"message\":\"Here\",\"elicitationId\":\"e\",\"url\":\"https://example.org/\"}");
        arrived.acquire();
        agent.notification("$/cancel_request", "{\"requestId\":7}");

        assertThat(agent.read().result())
                .hasToString(
                        method.equals("elicitation/create")
                                ? "{\"action\":\"cancel\"}"
                                : "{\"outcome\":{\"outcome\":\"cancelled\"}}");
    }

    @Test
    @Tag("CAN-26")
    @Tag("SE2-15")
    void cancellingATurnLeavesTheQuestionsOfWorkBesideItOpen() throws Exception {
        Map<String, Boolean> isBackground = new ConcurrentHashMap<>();
        CountDownLatch decide = new CountDownLatch(1);
        Session session = connect(Joined.client().onPermission(question -> {
            isBackground.put(question.title(), question.isForBackgroundWork());
            arrived.release();
            decide.await();
            return question.allowOnce();
        }));
        Turn turn = session.prompt("hello");
        agent.answer("session/prompt", "{\"messageId\":\"u\"}");
        agent.update("user_message", "\"messageId\":\"u\",\"content\":[]");
        agent.update(
                "state_update",
                "\"state\":\"running\",\"background\":[{\"type\":\"tool_call\",\"toolCallId\":\"watch\"},"
                        + "{\"type\":\"terminal\",\"terminalId\":\"server\"},{\"type\":\"_cron\"}]");
        String call = "{\"type\":\"tool_call\",\"toolCall\":{\"toolCallId\":\"%s\"}}";
        String command = "{\"type\":\"command\",\"command\":\"ls\",\"cwd\":\"/\",%s}";
        ask(1, subject(call.formatted("watch")).replace("Go on?", "call"));
        ask(2, subject(command.formatted("\"toolCallId\":\"watch\"")).replace("Go on?", "command of call"));
        ask(3, subject(command.formatted("\"terminalId\":\"server\"")).replace("Go on?", "command in terminal"));
        ask(4, subject(call.formatted("own")).replace("Go on?", "other call"));
        ask(5, subject(command.formatted("\"terminalId\":\"own\"")).replace("Go on?", "other command"));
        ask(6, "\"title\":\"nothing\"");
        arrived.acquire(6);

        turn.cancel();
        Map<RequestId, String> answers = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        while (answers.size() < 3) {
            read(answers);
        }
        decide.countDown();
        while (answers.size() < 6) {
            read(answers);
        }

        assertThat(isBackground)
                .containsOnly(
                        Map.entry("call", true),
                        Map.entry("command of call", true),
                        Map.entry("command in terminal", true),
                        Map.entry("other call", false),
                        Map.entry("other command", false),
                        Map.entry("nothing", false));
        String allowed = "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"y\"}}";
        String cancelled = "{\"outcome\":{\"outcome\":\"cancelled\"}}";
        assertThat(answers.values()).containsExactly(allowed, allowed, allowed, cancelled, cancelled, cancelled);
    }

    private void read(Map<RequestId, String> answers) throws Exception {
        Message message = agent.read();
        if (message.id() != null && message.result() != null) {
            answers.put(message.id(), message.result().toString());
        }
    }

    @Test
    @Tag("CBK-20")
    @Tag("CBK-08")
    void whatTheClientDoesNotOfferIsNotAsked() throws Exception {
        Session unused = connect(Joined.client().onElicitation(question -> question.cancel(), Feature.FORMS));

        agent.request(
                1,
                "elicitation/create",
                "{\"sessionId\":\"s\",\"mode\":\"url\",\"message\":\"Here\",\"elicitationId\":\"e\",\"url\":\"https://x.org/\"}");
        assertThat(agent.read().error()).asString().contains("-32602").contains("url");
        agent.request(2, "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/a\"}");
        assertThat(agent.read().error()).asString().contains("-32601");
    }
}
