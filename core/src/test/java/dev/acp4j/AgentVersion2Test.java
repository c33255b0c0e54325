package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an agent says to a client of version 2, on the wire. */
@Timeout(20)
class AgentVersion2Test {
    private static final String INITIALIZE = RawClient.INITIALIZE;
    private static final String PROMPT = "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"hello\"}]}";

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private static Agent.Builder agent(Agent.PromptHandler onPrompt) {
        return Joined.agent(onPrompt).protocol(Version.V1, Version.V2).sessionIds(() -> SessionId.of("s"));
    }

    private RawClient connect(Agent.Builder agent) {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        open.add(agent.build().connect(pair.left()));
        RawClient client = new RawClient(pair.right());
        open.add(client);
        return client;
    }

    /** Initializes the connection and opens the session; these are requests 0 and 1. */
    private RawClient session(Agent.Builder agent) throws Exception {
        RawClient client = connect(agent);
        client.send("initialize", INITIALIZE);
        client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        String unused = client.answerOf(1);
        return client;
    }

    @Test
    @Tag("SE2-04")
    @Tag("SE2-05")
    @Tag("SE2-09")
    void aTurnIsTakenAndEndsWhenTheAgentIsIdle() throws Exception {
        RawClient client = session(agent(turn -> turn.message("You said: " + turn.text())));

        client.send("session/prompt", PROMPT);

        assertThat(client.until("\"idle\""))
                .containsExactly(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":"
                                + "{\"sessionUpdate\":\"user_message\",\"messageId\":\"msg-1\",\"content\":[{\"type\":\"text\","
                                + "\"text\":\"hello\"}]}}}",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":"
                                + "{\"sessionUpdate\":\"state_update\",\"state\":\"running\"}}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"messageId\":\"msg-1\"}}",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":"
                                + "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":"
                                + "\"You said: hello\"},\"messageId\":\"msg-2\"}}}",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":"
                                + "{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}}}");
    }

    @Test
    @Tag("SE2-07")
    void promptsWaitForTheRunningTurnAndCanBeWithdrawn() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        RawClient client = session(agent(turn -> {
            go.await();
            turn.message(turn.text());
        }));

