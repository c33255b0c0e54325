package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every request that the session API sends can carry {@code _meta}. */
@Timeout(60)
class MetaOfRequestsTest {
    @RegisterExtension
    final Joined joined = new Joined();

    /** The params of the last message of each method. */
    private final Map<String, String> sent = new ConcurrentHashMap<>();

    private Interceptor record() {
        return (message, next) -> {
            RawJson params = message.params();
            sent.put(message.method(), params == null ? "" : params.toString());
            next.pass(message);
        };
    }

    private static Meta meta(String value) {
        return Meta.of(RawJson.parse("{\"test\":\"" + value + "\"}"));
    }

    private void assertCarries(String method, String value) {
        assertThat(sent.get(method)).as(method).contains("\"_meta\":{\"test\":\"" + value + "\"}");
    }

    @Test
    void aClientSendsItWithEachRequest() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                            running.countDown();
                            new CountDownLatch(1).await();
                        })
                        .onAuthenticate(
                                List.of(AuthMethod.Agent.builder(AuthMethodId.of("login"), "Log in")
                                        .build()),
                                (from, method) -> {})
                        .onLogout(from -> {})
                        .onCloseSession(session -> {})
                        .onDeleteSession((from, id) -> {})
                        .onListSessions((from, request) ->
                                ListSessionsResponse.builder(List.of()).build())
                        .onSetConfigOption((session, option, value) -> List.of()),
                client().interceptOutgoing(record()));

        agent.authenticate(AuthMethodId.of("login"), meta("authenticate"));
        Session session = agent.newSession(SessionSetup.in(HERE).withMeta(meta("new")));
        session.setConfigOption(
                SessionConfigId.of("o"), SessionConfigOptionValue.of(SessionConfigValueId.of("v")), meta("option"));
        Turn turn = session.prompt(List.of(ContentBlock.text("go")), meta("prompt"));
        running.await();
        turn.cancel(meta("cancel"));
        turn.result();
        assertThat(agent.listSessions(null, meta("list"))).isEmpty();
        session.close(meta("close"));
        agent.deleteSession(session.id(), meta("delete"));
        agent.logout(meta("logout"));

        assertCarries("authenticate", "authenticate");
        assertCarries("session/new", "new");
        assertCarries("session/set_config_option", "option");
        assertCarries("session/prompt", "prompt");
        assertCarries("session/cancel", "cancel");
        assertCarries("session/list", "list");
        assertCarries("session/close", "close");
        assertCarries("session/delete", "delete");
        assertCarries("logout", "logout");
    }

    @Test
    void anAgentSendsItWithEachRequest() throws Exception {
        Path file = HERE.resolve("a.txt");
        PermissionOption allow =
                PermissionOption.of(PermissionOptionId.of("allow"), "Allow", PermissionOptionKind.ALLOW_ONCE);
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                            RemoteFiles files = turn.files().withMeta(meta("files"));
                            turn.message(files.readText(file));
                            files.writeText(file, "text");
                            try (RemoteTerminal terminal =
                                    turn.terminals().withMeta(meta("terminal")).start(HERE, "ls", List.of())) {
                                TerminalOutputResponse unused = terminal.output();
                                assertThat(terminal.waitForExit().exitCode()).isNull();
                                terminal.kill();
                            }
                            PermissionAnswer answer = turn.requestPermission(
                                    ToolCallUpdate.builder(ToolCallId.of("t")).build(),
                                    List.of(allow),
                                    meta("permission"));
                            turn.update(
                                    SessionUpdate.AgentMessageChunk.of(
                                            ContentBlock.text(
                                                    String.valueOf(answer.raw().isPresent() && answer.isAllowed())),
                                            null),
                                    meta("update"));
                        })
                        .interceptOutgoing(record()),
                client().onReadTextFile((session, request) -> "read")
                        .onWriteTextFile((session, request) -> {})
                        .onPermission(question -> question.choose(allow))
                        .terminals(new Terminals()));

        String said = agent.newSession(HERE).prompt("go").text();

        assertThat(said).isEqualTo("readtrue");
        assertCarries("fs/read_text_file", "files");
        assertCarries("fs/write_text_file", "files");
        assertCarries("terminal/create", "terminal");
        assertCarries("terminal/output", "terminal");
        assertCarries("terminal/wait_for_exit", "terminal");
        assertCarries("terminal/kill", "terminal");
        assertCarries("terminal/release", "terminal");
        assertCarries("session/request_permission", "permission");
        assertCarries("session/update", "update");
    }

    @Test
    @Tag("TRC-10")
    void requestsOfATurnContinueTheTraceOfItsPrompt() throws Exception {
        String parent = "\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"";
        String prompt = parent + ",\"tracestate\":\"a=b\",\"baggage\":\"c=d\"";
        String own = "\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01\"";
        PermissionOption allow =
                PermissionOption.of(PermissionOptionId.of("allow"), "Allow", PermissionOptionKind.ALLOW_ONCE);
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                            turn.message(turn.files().readText(HERE.resolve("a.txt")));
                            turn.files()
                                    .withMeta(Meta.of(RawJson.parse("{" + own + "}")))
                                    .writeText(HERE.resolve("a.txt"), "text");
                            try (RemoteTerminal terminal = turn.terminals().start(HERE, "ls", List.of())) {
                                terminal.kill();
                            }
                            PermissionAnswer unused = turn.requestPermission(
                                    ToolCallUpdate.builder(ToolCallId.of("t")).build(),
                                    List.of(allow),
                                    meta("permission"));
                            CreateElicitationResponse ignored = turn.elicit(CreateElicitationRequest.form(
                                    ElicitationScope.session(turn.sessionId()),
                                    "Name?",
                                    ElicitationSchema.builder().build()));
                        })
                        .interceptOutgoing(record()),
                client().onReadTextFile((session, request) -> "read")
                        .onWriteTextFile((session, request) -> {})
                        .onPermission(question -> question.choose(allow))
                        .onElicitation(ElicitationQuestion::decline)
                        .terminals(new Terminals()));
        Session session = agent.newSession(HERE);

        session.prompt(List.of(ContentBlock.text("go")), Meta.of(RawJson.parse("{\"other\":1," + prompt + "}")))
                .result();

        for (String method : List.of(
                "fs/read_text_file", "terminal/create", "terminal/kill", "terminal/release", "elicitation/create")) {
            assertThat(sent.get(method)).as(method).contains("\"_meta\":{" + prompt + "}");
        }
        assertThat(sent.get("fs/write_text_file")).contains("\"_meta\":{" + own + ",\"baggage\":\"c=d\"}");
        assertThat(sent.get("session/request_permission"))
                .contains("\"_meta\":{\"test\":\"permission\"," + prompt + "}");
        assertThat(sent.get("session/update")).doesNotContain("traceparent");
    }

    /** Knows one terminal, which has nothing to do. */
    private static final class Terminals implements Client.TerminalHandler {
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
            return WaitForTerminalExitResponse.builder().build();
        }

        @Override
        public void kill(Session session, KillTerminalRequest request) {}

        @Override
        public void release(Session session, ReleaseTerminalRequest request) {}

        @Override
        public void sessionEnded(Session session) {}
    }

    @Test
    void aChangeOfParamsIsWrittenInTheVersionOfTheConnection() throws Exception {
        Client.Builder client = client().protocol(Version.V1, Version.V2)
                .changeOutgoing(AgentMethods.PROMPT, (PromptRequest prompt) -> prompt.withMeta(meta("changed")));
        try (RawAgent agent = new RawAgent(
                client,
                "{\"protocolVersion\":2,\"capabilities\":{\"session\":{}},"
                        + "\"info\":{\"name\":\"second\",\"version\":\"2\"}}")) {
            Session session = agent.open();
            Turn unused = session.prompt("go");

            Message prompt = agent.answering("session/prompt", "{\"messageId\":\"u1\"}");

            assertThat(String.valueOf(prompt.params())).contains("\"_meta\":{\"test\":\"changed\"}");
        }
    }
}
