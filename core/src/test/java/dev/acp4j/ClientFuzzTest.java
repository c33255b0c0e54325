package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.fuzz.FuzzRun;
import dev.acp4j.fuzz.Mutations;
import dev.acp4j.fuzz.WildPeer;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SetSessionModeRequest;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A client talks to an agent that is almost right: its calls end, its answers are right, and nothing breaks. */
class ClientFuzzTest {
    private static final int CALLS = 10;

    private static final String[] UPDATES = {
        "{\"sessionUpdate\":\"user_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"u\"}}",
        "{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"a\"}}",
        "{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"i/p\"}}",
        "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"title\":\"T\",\"kind\":\"edit\",\"status\":\"pending\","
                + "\"content\":[{\"type\":\"diff\",\"path\":\"/w/a\",\"oldText\":null,\"newText\":\"b\"},"
                + "{\"type\":\"terminal\",\"terminalId\":\"x\"}],\"locations\":[{\"path\":\"/w/a\",\"line\":1}],\"rawInput\":{}}",
        "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"status\":\"completed\",\"content\":"
                + "[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"c\"}}],\"rawOutput\":[1]}",
        "{\"sessionUpdate\":\"plan\",\"entries\":[{\"content\":\"p\",\"priority\":\"high\",\"status\":\"in_progress\"}]}",
        "{\"sessionUpdate\":\"available_commands_update\",\"availableCommands\":[{\"name\":\"n\",\"description\":\"d\","
                + "\"input\":{\"hint\":\"h\"}}]}",
        "{\"sessionUpdate\":\"current_mode_update\",\"currentModeId\":\"plan\"}",
        "{\"sessionUpdate\":\"config_option_update\",\"configOptions\":[{\"type\":\"select\",\"id\":\"model\",\"name\":\"M\","
                + "\"currentValue\":\"big\",\"options\":[{\"value\":\"big\",\"name\":\"Big\"}]}]}",
        "{\"sessionUpdate\":\"session_info_update\",\"title\":\"T\",\"updatedAt\":\"2026-01-01T00:00:00Z\"}",
        "{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2,\"cost\":{\"amount\":0.5,\"currency\":\"EUR\"}}",
        "{\"sessionUpdate\":\"_wild\",\"a\":[1]}"
    };

    /** Requests of an agent. */
    private static final String[][] REQUESTS = {
        {"fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/w/a\",\"line\":1,\"limit\":2}"},
        {"fs/write_text_file", "{\"sessionId\":\"s\",\"path\":\"/w/a\",\"content\":\"c\"}"},
        {
            "session/request_permission",
            "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[{\"optionId\":\"o\",\"name\":\"O\","
                    + "\"kind\":\"allow_once\"}]}"
        },
        {
            "elicitation/create",
            "{\"sessionId\":\"s\",\"mode\":\"form\",\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"
                    + "{\"n\":{\"type\":\"string\",\"title\":\"N\"},\"i\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"n\"]}}"
        },
        {
            "terminal/create",
            "{\"sessionId\":\"s\",\"command\":\"ls\",\"args\":[\"-l\"],\"env\":[{\"name\":\"a\",\"value\":\"b\"}]}"
        },
        {"terminal/output", "{\"sessionId\":\"s\",\"terminalId\":\"t\"}"},
        {"terminal/wait_for_exit", "{\"sessionId\":\"s\",\"terminalId\":\"t\"}"},
        {"terminal/kill", "{\"sessionId\":\"s\",\"terminalId\":\"t\"}"},
        {"terminal/release", "{\"sessionId\":\"s\",\"terminalId\":\"t\"}"},
        {"_wild/echo", "{\"a\":1}"},
        {"session/prompt", "{}"}
    };

    private static final String SESSION =
            "{\"sessionId\":\"s\",\"modes\":{\"currentModeId\":\"code\",\"availableModes\":"
                    + "[{\"id\":\"code\",\"name\":\"Code\"},{\"id\":\"plan\",\"name\":\"Plan\"}]},\"configOptions\":[{\"type\":\"boolean\","
                    + "\"id\":\"model\",\"name\":\"M\",\"currentValue\":true}]}";

    /** What an agent answers, by method. */
    private static final Map<String, String> ANSWERS = Map.of(
            "initialize",
            "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true,\"promptCapabilities\":{\"image\":true},"
                    + "\"sessionCapabilities\":{\"list\":{},\"resume\":{},\"close\":{},\"delete\":{}},\"auth\":{\"logout\":{}}},"
                    + "\"authMethods\":[{\"id\":\"login\",\"name\":\"L\"}],\"agentInfo\":{\"name\":\"w\",\"version\":\"1\"}}",
            "session/new",
            SESSION,
            "session/load",
            SESSION,
            "session/resume",
            SESSION,
            "session/list",
            "{\"sessions\":[{\"sessionId\":\"s\",\"cwd\":\"/w\",\"title\":\"T\"}]}",
            "session/prompt",
            "{\"stopReason\":\"end_turn\",\"usage\":{\"totalTokens\":1,\"inputTokens\":1,\"outputTokens\":0}}",
            "session/set_config_option",
            "{\"configOptions\":[]}");

    private static final List<JsonValue> DONORS = donors();

