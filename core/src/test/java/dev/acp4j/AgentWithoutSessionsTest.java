package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An agent that answers the requests of an extension and has no sessions, and capabilities that no feature stands for.
 */
@Timeout(60)
class AgentWithoutSessionsTest {
    private static final RawJson TRUE = RawJson.parse("true");
    private static final RawJson ANSWER = RawJson.string("42");

    @RegisterExtension
    final Joined joined = new Joined();

    private static Agent.Builder agent() {
        return Agent.builder("answers", "1")
                .protocol(Version.V1, Version.V2)
                .on("_example.com/ask", (client, params) -> ANSWER);
    }

    private static Client.Builder client(Version version) {
        return Client.builder("asks", "1").protocol(version);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void anAgentWithARequestOfItsOwnNeedsNoPrompts(Version version) throws Exception {
        ConnectedAgent connection = joined.join(agent(), client(version));

        assertThat(connection.call("_example.com/ask", null)).isEqualTo(ANSWER);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void openingASessionSaysThatTheAgentHasNone(Version version) throws Exception {
        ConnectedAgent connection = joined.join(agent(), client(version));

        UnsupportedException none = Objects.requireNonNull(
                catchThrowableOfType(UnsupportedException.class, () -> connection.newSession(Joined.HERE)));

        assertThat(none.feature()).isEqualTo(Feature.SESSIONS);
        assertThat(none).hasMessageStartingWith("the agent does not offer sessions");
        assertThatThrownBy(() -> connection.loadSession(SessionId.of("s"), Joined.HERE))
                .isInstanceOf(UnsupportedException.class);
        assertThat(connection.call("_example.com/ask", null)).isEqualTo(ANSWER);
    }

    @Test
    void onlyVersion2SaysInAdvanceThatThereAreNoSessions() throws Exception {
        assertThat(joined.join(agent(), client(Version.V1)).supports(Feature.SESSIONS))
                .isTrue();
        assertThat(joined.join(agent(), client(Version.V2)).supports(Feature.SESSIONS))
                .isFalse();
        assertThat(joined.join(agent().onPrompt(turn -> {}), client(Version.V2)).supports(Feature.SESSIONS))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "session/new",
                "session/load",
                "session/resume",
                "session/list",
                "session/close",
                "session/prompt",
                "session/set_mode",
                "session/set_config_option",
                "tool_call/cancel",
                "terminal/cancel"
            })
    void theMethodsOfSessionsDoNotExist(String method) throws Exception {
        for (Version version : Version.values()) {
            ConnectedAgent connection = joined.join(agent(), client(version));

            assertThatThrownBy(() -> connection.call(method, RawJson.parse("{\"sessionId\":\"s\"}")))
                    .isInstanceOfSatisfying(
                            RpcError.class, error -> assertThat(error.code()).isEqualTo(RpcError.METHOD_NOT_FOUND));
        }
    }

    @Test
    void itCanHaveAuthentication() throws Exception {
        CompletableFuture<String> used = new CompletableFuture<>();
        Agent.Builder agent = agent().protocol(Version.V1)
                .onAuthenticate(
                        List.of(AuthMethod.Agent.builder(AuthMethodId.of("browser"), "In the browser")
                                .build()),
                        (client, method) -> used.complete(method.value()));
        ConnectedAgent connection = joined.join(agent, client(Version.V1));

        connection.authenticate(connection.authMethods().getFirst().id());

        assertThat(used.join()).isEqualTo("browser");
    }

    @Test
    void aTypedCallThatNeedsALoginThrowsAuthenticationRequired() throws Exception {
        Method<RawJson, RawJson> method = Method.rawRequest("_example.com/private", Method.Side.AGENT);
        Agent.Builder agent = agent().on(method, (client, params) -> {
            throw RpcError.authRequired();
        });
        ConnectedAgent connection = joined.join(agent, client(Version.V1));

        assertThatThrownBy(() -> connection.call(method, RawJson.EMPTY_OBJECT))
                .isInstanceOf(AuthenticationRequiredException.class);
    }

    @Test
    void anAgentThatAnswersNothingIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Agent.builder("a", "1").build())
                .withMessage("an agent needs onPrompt(…), or on(…) if it has no sessions");
        assertThatIllegalStateException()
                .isThrownBy(() -> Agent.builder("a", "1")
                        .onNotification("_n", (client, params) -> {})
                        .build());
    }

    @Test
    void handlersOfSessionsNeedPrompts() {
        assertThatIllegalStateException()
                .isThrownBy(() -> agent().onLoadSession(session -> {}).build())
                .withMessage("handlers of sessions need onPrompt(…): without it there are none");
        assertThat(agent().on(AgentMethods.PROMPT, (client, prompt) -> {
                            throw RpcError.cancelled();
                        })
                        .onLoadSession(session -> {})
                        .build())
                .isNotNull();
    }

    // ---- capabilities

    @ParameterizedTest
    @EnumSource(Version.class)
    void bothSidesReadCapabilitiesThatTheLibraryDoesNotKnow(Version version) throws Exception {
        CompletableFuture<@Nullable RawJson> ofClient = new CompletableFuture<>();
        Agent.Builder agent = agent().capability("review", RawJson.parse("{\"languages\":[\"java\"]}"))
                .capabilitiesMeta(Meta.of(RawJson.parse("{\"m\":1}")))
                .on("_example.com/look", (client, params) -> {
                    ofClient.complete(client.capability("notes").orElse(null));
                    return ANSWER;
                });
        Client.Builder client = client(version).capability("notes", TRUE).capability("gone", RawJson.NULL);
        ConnectedAgent connection = joined.join(agent, client);

        RawJson unused = connection.call("_example.com/look", null);

        assertThat(connection.capability("review")).contains(RawJson.parse("{\"languages\":[\"java\"]}"));
        assertThat(connection.capability("other")).isEmpty();
        assertThat(connection.raw().toString()).contains("\"_meta\":{\"m\":1}");
        assertThat(ofClient.join()).isEqualTo(TRUE);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aCapabilityMayDependOnTheClientAndMayBeOmitted(Version version) throws Exception {
        Agent.Builder agent =
                agent().capability("same", client -> client.get("asked").orElse(null));

        ConnectedAgent told = joined.join(agent, client(version).capability("asked", RawJson.string("x")));
        ConnectedAgent untold = joined.join(agent, client(version));

        assertThat(told.capability("same")).contains(RawJson.string("x"));
        assertThat(untold.capability("same")).isEmpty();
        assertThat(untold.raw().toString()).doesNotContain("\"same\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"loadSession", "promptCapabilities", "session", "providers", "_meta"})
    void whatAHandlerAdvertisesIsNotAdvertisedByItsName(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> agent().capability(name, TRUE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fs", "terminal", "elicitation", "plan"})
    void whatAHandlerOfAClientAdvertisesIsNotAdvertisedByItsName(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> client(Version.V1).capability(name, TRUE));
    }

    // ---- the end of a connection

    @Test
    void theEndOfAConnectionIsReportedAfterItsLastHandler() throws Exception {
        CompletableFuture<ConnectedClient> served = new CompletableFuture<>();
        CompletableFuture<ConnectedClient> gone = new CompletableFuture<>();
        Agent agent = agent().on("_example.com/look", (client, params) -> {
                    served.complete(client);
                    return ANSWER;
                })
                .onDisconnect(client -> {
                    throw new IllegalStateException("an action that fails does not keep the next one from running");
                })
                .onDisconnect(gone::complete)
                .onProblem(problem -> {})
                .build();
        MemoryTransport.Pair pair = MemoryTransport.pair();

        ConnectedClient unused = agent.connect(pair.left());
        try (ConnectedAgent connection = client(Version.V1).connect(pair.right())) {
            RawJson answer = connection.call("_example.com/look", null);
            assertThat(answer).isEqualTo(ANSWER);
            assertThat(gone).isNotDone();
        }

        assertThat(gone.join()).isSameAs(served.join());
    }
}
