package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.fuzz.FuzzRun;
import dev.acp4j.fuzz.Mutations;
import dev.acp4j.fuzz.WildPeer;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An agent gets conversations that are almost right: every request has its one right answer, and nothing breaks. */
class AgentFuzzTest {
    private static final int MESSAGES = 50;

    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{\"fs\":"
            + "{\"readTextFile\":true,\"writeTextFile\":true},\"terminal\":true,\"elicitation\":{\"form\":{}},"
            + "\"auth\":{\"terminal\":true}},\"clientInfo\":{\"name\":\"wild\",\"version\":\"1\"}}";

    /** Methods and params; notifications begin with an exclamation mark. */
    private static final String[][] MESSAGES_OF_A_CLIENT = {
        {"initialize", INITIALIZE},
        {"authenticate", "{\"methodId\":\"login\"}"},
        {"logout", "{}"},
        {
            "session/new",
            "{\"cwd\":\"/w\",\"mcpServers\":[{\"name\":\"m\",\"command\":\"/m\",\"args\":[\"a\"],\"env\":[]}]}"
        },
        {"session/load", "{\"sessionId\":\"s2\",\"cwd\":\"/w\",\"mcpServers\":[]}"},
        {"session/resume", "{\"sessionId\":\"s1\",\"cwd\":\"/w\",\"mcpServers\":[]}"},
        {"session/list", "{\"cwd\":\"/w\",\"cursor\":\"c\"}"},
        {"session/close", "{\"sessionId\":\"s2\"}"},
        {"session/delete", "{\"sessionId\":\"n1\"}"},
        {"session/set_mode", "{\"sessionId\":\"s1\",\"modeId\":\"plan\"}"},
        {"session/set_config_option", "{\"sessionId\":\"s1\",\"configId\":\"model\",\"value\":\"big\"}"},
        {"session/prompt", "{\"sessionId\":\"s1\",\"prompt\":[{\"type\":\"text\",\"text\":\"hi\"}]}"},
        {
            "session/prompt",
            "{\"sessionId\":\"s1\",\"prompt\":[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file:///n\"},"
                    + "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\",\"annotations\":{\"priority\":1}},"
                    + "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///r\",\"text\":\"t\"}}],\"_meta\":{\"k\":1}}"
        },
        {"!session/cancel", "{\"sessionId\":\"s1\"}"},
        {"!$/cancel_request", "{\"requestId\":107}"},
        {"_wild/echo", "{\"a\":[1.5,null]}"},
        {"!_wild/tell", "{\"a\":1}"},
        {"terminal/output", "{\"sessionId\":\"s1\",\"terminalId\":\"t\"}"}
    };

    /** What a client answers, by method. */
    private static final Map<String, String> ANSWERS = Map.of(
            "fs/read_text_file", "{\"content\":\"text\"}",
            "fs/write_text_file", "{}",
            "session/request_permission", "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"yes\"}}",
            "elicitation/create", "{\"action\":\"accept\",\"content\":{\"name\":\"n\",\"n\":1}}",
            "terminal/create", "{\"terminalId\":\"t\"}",
            "terminal/output", "{\"output\":\"o\",\"truncated\":false,\"exitStatus\":{\"exitCode\":1}}",
            "terminal/wait_for_exit", "{\"exitCode\":0}",
            "terminal/release", "{}");

    private static final List<JsonValue> DONORS = donors();

    private static List<JsonValue> donors() {
        List<JsonValue> donors = new ArrayList<>();
        for (String[] message : MESSAGES_OF_A_CLIENT) {
            donors.add(RawJson.parse(message[1]).value());
        }
        ANSWERS.values().forEach(answer -> donors.add(RawJson.parse(answer).value()));
        return donors;
    }

    private final List<Problem> failures = Collections.synchronizedList(new ArrayList<>());

    @Test
    void everyRequestHasItsOneRightAnswer() throws Exception {
        FuzzRun.repeat("agent", 5_000, random -> {
            converse(random);
            assertThat(failures).isEmpty();
            return MESSAGES;
        });
    }

    private void converse(Random random) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Mutations ofMain = new Mutations(random, DONORS);
        // The peer answers in a thread of its own, so it needs a source of its own to be repeatable.
        Random answers = new Random(random.nextLong());
        Mutations ofAnswers = new Mutations(answers, DONORS);
        try (ConnectedClient client = agent().connect(pair.left());
                WildPeer peer = new WildPeer(
                        pair.right(), AgentMethods.all(), true, request -> answers(request, answers, ofAnswers))) {
            JsonObject initialize = WildPeer.message("id", "1", "method", "\"initialize\"", "params", INITIALIZE);
            if (random.nextInt(5) == 0) {
                peer.send(ofMain.text(initialize));
            }
            peer.send(bytes(initialize));
            peer.awaitAnswers();
            for (int i = 0; i < MESSAGES; i++) {
                peer.send(ofMain.text(message(i, random)));
            }
            peer.awaitAnswers();
            assertThat(client.isOpen()).isTrue();
        }
    }

