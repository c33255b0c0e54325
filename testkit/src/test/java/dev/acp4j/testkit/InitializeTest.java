package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.ProtocolVersionException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionId;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a connection begins, seen from the wire: an agent with a scripted client, and a client with a scripted agent. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class InitializeTest {
    private static final Path HERE = Path.of("").toAbsolutePath();
    private static final String V1 = "{\"protocolVersion\":1}";
    private static final String NEW_SESSION = "{\"cwd\":" + RawJson.string(HERE.toString()) + ",\"mcpServers\":[]}";

    private final Transports ends = Transports.joined();
    private @Nullable ConnectedClient served;

    @AfterEach
    void close() {
        if (served != null) {
            served.close();
        }
        ends.close();
    }

    /** Serves an agent; the client is played by what this returns. */
    private ScriptedPeer clientOf(Agent.Builder agent) {
        served = agent.build().connect(ends.agent());
        return new ScriptedPeer(ends.client());
    }

    private ScriptedPeer clientOfAnAgent() {
        return clientOf(Agent.builder("agent", "1").onPrompt(turn -> {}));
    }

    private static String text(JsonObject message) {
        return RawJson.of(message).toString();
    }

    private static void assertError(ScriptedPeer peer, long id, int code) throws Exception {
        assertThat(RawJson.of(peer.expectError(id)).toString()).contains("\"code\":" + code + ",");
    }

    private static void assertWorks(ScriptedPeer client) throws Exception {
        client.request(100, "session/new", NEW_SESSION);
        assertThat(RawJson.of(client.expectResult(100)).toString()).contains("sessionId");
    }

    // ---- the agent

    @Test
    @Tag("INI-01")
    @Tag("CAN-13")
    void beforeInitializationRequestsAreRefusedAndNotificationsDoNothing() throws Exception {
        ScriptedPeer client = clientOfAnAgent();

        client.request(1, "session/new", NEW_SESSION);
        assertError(client, 1, -32600);
        client.request(2, "_something", "{}");
        assertError(client, 2, -32600);
        client.notification("session/cancel", "{\"sessionId\":\"s\"}");
        client.notification("$/cancel_request", "{\"requestId\":3}");
        client.request(3, "initialize", V1);

        assertThat(RawJson.of(client.expectResult(3)).toString()).startsWith("{\"protocolVersion\":1,");
        assertWorks(client);
    }

    @RepeatedTest(100)
    @Tag("INI-06")
    void whatComesRightBehindInitializeFindsItDoneInWhateverLane() throws Exception {
        ScriptedPeer client =
                clientOf(Agent.builder("agent", "1").onPrompt(turn -> {}).onLoadSession(session -> {}));

        client.request(1, "initialize", V1);
        client.request(2, "session/load", "{\"sessionId\":\"s\"," + NEW_SESSION.substring(1));

        assertThat(Stream.of(text(client.receive()), text(client.receive())).sorted())
                .satisfiesExactly(
                        first -> assertThat(first).contains("\"id\":1,\"result\""),
                        second -> assertThat(second).contains("\"id\":2,\"result\""));
    }

    @Test
    @Tag("INI-07")
    @Tag("INI-20")
    void theSecondInitializeIsRefusedAndTheFirstIsUnaffected() throws Exception {
        ScriptedPeer client = clientOfAnAgent();

        client.request(1, "initialize", "{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"one\",\"version\":\"1\"}}");
        client.request(2, "initialize", "{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"two\",\"version\":\"1\"}}");
        // Answers of requests that were sent together come in any order.
        assertThat(Stream.of(text(client.receive()), text(client.receive())).sorted())
                .satisfiesExactly(
                        first -> assertThat(first).contains("\"id\":1,\"result\""),
                        second -> assertThat(second).contains("\"id\":2,\"error\":{\"code\":-32600"));
        assertWorks(client);
        client.request(3, "initialize", V1);
        assertError(client, 3, -32600);

        assertThat(Objects.requireNonNull(served).info().map(Implementation::name))
                .hasValue("one");
        client.request(101, "session/new", NEW_SESSION);
        client.expectResult(101);
    }

    @ParameterizedTest
    @Tag("INI-09")
    @Tag("INI-12")
    @ValueSource(
            strings = {
                "{}",
                "{\"protocolVersion\":null}",
                "{\"protocolVersion\":\"1\"}",
                "{\"protocolVersion\":1.5}",
                "{\"protocolVersion\":-1}",
                "{\"protocolVersion\":65536}",
                "{\"protocolVersion\":99999999999999999999}"
            })
    void aVersionThatIsNoneIsRefusedAndInitializingMayBeTriedAgain(String params) throws Exception {
        ScriptedPeer client = clientOfAnAgent();

        client.request(1, "initialize", params);
        assertError(client, 1, -32602);

        client.request(2, "session/new", NEW_SESSION);
        assertError(client, 2, -32600);
        client.request(3, "initialize", V1);
        client.expectResult(3);
        assertWorks(client);
    }

    @Test
    @Tag("INI-09")
    @Tag("INI-13")
    void aVersionBelowAllIsRefusedWithThoseThatAreSpoken() throws Exception {
        ScriptedPeer client = clientOfAnAgent();

        client.request(1, "initialize", "{\"protocolVersion\":0}");

        assertThat(RawJson.of(client.expectError(1)).toString())
                .isEqualTo("{\"code\":-32022,\"message\":\"Unsupported protocol version: 0\","
                        + "\"data\":{\"requested\":0,\"supported\":[1]}}");
        client.request(2, "initialize", V1);
        client.expectResult(2);
    }

    @ParameterizedTest
    @Tag("INI-14")
    @ValueSource(ints = {1, 2, 3, 65535})
    void theNewestVersionThatBothSpeakIsAnswered(int version) throws Exception {
        ScriptedPeer client = clientOfAnAgent();

        client.request(1, "initialize", "{\"protocolVersion\":" + version + ",\"capabilities\":{\"x\":1},\"info\":7}");

        assertThat(RawJson.of(client.expectResult(1)).toString()).startsWith("{\"protocolVersion\":1,");
        assertThat(Objects.requireNonNull(served).protocolVersion()).isEqualTo(1);
        assertWorks(client);
    }

    @Test
    @Tag("INI-08")
    void whatOnlyAClientHandlesIsNotFoundAtAnAgentWhichGoesOn() throws Exception {
        ScriptedPeer client = clientOfAnAgent();
        client.request(1, "initialize", V1);
        client.expectResult(1);

        client.request(2, "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/a\"}");

        assertError(client, 2, -32601);
        assertWorks(client);
    }

    @Test
    @Tag("INI-25")
    void aClientNeedNotSayWhoItIs() throws Exception {
        ScriptedPeer client = clientOfAnAgent();

        client.request(1, "initialize", V1);
        client.expectResult(1);

        assertThat(Objects.requireNonNull(served).info()).isEmpty();
        assertThat(Feature.values()).noneMatch(Objects.requireNonNull(served)::supports);
    }

    @Test
    @Tag("INI-23")
    @Tag("INI-27")
    void bothSidesCanReadWhatWasSaid() throws Exception {
        served = Agent.builder("agent", "2")
                .title("An agent")
                .onPrompt(turn -> {})
                .supports(Feature.PROMPT_IMAGES)
                .build()
                .connect(ends.agent());

        try (ConnectedAgent agent = Client.builder("client", "3")
                .onReadTextFile((session, request) -> "")
                .connect(ends.client())) {
            ConnectedClient client = Objects.requireNonNull(served);
            assertThat(agent.info())
                    .hasValue(Implementation.builder("agent", "2")
                            .title("An agent")
                            .build());
            assertThat(agent.protocolVersion()).isEqualTo(1);
            assertThat(agent.supports(Feature.PROMPT_IMAGES)).isTrue();
            assertThat(agent.supports(Feature.PROMPT_AUDIO)).isFalse();
            assertThat(agent.supports(Feature.PROMPT_RESOURCES)).isFalse();
            assertThat(agent.supports(Feature.LOAD_SESSION)).isFalse();
            assertThat(agent.authMethods()).isEmpty();
            assertThat(client.info())
                    .hasValue(Implementation.builder("client", "3").build());
            assertThat(client.protocolVersion()).isEqualTo(1);
            assertThat(client.supports(Feature.READ_FILES)).isTrue();
            assertThat(client.supports(Feature.WRITE_FILES)).isFalse();
            assertThat(client.supports(Feature.TERMINALS)).isFalse();
            assertThat(client.supports(Feature.FORMS)).isFalse();
        }
    }

    // ---- the client

    /** Connects a client to an agent that answers {@code initialize} with this. */
    private FutureTask<ConnectedAgent> connectTo(ScriptedPeer agent, String answer) throws Exception {
        FutureTask<ConnectedAgent> connecting =
                new FutureTask<>(() -> Client.builder("client", "1").connect(ends.client()));
        Thread.ofVirtual().start(connecting);
        JsonObject initialize = agent.expect("initialize");
        if (answer.startsWith("error")) {
            agent.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32603,\"message\":\"not today\"}}");
        } else {
            agent.answer(initialize, answer);
        }
        return connecting;
    }

    private static Throwable failure(FutureTask<ConnectedAgent> connecting) {
        return Objects.requireNonNull(catchThrowable(connecting::get).getCause());
    }

    @ParameterizedTest
    @Tag("INI-11")
    @ValueSource(strings = {"{}", "null", "7", "{\"protocolVersion\":\"1\"}", "{\"protocolVersion\":-1}"})
    void anAnswerWithoutAVersionFailsAndCloses(String answer) throws Exception {
        ScriptedPeer agent = new ScriptedPeer(ends.agent());

        FutureTask<ConnectedAgent> connecting = connectTo(agent, answer);

        assertThat(failure(connecting))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageStartingWith("initialize: ");
        agent.expectEnd();
    }

    @ParameterizedTest
    @Tag("INI-15")
    @ValueSource(ints = {0, 2, 65535})
    void aVersionThatTheClientDoesNotSpeakClosesTheConnection(int version) throws Exception {
        ScriptedPeer agent = new ScriptedPeer(ends.agent());

        FutureTask<ConnectedAgent> connecting = connectTo(agent, "{\"protocolVersion\":" + version + "}");

        assertThat(failure(connecting))
                .isInstanceOfSatisfying(ProtocolVersionException.class, e -> {
                    assertThat(e.version()).isEqualTo(version);
                    assertThat(e.nextStep()).isEqualTo(version == 0 ? "Update the agent." : "Update the client.");
                })
                .hasMessage("initialize: the agent speaks protocol version " + version + ", this client speaks 1");
        agent.expectEnd();
    }

    @Test
    void bothSidesSeeTheExtensionDataOfTheOtherAndTheExtensionsThatItAdvertises() throws Exception {
        served = Agent.builder("agent", "1")
                .onPrompt(turn -> {})
                .meta(meta("an answer"))
                .capabilitiesMeta(meta("an extension of the agent"))
                .build()
                .connect(ends.agent());

        try (ConnectedAgent agent = Client.builder("client", "1")
                .meta(meta("a request"))
                .capabilitiesMeta(meta("an extension of the client"))
                .connect(ends.client())) {
            ConnectedClient client = Objects.requireNonNull(served);
            assertThat(client.meta()).isEqualTo(meta("a request"));
            assertThat(agent.meta()).isEqualTo(meta("an answer"));
            assertThat(advertised(client.raw().params(), "clientCapabilities"))
                    .isEqualTo(meta("an extension of the client").raw().value());
            assertThat(advertised(agent.raw().result(), "agentCapabilities"))
                    .isEqualTo(meta("an extension of the agent").raw().value());
        }
    }

    private static Meta meta(String value) {
        return Meta.of("example.com/test", RawJson.string(value));
    }

    /** Returns the {@code _meta} of the capabilities in what a side said of itself. */
    private static JsonValue advertised(@Nullable RawJson introduction, String capabilities) {
        JsonObject said = (JsonObject) Objects.requireNonNull(introduction).value();
        return ((JsonObject) said.get(capabilities).orElseThrow()).get("_meta").orElseThrow();
    }

    @Test
    @Tag("INI-09")
    void anAgentThatRefusesToInitializeIsToldApartFromABrokenOne() throws Exception {
        ScriptedPeer agent = new ScriptedPeer(ends.agent());

        FutureTask<ConnectedAgent> connecting = connectTo(agent, "error");

        assertThat(failure(connecting)).isInstanceOf(RpcError.class).hasMessage("initialize: not today (-32603)");
        agent.expectEnd();
    }

    @Test
    @Tag("INI-08")
    @Tag("INI-25")
    void anAgentNeedNotSayWhoItIsAndWhatOnlyItHandlesIsNotFoundAtAClient() throws Exception {
        ScriptedPeer agent = new ScriptedPeer(ends.agent());
        try (ConnectedAgent connection = connectTo(agent, V1).get()) {
            assertThat(connection.info()).isEmpty();

            agent.request(7, "initialize", V1);
            assertError(agent, 7, -32601);
            agent.request(8, "session/new", NEW_SESSION);
            assertError(agent, 8, -32601);

            assertThat(connection.isOpen()).isTrue();
        }
    }

    @Test
    @Tag("INI-26")
    void anObjectMeansThatSomethingIsOfferedAndNullThatItIsNot() throws Exception {
        ScriptedPeer agent = new ScriptedPeer(ends.agent());
        String answer = "{\"protocolVersion\":1,\"agentCapabilities\":{\"sessionCapabilities\":"
                + "{\"close\":{},\"resume\":null}}}";

        try (ConnectedAgent connection = connectTo(agent, answer).get()) {
            assertThat(connection.supports(Feature.CLOSE_SESSION)).isTrue();
            assertThatThrownBy(() -> connection.resumeSession(SessionId.of("s"), HERE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the agent does not offer resuming sessions");
            assertThatThrownBy(() -> connection.deleteSession(SessionId.of("s")))
                    .hasMessage("the agent does not offer deleting sessions");
        }
    }
}