    private static List<JsonValue> donors() {
        List<JsonValue> donors = new ArrayList<>();
        for (String update : UPDATES) {
            donors.add(RawJson.parse(update).value());
        }
        for (String[] request : REQUESTS) {
            donors.add(RawJson.parse(request[1]).value());
        }
        ANSWERS.values().forEach(answer -> donors.add(RawJson.parse(answer).value()));
        return donors;
    }

    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());

    @Test
    void everyCallEndsAndEveryRequestHasItsOneRightAnswer() throws Exception {
        FuzzRun.repeat("client", 5_000, random -> {
            int sent = converse(random);
            assertThat(failures).isEmpty();
            return sent;
        });
    }

    private int converse(Random random) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        WildAgent script = new WildAgent(new Random(random.nextLong()));
        try (WildPeer peer = new WildPeer(pair.right(), ClientMethods.all(), false, script::answer)) {
            try (ConnectedAgent agent = client().connect(pair.left())) {
                for (int i = 0; i < CALLS; i++) {
                    call(agent, random);
                }
                assertThat(agent.isOpen()).isTrue();
                peer.awaitAnswers();
            } catch (RpcException e) {
                // Its answer to initialize was wrong.
                assertThat(e).hasMessageContaining("initialize");
            }
        }
        return script.sent.get();
    }

    private static void call(ConnectedAgent agent, Random random) throws InterruptedException {
        try (Session session = agent.newSession(Path.of("/w"))) {
            switch (random.nextInt(6)) {
                case 0 ->
                    agent.call(AgentMethods.SET_MODE, SetSessionModeRequest.of(session.id(), SessionModeId.of("plan")));
                case 1 -> session.setConfigOption(SessionConfigId.of("model"), SessionConfigOptionValue.of(true));
                case 2 -> agent.listSessions(null).forEach(info -> {});
                case 3 -> agent.authenticate(AuthMethodId.of("login"));
                case 4 -> agent.deleteSession(SessionId.of("other"));
                default -> {
                    try (Turn turn = session.prompt("hi")) {
                        turn.forEach(event -> assertThat(event.toString()).isNotEmpty());
                        assertThat(turn.result().toString() + turn.text()).isNotEmpty();
                    }
                }
            }
        } catch (RpcException e) {
            assertThat(e.getMessage()).isNotBlank();
        } catch (IllegalStateException e) {
            // Its capabilities came mutilated: the call is refused before it is sent.
            assertThat(e).hasMessageContaining("does not offer");
        }
    }

    /** Says anything before an answer, answers wrongly every other time, and then rightly. */
    private static final class WildAgent {
        private final Random random;
        private final Mutations mutations;
        private final AtomicInteger sent = new AtomicInteger();

        WildAgent(Random random) {
            this.random = random;
            this.mutations = new Mutations(random, DONORS);
        }

        List<byte[]> answer(JsonObject request) {
            List<byte[]> lines = new ArrayList<>();
            String id = WildPeer.json(request, "id");
            String method = WildPeer.json(request, "method");
            for (int i = random.nextInt(8); i > 0; i--) {
                lines.add(mutations.text(said()));
            }
            String result = ANSWERS.getOrDefault(method.substring(1, method.length() - 1), "{}");
            JsonObject answer = random.nextInt(8) == 0 && !method.contains("initialize")
                    ? WildPeer.message("id", id, "error", "{\"code\":-32000,\"message\":\"no\",\"data\":{\"a\":1}}")
                    : WildPeer.message("id", id, "result", result);
            if (random.nextInt(method.contains("initialize") ? 10 : 2) == 0) {
                lines.add(mutations.text(answer));
            }
            lines.add(RawJson.of(answer).copy().bytes());
            sent.addAndGet(lines.size());
            return lines;
        }

        private JsonObject said() {
            if (random.nextBoolean()) {
                String update = UPDATES[random.nextInt(UPDATES.length)];
                return WildPeer.message(
                        "method", "\"session/update\"", "params", "{\"sessionId\":\"s\",\"update\":" + update + "}");
            }
            String[] request = REQUESTS[random.nextInt(REQUESTS.length)];
            return WildPeer.message(
                    "id",
                    String.valueOf(1000 + sent.get() * 10 + random.nextInt(10)),
                    "method",
                    "\"" + request[0] + "\"",
                    "params",
                    request[1]);
        }
    }

    private Client client() {
        return Client.builder("fuzzed", "1")
                .onReadTextFile((session, request) -> "text")
                .onWriteTextFile((session, request) -> {})
                .onPermission(PermissionQuestion::allowOnce)
                .onElicitation(ElicitationQuestion::decline)
                .terminals(new NoTerminals())
                .terminalAuthentication(true)
                .on("_wild/echo", (agent, params) -> params)
                .onProblem(this::problem)
                .build();
    }

    private void problem(Problem problem) {
        boolean failed = switch (problem.kind()) {
            case REQUEST_FAILED -> true;
            case NOTIFICATION_FAILED ->
                // Without a cause it was no valid message.
                problem.cause() != null
                        && !(problem.cause() instanceof RpcError)
                        && !(problem.cause() instanceof JsonException);
            default -> false;
        };
        if (failed) {
            failures.add(problem.toString());
        }
    }

    /** Terminals that show nothing. */
    private static final class NoTerminals implements Client.TerminalHandler {
        @Override
        public CreateTerminalResponse create(Session session, CreateTerminalRequest request) {
            return CreateTerminalResponse.of(TerminalId.of("t"));
        }

        @Override
        public TerminalOutputResponse output(Session session, TerminalOutputRequest request) {
            return TerminalOutputResponse.builder("", false).build();
        }

        @Override
        public WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request) {
            return WaitForTerminalExitResponse.of(TerminalExitStatus.exited(0));
        }

        @Override
        public void kill(Session session, KillTerminalRequest request) {}

        @Override
        public void release(Session session, ReleaseTerminalRequest request) {}

        @Override
        public void sessionEnded(Session session) {}
    }
}