        client.send("session/prompt", PROMPT);
        client.send("session/prompt", PROMPT.replace("hello", "second"));
        client.send("session/prompt", PROMPT.replace("hello", "third"));
        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":3}}");
        List<String> withdrawn = client.until("\"id\":3");
        go.countDown();
        List<String> rest = client.until("\"idle\"");
        rest.addAll(client.until("\"idle\""));

        assertThat(withdrawn).last().asString().contains("-32800");
        assertThat(rest).filteredOn(line -> line.contains("second")).isEmpty();
        assertThat(rest)
                .filteredOn(line -> line.contains("\"id\":4,\"result\""))
                .hasSize(1);
        assertThat(rest)
                .filteredOn(line -> line.contains("agent_message_chunk"))
                .last()
                .asString()
                .contains("third");
    }

    @Test
    @Tag("SE2-36")
    void aCancelledTurnEndsAsCancelledAndThePromptsThatWaitedAreNotTaken() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        RawClient client = session(agent(turn -> never.await()));

        client.send("session/prompt", PROMPT);
        List<String> unused = client.until("\"id\":2");
        client.send("session/prompt", PROMPT);
        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}");
        List<String> seen = client.until("\"cancelled\"");
        if (seen.stream().noneMatch(line -> line.contains("-32800"))) {
            seen.addAll(client.until("-32800"));
        }

        assertThat(seen)
                .filteredOn(line -> line.contains("\"stopReason\":\"cancelled\""))
                .hasSize(1);
        assertThat(seen)
                .filteredOn(line -> line.contains("\"id\":3,\"error\":{\"code\":-32800"))
                .hasSize(1);
    }

    @Test
    @Tag("SE2-10")
    void aHandlerThatFailsEndsTheTurnWithItsError() throws Exception {
        RawClient client = session(agent(turn -> {
            throw new RpcError(-32000, "Log in first");
        }));

        client.send("session/prompt", PROMPT);

        assertThat(client.until("\"idle\""))
                .last()
                .asString()
                .contains("\"stopReason\":\"error\",\"error\":{\"code\":-32000,\"message\":\"Log in first\"}");
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,2", "3,2", "65535,2"})
    @Tag("INI-14")
    @Tag("INI-17")
    @Tag("RTR-01")
    void theNewestCommonVersionIsAnswered(int asked, int answered) throws Exception {
        RawClient client = connect(agent(turn -> {}));

        client.send("initialize", INITIALIZE.replace("\"protocolVersion\":2", "\"protocolVersion\":" + asked));

        assertThat(client.answerOf(0)).contains("\"result\":{\"protocolVersion\":" + answered + ",");
    }

    @Test
    @Tag("INI-13")
    @Tag("INI-09")
    @Tag("RTR-03")
    @Tag("ERR-04")
    void aVersionBelowAllIsRefusedAndTheConnectionCanStillBeInitialized() throws Exception {
        RawClient client = connect(agent(turn -> {}).protocol(Version.V2));

        client.send("initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
        String refused = client.answerOf(0);
        client.send("initialize", INITIALIZE);

        assertThat(refused).contains("\"code\":-32022").contains("\"data\":{\"requested\":1,\"supported\":[2]}");
        assertThat(client.answerOf(1)).contains("\"protocolVersion\":2");
    }

    @Test
    @Tag("RTR-02")
    void anAgentOfVersionOneAnswersOneToAClientOfTwo() throws Exception {
        RawClient client = connect(agent(turn -> {}).protocol(Version.V1));

        client.send("initialize", INITIALIZE);

        assertThat(client.answerOf(0)).contains("\"protocolVersion\":1,").contains("agentCapabilities");
    }

    @Test
    @Tag("INI-17")
    @Tag("INI-25")
    void theExactVersionIsStrictAndANewerOneIsForgiven() throws Exception {
        RawClient client = connect(agent(turn -> {}));

        client.send("initialize", "{\"protocolVersion\":2,\"capabilities\":{}}");
        String strict = client.answerOf(0);
        client.send("initialize", "{\"protocolVersion\":3,\"capabilities\":[],\"info\":7}");

        assertThat(strict).contains("-32602").contains("params.info");
        assertThat(client.answerOf(1)).contains("\"protocolVersion\":2");
    }

    @Test
    @Tag("INI-19")
    @Tag("INI-20")
    void initializeMayBeRepeatedUntilSomethingElseIsAsked() throws Exception {
        RawClient client = connect(agent(turn -> {}));

        client.send("initialize", INITIALIZE);
        client.send("initialize", INITIALIZE);
        client.send("initialize", INITIALIZE.replace("\"protocolVersion\":2", "\"protocolVersion\":1"));
        assertThat(client.answerOf(1)).contains("\"protocolVersion\":2");
        assertThat(client.answerOf(2)).contains("-32600");
        client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        assertThat(client.answerOf(3)).contains("\"sessionId\":\"s\"");
        client.send("initialize", INITIALIZE);
        assertThat(client.answerOf(4)).contains("-32600");
        client.send("session/list", "{}");
        assertThat(client.answerOf(5)).contains("\"sessions\":[{\"sessionId\":\"s\",\"cwd\":\"/\"}]");
    }

    @Test
    @Tag("CBK-04")
    void aQuestionHasATitleAndASubjectAndTheSessionWaitsForTheUser() throws Exception {
        RawClient client = session(agent(turn -> {
            try (ToolCallHandle call = turn.toolCall("Delete build", ToolKind.DELETE)) {
                PermissionAnswer answer = call.requestPermission();
                turn.message(String.valueOf(answer.isAllowed()));
                call.complete();
            }
        }));

        client.send("session/prompt", PROMPT);
        List<String> asked = client.until("session/request_permission");
        client.line(
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow\"}}}");
        List<String> rest = client.until("\"idle\"");

        assertThat(asked.get(asked.size() - 2)).contains("\"state\":\"requires_action\"");
        assertThat(asked)
                .last()
                .asString()
                .contains("\"title\":\"Delete build\"")
                .contains("\"subject\":{\"type\":\"tool_call\",\"toolCall\":{\"toolCallId\":");
        assertThat(rest.getFirst()).contains("\"state\":\"running\"");
        assertThat(rest).filteredOn(line -> line.contains("\"text\":\"true\"")).hasSize(1);
    }

    @Test
    @Tag("SE2-37")
    void theTurnEndsBeforeTheSessionIsClosedAndNothingFollows() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        RawClient client = session(agent(turn -> never.await()));
        client.send("session/prompt", PROMPT);
        List<String> unused = client.until("\"id\":2");

        client.send("session/close", "{\"sessionId\":\"s\"}");
        List<String> seen = client.until("\"id\":3");
        client.send("session/close", "{\"sessionId\":\"s\"}");
        List<String> after = client.until("\"id\":4");

        assertThat(seen.get(seen.size() - 2)).contains("\"idle\"").contains("\"cancelled\"");
        assertThat(after).singleElement().asString().contains("\"result\":{}");
    }

    @Test
    @Tag("SE2-02")
    @Tag("SE2-03")
    void resumingReplaysWhenThatIsAskedForAndSaysWhatTheSessionIsDoing() throws Exception {
        Agent.Builder agent = agent(turn -> {}).onLoadSession(session -> {
            session.userMessage(dev.acp4j.schema.ContentBlock.text("before"));
            session.title("A title");
        });
        RawClient client = connect(agent);
        client.send("initialize", INITIALIZE);
        String unused = client.answerOf(0);

        client.send("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"replayFrom\":{\"type\":\"start\"}}");
        List<String> replayed = client.until("\"id\":1");
        client.send("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\"}");
        List<String> resumed = client.until("\"id\":2");
        client.send("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"replayFrom\":{\"type\":\"message\"}}");
        String other = client.answerOf(3);

        assertThat(replayed).hasSize(4);
        assertThat(replayed.get(0)).contains("user_message_chunk").contains("before");
        assertThat(replayed.get(1)).contains("session_info_update");
        assertThat(replayed.get(2)).contains("\"state\":\"idle\"").doesNotContain("stopReason");
        assertThat(resumed).filteredOn(line -> line.contains("before")).isEmpty();
        assertThat(resumed)
                .filteredOn(line -> line.contains("\"state\":\"idle\""))
                .hasSize(1);
        assertThat(resumed)
                .filteredOn(line -> line.contains("session_info_update"))
                .hasSize(1);
        assertThat(other).contains("-32602").contains("params.replayFrom.type");
    }

    @Test
    void anAgentThatKeepsNothingSaysSo() throws Exception {
        RawClient client = session(agent(turn -> {}));

        client.send("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"replayFrom\":{\"type\":\"start\"}}");
        String replayed = client.answerOf(2);
        client.send("session/resume", "{\"sessionId\":\"t\",\"cwd\":\"/\"}");

        assertThat(replayed).contains("-32602").contains("keeps no conversations");
        assertThat(client.answerOf(3)).contains("-32002").contains("\"data\":{\"sessionId\":\"t\"}");
    }

    @Test
    void modesAreAnOption() throws Exception {
        List<String> set = new ArrayList<>();
        SessionModeState modes = SessionModeState.of(
                SessionModeId.of("ask"),
                List.of(
                        SessionMode.builder(SessionModeId.of("ask"), "Ask").build(),
                        SessionMode.builder(SessionModeId.of("code"), "Code").build()));
        RawClient client = connect(agent(turn -> turn.mode(SessionModeId.of("ask")))
                .onNewSession(session -> session.modes(modes))
                .onSetMode((session, mode) -> set.add(mode.value())));
        client.send("initialize", INITIALIZE);
        client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        String opened = client.answerOf(1);

        client.send(
                "session/set_config_option",
                "{\"sessionId\":\"s\",\"configId\":\"mode\",\"type\":\"id\",\"value\":\"code\"}");
        String changed = client.answerOf(2);
        client.send("session/prompt", PROMPT);
        List<String> turn = client.until("\"idle\"");

        assertThat(opened).contains("\"configId\":\"mode\"").contains("\"currentValue\":\"ask\"");
        assertThat(changed).contains("\"currentValue\":\"code\"");
        assertThat(set).containsExactly("code");
        assertThat(turn)
                .filteredOn(line -> line.contains("config_option_update"))
                .singleElement()
                .asString()
                .contains("\"currentValue\":\"ask\"");
    }

    @Test
    @Tag("SE2-48")
    void serversAreRefusedThatTheAgentCannotConnectToOrThatShareAName() throws Exception {
        RawClient client = connect(agent(turn -> {}).supports(Feature.MCP_STDIO));
        String server = "{\"type\":\"stdio\",\"name\":\"a\",\"command\":\"/bin/true\",\"args\":[],\"env\":[]}";
        client.send("initialize", INITIALIZE);

        client.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[" + server + "," + server + "]}");
        client.send(
                "session/new",
                "{\"cwd\":\"/\",\"mcpServers\":[{\"type\":\"http\",\"name\":\"b\",\"url\":\"http://x/\",\"headers\":[]}]}");

        assertThat(client.answerOf(1)).contains("-32602").contains("\"data\":{\"name\":\"a\"}");
        assertThat(client.answerOf(2)).contains("-32602").contains("\"data\":{\"type\":\"http\"}");
    }

    @Test
    @Tag("SE2-16")
    @Tag("SE2-18")
    @Tag("SE2-19")
    void aToolCallIsCancelledAloneWhileItSaysThatItCanBe() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        RawClient client = session(agent(turn -> {
            ToolCallHandle call = turn.toolCall("Build", ToolKind.EXECUTE).start();
            call.onCancel(cancelled::countDown);
            cancelled.await();
            call.cancelled();
        }));
        client.send("session/prompt", PROMPT);
        List<String> announced = client.until("\"capabilities\":{\"cancel\":{}}");

        client.send("tool_call/cancel", "{\"sessionId\":\"s\",\"toolCallId\":\"call-1\"}");
        List<String> rest = client.until("\"idle\"");
        if (rest.stream().noneMatch(line -> line.contains("\"id\":3,"))) {
            rest.addAll(client.until("\"id\":3,"));
        }
        client.send("tool_call/cancel", "{\"sessionId\":\"s\",\"toolCallId\":\"call-1\"}");
        String late = client.answerOf(4);

        assertThat(announced).last().asString().contains("call-1");
        assertThat(rest)
                .filteredOn(line -> line.contains("\"id\":3,\"result\""))
                .hasSize(1);
        assertThat(rest)
                .filteredOn(line -> line.contains("\"status\":\"cancelled\""))
                .hasSize(1);
        assertThat(late).contains("-32602").contains("\"data\":{\"toolCallId\":\"call-1\"}");
    }

    @Test
    void aCommandIsStoppedAloneWhileItSaysThatItCanBe() throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        RawClient client = session(agent(turn -> {
            try (ToolCallHandle call = turn.toolCall("Serve", ToolKind.EXECUTE).start();
                    AgentTerminal terminal = call.openTerminal("make", Joined.HERE)) {
                terminal.onCancel(stopped::countDown);
                stopped.await();
                terminal.killed("SIGTERM");
                call.cancelled();
            }
        }));
        client.send("session/prompt", PROMPT);
        List<String> announced = client.until("\"capabilities\":{\"cancel\":{}}");

        client.send("tool_call/cancel", "{\"sessionId\":\"s\",\"toolCallId\":\"call-1\"}");
        client.send("terminal/cancel", "{\"sessionId\":\"s\",\"terminalId\":\"call-1\"}");
        List<String> rest = client.until("\"idle\"");
        client.send("terminal/cancel", "{\"sessionId\":\"s\",\"terminalId\":\"call-1\"}");
        String late = client.answerOf(5);

        assertThat(announced).last().asString().contains("terminal_update", "\"terminalId\":\"call-1\"");
        assertThat(rest)
                .filteredOn(line -> line.contains("\"id\":3,"))
                .singleElement()
                .asString()
                .contains("-32602");
        assertThat(rest)
                .filteredOn(line -> line.contains("\"exitStatus\":{\"signal\":\"SIGTERM\"}"))
                .hasSize(1);
        assertThat(late).contains("-32602").contains("\"data\":{\"terminalId\":\"call-1\"}");
    }

    @Test
    @Tag("AUT-01")
    void usersLogInAndOut() throws Exception {
        List<String> seen = new ArrayList<>();
        AuthMethod method =
                AuthMethod.Agent.builder(AuthMethodId.of("key"), "Key").build();
        RawClient client = connect(agent(turn -> {})
                .onAuthenticate(List.of(method), (who, id) -> seen.add(id.value()))
                .onLogout(who -> seen.add("out")));
        client.send("initialize", INITIALIZE);

        client.send("auth/login", "{\"methodId\":\"key\"}");
        assertThat(client.answerOf(1)).contains("\"result\":{}");
        client.send("auth/login", "{\"methodId\":\"other\"}");
        assertThat(client.answerOf(2)).contains("-32602");
        client.send("auth/logout", "{}");
        assertThat(client.answerOf(3)).contains("\"result\":{}");
        client.send("authenticate", "{\"methodId\":\"key\"}");
        assertThat(client.answerOf(4)).contains("-32601");
        assertThat(seen).containsExactly("key", "out");
        assertThatThrownBy(() -> agent(turn -> {})
                        .onAuthenticate(List.of(method), (who, id) -> {})
                        .build())
                .hasMessageContaining("onLogout");
    }

    @Test
    void workOfTheAgentIsATurnWithoutAPrompt() throws Exception {
        RawClient client = session(agent(turn -> turn.session().work(own -> own.message("And one more thing."))));

        client.send("session/prompt", PROMPT);
        List<String> first = client.until("\"idle\"");
        List<String> own = client.until("\"idle\"");

        assertThat(first).filteredOn(line -> line.contains("one more")).isEmpty();
        assertThat(own).hasSize(3);
        assertThat(own.get(0)).contains("\"running\"");
        assertThat(own.get(1)).contains("one more");
        assertThat(own.get(2)).contains("\"end_turn\"");
    }

    @Test
    void theStateOfASessionIsSaidByItsTurnsAlone() throws Exception {
        RawClient client = session(agent(turn -> {
            try {
                turn.update(StateUpdate.Idle.builder().build());
            } catch (IllegalArgumentException e) {
                turn.message("refused");
            }
        }));

        client.send("session/prompt", PROMPT);

        assertThat(client.until("\"idle\""))
                .filteredOn(line -> line.contains("refused"))
                .hasSize(1);
    }

    @Test
    void aClientThatResumesItsOwnSessionStaysInIt() throws Exception {
        RawClient client = session(agent(turn -> turn.message("Still here")));

        client.send("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
        String resumed = client.answerOf(2);
        client.send("session/prompt", PROMPT);
        List<String> turn = client.until("\"idle\"");

        assertThat(resumed).contains("\"result\"");
        assertThat(turn).anySatisfy(line -> assertThat(line).contains("Still here"));
    }

    @Test
    void aPromptThatWaitsRunsThoughItsClientHasLeft() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Agent agent = agent(turn -> {
                    if (turn.text().equals("second")) {
                        second.countDown();
                    } else {
                        go.await();
                    }
                })
                .onResumeSession(session -> {})
                .build();
        MemoryTransport.Pair one = MemoryTransport.pair();
        MemoryTransport.Pair two = MemoryTransport.pair();
        open.add(agent.connect(one.left()));
        ConnectedClient leaving = agent.connect(two.left());
        open.add(leaving);
        RawClient stays = new RawClient(one.right());
        open.add(stays);
        RawClient leaves = new RawClient(two.right());
        for (RawClient client : List.of(stays, leaves)) {
            client.send("initialize", INITIALIZE);
        }
        stays.send("session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        String opened = stays.answerOf(1);
        leaves.send("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
        String resumed = leaves.answerOf(1);
        stays.send("session/prompt", PROMPT);
        List<String> running = stays.until("\"running\"");
        leaves.send("session/prompt", PROMPT.replace("hello", "second"));
        leaves.send("session/list", "{}");
        String listed = leaves.answerOf(3);

        leaves.close();
        leaving.awaitClosed();
        go.countDown();
        second.await();
        List<String> rest = stays.until("\"idle\"");
        rest.addAll(stays.until("\"idle\""));

        assertThat(List.of(opened, resumed, listed))
                .allSatisfy(line -> assertThat(line).contains("\"result\""));
        assertThat(running).isNotEmpty();
        assertThat(rest).anySatisfy(line -> assertThat(line).contains("user_message", "second"));
    }
}
