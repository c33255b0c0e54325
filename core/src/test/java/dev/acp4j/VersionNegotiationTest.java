package dev.acp4j;

import static dev.acp4j.RawAgent.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How two sides agree on a version, on the wire. */
@Timeout(20)
class VersionNegotiationTest {
    private static final String INITIALIZE = RawClient.INITIALIZE;
    private static final String NEW_SESSION = "{\"cwd\":\"/\",\"mcpServers\":[]}";

    private final List<AutoCloseable> open = new ArrayList<>();
    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private @Nullable ConnectedClient served;

    @AfterEach
    void close() throws Exception {
        pair.left().close();
        pair.right().close();
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private static Agent.Builder agent(Version... versions) {
        return Joined.agent(turn -> {}).protocol(versions).onProblem(problem -> {});
    }

    /** Serves an agent; its client is played by hand. */
    private RawClient clientOf(Agent.Builder agent) {
        served = agent.build().connect(pair.left());
        open.add(served);
        return new RawClient(pair.right());
    }

    private ConnectedClient served() {
        return Objects.requireNonNull(served);
    }

    private static String read(RawClient client) throws Exception {
        return String.valueOf(client.read());
    }

    // ---- the agent, before it is initialized

    @Test
    @Tag("INI-02")
    void whatIsAskedBeforeInitializationIsRefusedAndChangesNothing() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        RawClient client = clientOf(agent(Version.V2)
                .onNewSession(session -> opened.incrementAndGet())
                .on("_own", (from, params) -> RawJson.number(opened.incrementAndGet())));

        client.send("session/new", NEW_SESSION);
        assertThat(client.answerOf(0)).contains("-32600");
        client.send("_own", "{}");
        assertThat(client.answerOf(1)).contains("-32600");
        client.send("initialize", INITIALIZE);
        assertThat(client.answerOf(2)).contains("\"protocolVersion\":2");
        client.send("session/list", "{}");

        assertThat(client.answerOf(3)).contains("\"sessions\":[]");
        assertThat(opened).hasValue(0);
    }