    private static byte[] bytes(JsonObject message) {
        return RawJson.of(message).copy().bytes();
    }

    private static JsonObject message(int number, Random random) {
        // The first one opens a session, for the others to be of use.
        String[] message = MESSAGES_OF_A_CLIENT[number == 0 ? 5 : random.nextInt(MESSAGES_OF_A_CLIENT.length)];
        String method = message[0];
        return method.startsWith("!")
                ? WildPeer.message("method", "\"" + method.substring(1) + "\"", "params", message[1])
                : WildPeer.message(
                        "id", String.valueOf(100 + number), "method", "\"" + method + "\"", "params", message[1]);
    }

    /** Answers wrongly every other time, and then rightly: nothing waits for ever. */
    private static List<byte[]> answers(JsonObject request, Random random, Mutations mutations) {
        String id = WildPeer.json(request, "id");
        String method = WildPeer.json(request, "method");
        String result = ANSWERS.getOrDefault(method.substring(1, method.length() - 1), "{}");
        JsonObject answer = random.nextInt(5) == 0
                ? WildPeer.message("id", id, "error", "{\"code\":-32000,\"message\":\"no\",\"data\":{\"a\":1}}")
                : WildPeer.message("id", id, "result", result);
        return random.nextBoolean() ? List.of(bytes(answer)) : List.of(mutations.text(answer), bytes(answer));
    }

    private Agent agent() {
        AtomicInteger sessions = new AtomicInteger();
        return Agent.builder("fuzzed", "1")
                .onPrompt(AgentFuzzTest::turn)
                .onNewSession(session -> session.modes(SessionModeState.of(
                        SessionModeId.of("code"),
                        List.of(
                                SessionMode.of(SessionModeId.of("code"), "Code"),
                                SessionMode.of(SessionModeId.of("plan"), "Plan")))))
                .onLoadSession(session -> session.message("before"))
                .onResumeSession(session -> {})
                .onCloseSession(session -> {})
                .onListSessions((client, request) ->
                        ListSessionsResponse.builder(List.of()).build())
                .onDeleteSession((client, session) -> {})
                .onSetMode((session, mode) -> {})
                .onSetConfigOption((session, option, value) -> List.of())
                .onAuthenticate(
                        List.of(AuthMethod.Agent.builder(AuthMethodId.of("login"), "Log in")
                                .build()),
                        (client, method) -> {})
                .onLogout(client -> {})
                .on("_wild/echo", (client, params) -> params)
                .onNotification("_wild/tell", (client, params) -> {})
                .sessionIds(() -> SessionId.of("n" + sessions.incrementAndGet()))
                .onProblem(problem -> {
                    switch (problem.kind()) {
                        case REQUEST_FAILED -> failures.add(problem);
                        default -> {}
                    }
                })
                .build();
    }

    /** Asks the client for everything there is; what it answers wrongly ends the turn as a handler would. */
    private static void turn(AgentTurn turn) throws InterruptedException {
        try {
            ToolCallHandle call = turn.toolCall("Work", ToolKind.EXECUTE).start();
            PermissionOption yes =
                    PermissionOption.of(PermissionOptionId.of("yes"), "Yes", PermissionOptionKind.ALLOW_ONCE);
            if (call.requestPermission(yes).isAllowed() && turn.files().canRead()) {
                call.text(turn.files().readText(Path.of("/w/a")));
            }
            if (turn.files().canWrite()) {
                turn.files().writeText(Path.of("/w/a"), "b");
            }
            if (turn.terminals().isOffered()) {
                try (RemoteTerminal terminal = turn.terminals().start(Path.of("/w"), "ls", List.of())) {
                    call.text(terminal.output() + " " + terminal.waitForExit());
                }
            }
            if (turn.client().supports(Feature.FORMS)) {
                turn.elicit(CreateElicitationRequest.form(
                        ElicitationScope.session(turn.sessionId()),
                        "?",
                        ElicitationSchema.builder().build()));
            }
            call.complete();
        } catch (RpcException e) {
            turn.message("the client answers " + e.getClass().getSimpleName());
        }
    }
}
