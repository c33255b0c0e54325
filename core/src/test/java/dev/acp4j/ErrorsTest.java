package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.tap.Poll;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong, and what both sides learn of it; the connection lives on. */
@Timeout(60)
class ErrorsTest {
    @RegisterExtension
    final Joined joined = new Joined();

    private static RpcError refused(ConnectedAgent agent, String method, String params) {
        return catchThrowableOfType(RpcError.class, () -> agent.call(method, RawJson.parse(params)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "session/new|{}|params: required member \"cwd\" is missing",
                "session/new|{\"cwd\":7,\"mcpServers\":[]}|params.cwd: expected a string",
                "session/new|{\"cwd\":\"src\",\"mcpServers\":[]}|params.cwd: expected an absolute path",
                "session/new|[]|params: expected an object",
                "session/prompt|{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\"}]}|params.prompt[0]: required member",
                "session/prompt|{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":1}]}|params.prompt[0].text: "
            })
    @Tag("ERR-08")
    @Tag("ERR-09")
    @Tag("ENV-14")
    void paramsThatCannotBeReadAreAnsweredWithThePlace(String method, String params, String message) throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> turn.message("hello")), client());

        RpcError e = refused(agent, method, params);

        assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS);
        assertThat(e.getMessage()
                        + e.data()
                                .map(RawJson::toString)
                                .map(text -> text.replace("\\\"", "\""))
                                .orElse(""))
                .contains(message);
        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("hello");
    }

    @Test
    void capabilitiesThatAreNoObjectAreReported() throws Exception {
        List<Problem> ofAgent = new CopyOnWriteArrayList<>();
        List<Problem> ofClient = new CopyOnWriteArrayList<>();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (RawAgent rawAgent = new RawAgent(
                        client().onProblem(ofAgent::add), "{\"protocolVersion\":1,\"agentCapabilities\":[]}");
                ConnectedClient served =
                        agent(turn -> {}).onProblem(ofClient::add).build().connect(pair.left());
                RawClient rawClient = new RawClient(pair.right())) {
            rawClient.send("initialize", "{\"protocolVersion\":1,\"clientCapabilities\":7}");
            rawClient.read();

            assertThat(Poll.until(() -> !ofAgent.isEmpty() && !ofClient.isEmpty()))
                    .isTrue();
            assertThat(ofAgent)
                    .singleElement()
                    .extracting(Problem::detail)
                    .isEqualTo(
                            "initialize: result.agentCapabilities: expected an object, got an array; it counts as absent");
            assertThat(ofClient)
                    .singleElement()
                    .extracting(Problem::detail)
                    .isEqualTo(
                            "initialize: params.clientCapabilities: expected an object, got a number; it counts as absent");
            assertThat(rawAgent.connected().isOpen()).isEqualTo(served.isOpen());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "session/new|\"cwd\":%s,\"mcpServers\":[]|params.cwd: ",
                "session/load|\"cwd\":%s,\"mcpServers\":[],\"sessionId\":\"s\"|params.cwd: ",
                "session/resume|\"cwd\":%s,\"mcpServers\":[],\"sessionId\":\"s\"|params.cwd: ",
                "session/list|\"cwd\":%s|params.cwd: ",
                "session/new|\"cwd\":\"/\",\"additionalDirectories\":[\"/\",%s],\"mcpServers\":[]|params.additionalDirectories[1]: "
            })
    void whatIsNoPathIsAnErrorOfTheClient(String method, String members, String message) throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .supports(Feature.ADDITIONAL_DIRECTORIES)
                        .onLoadSession(session -> {})
                        .onResumeSession(session -> {})
                        .onListSessions((client, request) -> {
                            assertThat(Path.of(String.valueOf(request.cwd()))).isAbsolute();
                            return ListSessionsResponse.builder(List.of()).build();
                        }),
                client());

        for (String text : List.of("\"\\ud800\"", "\"/a\\udc00\"", "\"/a\\u0000b\"", "\"relative\"", "\"\"")) {
            RpcError e = refused(agent, method, "{" + members.formatted(text) + "}");

            assertThat(e.code()).as(text).isEqualTo(RpcError.INVALID_PARAMS);
            assertThat(e.data().map(RawJson::toString).orElse("") + e.message()).contains(message);
        }
    }

    @ParameterizedTest
    @CsvSource({"_own/method", "session/unheard_of", "session/load", "fs/read_text_file"})
    @Tag("ERR-02")
    @Tag("ERR-13")
    void aMethodWithoutAHandlerDoesNotExist(String method) throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> {}), client());

        RpcError e = refused(agent, method, "{}");

        assertThat(e.code()).isEqualTo(RpcError.METHOD_NOT_FOUND);
        assertThat(e.data())
                .hasValueSatisfying(data -> assertThat(data.toString()).contains(method));
    }

    @Test
    @Tag("ERR-03")
    void anUnknownSessionIsNamed() throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> {}), client());

        RpcError e = catchThrowableOfType(
                RpcError.class,
                () -> agent.call(AgentMethods.PROMPT, PromptRequest.of(SessionId.of("gone"), List.of())));

        assertThat(e.code()).isEqualTo(RpcError.RESOURCE_NOT_FOUND);
        assertThat(e.data()).hasValueSatisfying(data -> assertThat(data).hasToString("{\"sessionId\":\"gone\"}"));
    }

    @Test
    @Tag("ERR-10")
    @Tag("ERR-16")
    @Tag("ENV-15")
    void anAnswerThatCannotBeReadFailsItsCallAloneAndKeepsWhatCame() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .on("_number", (client, params) -> RawJson.number(7))
                        .on("_null", (client, params) -> RawJson.NULL),
                client());

        MalformedMessageException e = catchThrowableOfType(
                MalformedMessageException.class,
                () -> agent.call(
                        Method.request(
                                "_number", Method.Side.AGENT, RawJson.CODEC, AgentMethods.CLOSE_SESSION.result()),
                        RawJson.EMPTY_OBJECT));
        assertThat(e.raw()).hasValueSatisfying(raw -> assertThat(raw).hasToString("7"));
        assertThat(e).hasMessageContaining("_number").hasMessageContaining("expected an object");
        assertThat(agent.call(
                        Method.request("_null", Method.Side.AGENT, RawJson.CODEC, AgentMethods.CLOSE_SESSION.result()),
                        RawJson.EMPTY_OBJECT))
                .isNotNull();
    }

    @Test
    @Tag("ERR-19")
    void endingWhatIsNotThereSucceeds() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {}).onCloseSession(session -> {}).onDeleteSession((client, session) -> {}), client());
        ConnectedAgent strict = joined.join(
                agent(turn -> {}).onDeleteSession((client, session) -> {
                    throw RpcError.sessionNotFound(session.value());
                }),
                client());

        assertThat(agent.call(AgentMethods.CLOSE_SESSION, CloseSessionRequest.of(SessionId.of("x"))))
                .isNotNull();
        assertThat(agent.call(AgentMethods.DELETE_SESSION, DeleteSessionRequest.of(SessionId.of("x"))))
                .isNotNull();
        strict.deleteSession(SessionId.of("x"));
    }

    @Test
    @Tag("ERR-07")
    void whatFailsInAHandlerIsNotToldToThePeer() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                            throw new IllegalStateException("password is hunter2");
                        })
                        .onProblem(problem -> {}),
                client());
        Session session = agent.newSession(HERE);

        assertThatThrownBy(() -> session.prompt("go").result())
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INTERNAL_ERROR))
                .hasMessageNotContaining("hunter2");
        assertThat(agent.isOpen()).isTrue();
    }

    @Test
    void anErrorOfThePeerIsNotTheAnswerToItsOwnRequest() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message(turn.files().readText(HERE.resolve("a.txt"))))
                        .onProblem(problem -> {}),
                client().onReadTextFile((session, request) -> {
                    throw RpcError.authRequired();
                }));
        Session session = agent.newSession(HERE);

        assertThatThrownBy(() -> session.prompt("go").result())
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INTERNAL_ERROR));
    }

    @ParameterizedTest
    @ValueSource(strings = {"session/list", "logout", "_extension"})
    @Tag("ENV-13")
    void absentParamsAreAsGoodAsNullOrAnEmptyObjectWhereNothingIsRequired(String method) throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .onListSessions((client, request) ->
                                ListSessionsResponse.builder(List.of()).build())
                        .onLogout(client -> {})
                        .on(
                                Method.request(
                                        "_extension",
                                        Method.Side.AGENT,
                                        AgentMethods.LIST_SESSIONS.params(),
                                        RawJson.CODEC),
                                (client, request) -> RawJson.EMPTY_OBJECT),
                client());

        RawJson answer = agent.call(method, RawJson.EMPTY_OBJECT);

        assertThat(agent.call(method, null)).isEqualTo(answer);
        assertThat(agent.call(method, RawJson.NULL)).isEqualTo(answer);
    }

    @Test
    @Tag("ENV-23")
    void aResultThatCannotBeWrittenIsAnsweredWithAnError() throws Exception {
        Codec<Object> broken = new Codec<>() {
            @Override
            public Object decode(JsonReader in) {
                return in.raw();
            }

            @Override
            public void encode(Object value, JsonWriter out) {
                out.beginObject();
                throw new IllegalStateException("cannot write " + value);
            }
        };
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message("hello"))
                        .on(
                                Method.request("_broken", Method.Side.AGENT, RawJson.CODEC, broken),
                                (client, params) -> "this")
                        .onProblem(problem -> problems.add(problem.detail())),
                client());

        RpcError e = refused(agent, "_broken", "{}");

        assertThat(e.code()).isEqualTo(RpcError.INTERNAL_ERROR);
        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("hello");
        assertThat(problems).singleElement().asString().contains("_broken", "cannot write this");
    }
}