    @Test
    @Tag("INI-03")
    void notificationsBeforeInitializationAreNotHeard() throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch second = new CountDownLatch(1);
        RawClient client = clientOf(agent(Version.V2).onNotification("_note", (from, params) -> {
            heard.add(String.valueOf(params));
            second.countDown();
        }));

        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"_note\",\"params\":{\"n\":1}}");
        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}");
        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":0}}");
        client.send("initialize", INITIALIZE);
        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"_note\",\"params\":{\"n\":2}}");
        second.await();

        assertThat(client.answerOf(0)).contains("\"protocolVersion\":2");
        assertThat(heard).containsExactly("{\"n\":2}");
    }

    @Test
    @Tag("RTR-04")
    @Tag("RTR-05")
    void whatIsNoRequestBeforeInitializationHarmsNothing() throws Exception {
        RawClient client = clientOf(agent(Version.V1, Version.V2));

        client.line("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
        client.line("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"What?\"}}");
        client.line("{\"jsonrpc\":\"2.0\",\"id\":8}");
        client.line("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{},\"error\":{}}");
        client.line("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}");
        client.line("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":" + INITIALIZE + "},"
                + "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]");
        assertThat(read(client)).contains("\"id\":null,").contains("-32600");
        client.line("{nonsense");
        assertThat(read(client)).contains("\"id\":null,").contains("-32700");
        client.send("session/new", NEW_SESSION);
        assertThat(read(client)).contains("\"id\":0,").contains("-32600");
        client.send("initialize", INITIALIZE);

        assertThat(read(client)).contains("\"id\":1,\"result\":{\"protocolVersion\":2");
    }

    @Test
    @Tag("RTR-03")
    void aVersionIsRefusedByAnAnswerThatArrivesWhateverFollows() throws Exception {
        RawClient client = clientOf(agent(Version.V2));

        client.send("initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
        client.line("{nonsense");
        pair.right().writer().close();

        // Answers of what came together come in any order.
        assertThat(List.of(read(client), read(client)))
                .anySatisfy(answer -> assertThat(answer).contains("\"id\":0,").contains("-32022"))
                .anySatisfy(answer -> assertThat(answer).contains("-32700"));
        assertThat(client.read()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "1.5", "true", "{}"})
    @Tag("RTR-09")
    @Tag("ENV-16")
    @Tag("ENV-17")
    void idsOfVersionTwoAreStringsAndIntegers(String id) throws Exception {
        RawClient client = clientOf(agent(Version.V1, Version.V2));
        String request = "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":%s}";

        client.line(request.formatted(id, "initialize", INITIALIZE));
        assertThat(read(client)).contains("\"id\":null,").contains("-32600");
        client.line(request.formatted("\"one\"", "initialize", INITIALIZE));
        assertThat(read(client)).contains("\"id\":\"one\",\"result\"");
        client.line(request.formatted(id, "session/new", NEW_SESSION));
        assertThat(read(client)).contains("\"id\":null,").contains("-32600");
        client.send("session/list", "{}");
        assertThat(read(client)).contains("\"sessions\":[]");
    }

    @Test
    @Tag("ENV-16")
    void theIdNullIsAnsweredInVersionOne() throws Exception {
        RawClient client = clientOf(agent(Version.V1, Version.V2));

        client.line("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}");

        assertThat(read(client)).contains("\"id\":null,\"result\":{\"protocolVersion\":1");
    }

    @Test
    @Tag("RTR-10")
    void theEndOfAConnectionIsToldAlsoWhenItWasNeverInitialized() throws Exception {
        RawClient client = clientOf(agent(Version.V1, Version.V2));

        client.line("{nonsense");
        client.close();

        served().awaitClosed();
        assertThat(served().isOpen()).isFalse();
    }

    // ---- the agent, while it is initialized

    @Test
    @Tag("INI-19")
    void aRepetitionThatFailsLeavesWhatWasAgreed() throws Exception {
        RawClient client = clientOf(agent(Version.V1, Version.V2));

        client.send("initialize", INITIALIZE);
        client.send("initialize", "{\"protocolVersion\":2,\"capabilities\":{\"elicitation\":{\"form\":{}}}}");
        assertThat(client.answerOf(1)).contains("-32602");
        client.send("session/new", NEW_SESSION);

        assertThat(client.answerOf(2)).contains("sessionId");
        assertThat(served().info().map(Implementation::name)).hasValue("hand");
        assertThat(served().supports(Feature.FORMS)).isFalse();
        assertThat(served().protocolVersion()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | false | false",
                "{\"auth\":null,\"elicitation\":null} | false | false",
                "{\"auth\":{},\"elicitation\":{}} | false | false",
                "{\"auth\":{\"terminal\":null},\"elicitation\":{\"form\":null}} | false | false",
                "{\"auth\":{\"terminal\":true},\"elicitation\":{\"form\":{}}} | false | true",
                "{\"auth\":{\"terminal\":{}},\"elicitation\":7} | true | false",
            })
    @Tag("INI-26")
    @Tag("AUT-04")
    @Tag("SCH-06")
    void anObjectMeansThatTheClientOffersSomething(String capabilities, boolean login, boolean forms) throws Exception {
        AuthMethod terminal =
                AuthMethod.Terminal.builder(AuthMethodId.of("tty"), "Terminal").build();
        RawClient client = clientOf(agent(Version.V2)
                .onAuthenticate(List.of(terminal), (from, method) -> {})
                .onLogout(from -> {}));

        client.send("initialize", INITIALIZE.replace("\"capabilities\":{}", "\"capabilities\":" + capabilities));

        String answer = client.answerOf(0);
        assertThat(answer.contains("\"tty\"")).isEqualTo(login);
        assertThat(served().supports(Feature.TERMINAL_LOGIN)).isEqualTo(login);
        assertThat(served().supports(Feature.FORMS)).isEqualTo(forms);
    }

    @Test
    @Tag("INI-17")
    void ofANewerVersionWhatCannotBeReadIsLeftOut() throws Exception {
        RawClient client = clientOf(agent(Version.V2));

        client.send(
                "initialize",
                "{\"protocolVersion\":9,\"info\":{\"name\":3},"
                        + "\"capabilities\":{\"auth\":\"all\",\"elicitation\":{\"form\":{},\"url\":7}}}");

        assertThat(client.answerOf(0)).contains("\"protocolVersion\":2");
        assertThat(served().info()).isEmpty();
        assertThat(served().supports(Feature.FORMS)).isTrue();
        assertThat(served().supports(Feature.PAGES)).isFalse();
    }

    // ---- an agent of version 1 and a client of version 2

    @Test
    @Tag("RTR-06")
    void whatAClientSaysInVersionTwoIsUnderstoodByAnAgentOfVersionOne() throws Exception {
        AuthMethod terminal =
                AuthMethod.Terminal.builder(AuthMethodId.of("tty"), "Terminal").build();
        RawClient client = clientOf(agent(Version.V1).onAuthenticate(List.of(terminal), (from, method) -> {}));

        client.send(
                "initialize",
                "{\"protocolVersion\":2,\"info\":{\"name\":\"hand\",\"version\":\"1\"},\"_meta\":{\"trace\":1},"
                        + "\"capabilities\":{\"auth\":{\"terminal\":{\"_meta\":{}}},\"elicitation\":{\"form\":{}}}}");

        assertThat(client.answerOf(0)).contains("\"protocolVersion\":1,").contains("\"tty\"");
        assertThat(served().info().map(Implementation::name)).hasValue("hand");
        assertThat(served().meta().raw()).hasToString("{\"trace\":1}");
        assertThat(List.of(Feature.values()).stream().filter(served()::supports))
                .containsExactlyInAnyOrder(
                        Feature.TERMINAL_LOGIN,
                        Feature.FORMS,
                        Feature.BOOLEAN_OPTIONS,
                        Feature.NOTICES,
                        Feature.COMPACTION);
    }

    @Test
    @Tag("RTR-06")
    @Tag("RTR-07")
    void nullsOfVersionTwoAreNothingForAnAgentOfVersionOne() throws Exception {
        RawClient client = clientOf(agent(Version.V1));

        client.send(
                "initialize",
                "{\"protocolVersion\":2,\"info\":{\"name\":\"\"},\"_meta\":null,"
                        + "\"capabilities\":{\"auth\":null,\"elicitation\":{\"form\":null,\"url\":null},\"_meta\":null}}");

        assertThat(client.answerOf(0)).contains("\"protocolVersion\":1,");
        assertThat(served().info()).isEmpty();
        assertThat(served().meta().isEmpty()).isTrue();
        assertThat(served().supports(Feature.TERMINAL_LOGIN)).isFalse();
        assertThat(served().supports(Feature.FORMS)).isFalse();
        assertThat(served().supports(Feature.PAGES)).isFalse();
    }

    @Test
    @Tag("RTR-06")
    void whatAClientSaysInVersionOneCountsForAnAgentOfVersionOne() throws Exception {
        RawClient client = clientOf(agent(Version.V1));

        client.send(
                "initialize",
                "{\"protocolVersion\":2,\"clientInfo\":{\"name\":\"one\",\"version\":\"1\"},"
                        + "\"clientCapabilities\":{\"terminal\":true},\"info\":{\"name\":\"two\",\"version\":\"2\"},"
                        + "\"capabilities\":{\"elicitation\":{\"form\":{}}}}");

        assertThat(client.answerOf(0)).contains("\"protocolVersion\":1,");
        assertThat(served().info().map(Implementation::name)).hasValue("one");
        assertThat(List.of(Feature.values()).stream().filter(served()::supports))
                .containsExactly(Feature.TERMINALS);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("RTR-08")
    void anAgentCanReadTheRequestAsItWasWritten(Version version) throws Exception {
        RawClient client = clientOf(agent(Version.V1, Version.V2));
        String request = "{\"protocolVersion\":" + version.number()
                + ",\"info\":{\"name\":\"hand\",\"version\":\"1\",\"x\":[ 1]},\"capabilities\":{\"_own\":null},\"y\":1e2}";

        client.send(
                "initialize",
                request.replace("\"hand\"", "7").replace(":2,", ":\"2\",").replace(":1,", ":-1,"));
        assertThat(client.answerOf(0)).contains("-32602");
        client.send("initialize", request);

        assertThat(client.answerOf(1)).contains("\"result\"");
        assertThat(served().raw().params()).hasToString(request);
    }

    // ---- the client

    /** Connects; the agent is played by hand at {@code pair.left()}. */
    private FutureTask<ConnectedAgent> connecting(Client.Builder client) {
        return started(() -> {
            ConnectedAgent connected = client.connect(pair.right());
            open.add(connected);
            return connected;
        });
    }

    private static Client.Builder client(Version... versions) {
        return Joined.client().protocol(versions).onProblem(problem -> {});
    }

    private Message asked() throws Exception {
        return Objects.requireNonNull(pair.left().reader().read(), "the client has ended the connection");
    }

    private void write(Message message) throws Exception {
        pair.left().writer().write(message);
        pair.left().writer().flush();
    }

    private void answer(Message request, String result) throws Exception {
        write(Message.result(Objects.requireNonNull(request.id()), RawJson.parse(result)));
    }

    private void refuse(Message request, int code, String data) throws Exception {
        write(Message.error(Objects.requireNonNull(request.id()), new RpcError(code, "No", RawJson.parse(data))));
    }

    @Test
    @Tag("INI-15")
    @Tag("INI-16")
    void aClientOfVersionTwoLeavesAnAgentOfVersionOne() throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V2));

        answer(asked(), "{\"protocolVersion\":1}");

        assertThatThrownBy(connecting::get).cause().isInstanceOf(ProtocolVersionException.class);
        assertThat(pair.left().reader().read()).isNull();
    }

    @Test
    @Tag("INI-16")
    @Tag("RTR-11")
    void aClientOfBothVersionsGoesOnInVersionOneOnTheSameConnection() throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V1, Version.V2));

        Message initialize = asked();
        answer(initialize, "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}");
        ConnectedAgent connected = connecting.get();
        FutureTask<Session> opening = started(() -> connected.newSession(Joined.HERE));
        Message next = asked();
        answer(next, "{\"sessionId\":\"s\"}");

        assertThat(String.valueOf(initialize.params()))
                .contains("\"protocolVersion\":2", "\"clientCapabilities\"", "\"clientInfo\"");
        assertThat(connected.protocolVersion()).isEqualTo(1);
        assertThat(connected.supports(Feature.LOAD_SESSION)).isTrue();
        assertThat(next.method()).isEqualTo("session/new");
        assertThat(opening.get().id()).hasToString("s");
    }

    @Test
    @Tag("RTR-12")
    @Tag("INI-25")
    @Tag("AUT-04")
    void aClientOfVersionTwoSaysNothingInTheWordsOfVersionOne() throws Exception {
        FutureTask<ConnectedAgent> connecting =
                connecting(client(Version.V2).terminalAuthentication(true).title("Test"));

        Message initialize = asked();
        answer(initialize, "{\"protocolVersion\":2,\"capabilities\":{},\"info\":{\"name\":\"a\",\"version\":\"1\"}}");

        assertThat(connecting.get().protocolVersion()).isEqualTo(2);
        assertThat(initialize.params())
                .hasToString("{\"protocolVersion\":2,\"capabilities\":{\"auth\":{\"terminal\":{}}},"
                        + "\"info\":{\"name\":\"test-client\",\"title\":\"Test\",\"version\":\"1\"}}");
    }

    @Test
    @Tag("INI-25")
    @Tag("INI-11")
    void anAgentOfVersionTwoHasToSayWhoItIs() throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V2));

        answer(asked(), "{\"protocolVersion\":2,\"capabilities\":{\"session\":{}}}");

        assertThatThrownBy(connecting::get)
                .cause()
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("info");
        assertThat(pair.left().reader().read()).isNull();
    }

    @Test
    @Tag("RTR-13")
    void whatAnAgentRefusesForAnyOtherReasonIsNotTriedAgain() throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V1, Version.V2));

        refuse(asked(), RpcError.INVALID_REQUEST, "{\"supported\":[1]}");

        assertThatThrownBy(connecting::get)
                .cause()
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_REQUEST));
        assertThat(pair.left().reader().read()).isNull();
    }

    @Test
    void anAgentThatNamesTheVersionsThatItSpeaksIsAskedOnceMore() throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V1, Version.V2));

        refuse(asked(), -32022, "{\"requested\":2,\"supported\":[1,7]}");
        Message again = asked();
        answer(again, "{\"protocolVersion\":1}");

        assertThat(String.valueOf(again.params())).contains("\"protocolVersion\":1");
        assertThat(connecting.get().protocolVersion()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"supported\":[7]}", "{\"supported\":[2]}", "{\"supported\":\"1\"}", "{}", "[1]", "null"})
    void anAgentWithoutACommonVersionIsLeft(String data) throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V1, Version.V2));

        refuse(asked(), -32022, data);

        assertThatThrownBy(connecting::get)
                .cause()
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(-32022));
        assertThat(pair.left().reader().read()).isNull();
    }

    @Test
    @Tag("INI-04")
    void aClientOpensNothingBeforeTheAgentIsInitialized() throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V2).on("_early", (agent, params) -> {
            try {
                Session unused = agent.newSession(Joined.HERE);
                return RawJson.parse("\"opened\"");
            } catch (IllegalStateException e) {
                return RawJson.parse("\"too early\"");
            }
        }));

        Message initialize = asked();
        write(Message.request(RequestId.of(1), "_early", null));
        Message early = asked();
        answer(initialize, "{\"protocolVersion\":2,\"capabilities\":{},\"info\":{\"name\":\"a\",\"version\":\"1\"}}");

        assertThat(early.result()).hasToString("\"too early\"");
        assertThat(connecting.get().isOpen()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | false | false | false | false",
                "{\"session\":null} | false | false | false | false",
                "{\"session\":{}} | true | false | false | false",
                "{\"session\":{\"prompt\":null,\"mcp\":null,\"delete\":null}} | true | false | false | false",
                "{\"session\":{\"prompt\":{\"image\":null},\"mcp\":{\"http\":true},\"delete\":{}}} | true | false | false | true",
                "{\"session\":{\"prompt\":{\"image\":{}},\"mcp\":{\"http\":{}},\"delete\":7}} | true | true | true | false",
            })
    @Tag("INI-26")
    void anObjectMeansThatTheAgentOffersSomething(
            String capabilities, boolean sessions, boolean images, boolean http, boolean deletes) throws Exception {
        FutureTask<ConnectedAgent> connecting = connecting(client(Version.V2));

        answer(
                asked(),
                "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":" + capabilities
                        + "}");

        ConnectedAgent connected = connecting.get();
        assertThat(connected.supports(Feature.RESUME_SESSION)).isEqualTo(sessions);
        assertThat(connected.supports(Feature.LIST_SESSIONS)).isEqualTo(sessions);
        assertThat(connected.supports(Feature.PROMPT_IMAGES)).isEqualTo(images);
        assertThat(connected.supports(Feature.MCP_HTTP)).isEqualTo(http);
        assertThat(connected.supports(Feature.DELETE_SESSION)).isEqualTo(deletes);
    }
}
