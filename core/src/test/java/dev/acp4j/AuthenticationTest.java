package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthenticateRequest;
import dev.acp4j.schema.EnvVariable;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class AuthenticationTest {
    private static final AuthMethodId BROWSER = AuthMethodId.of("browser");
    private static final AuthMethod WEB =
            AuthMethod.Agent.builder(BROWSER, "In a browser").build();
    private static final AuthMethod TERMINAL = AuthMethod.Terminal.builder(AuthMethodId.of("tty"), "In a terminal")
            .args(List.of("login"))
            .env(List.of(EnvVariable.of("MODE", "login")))
            .build();

    @RegisterExtension
    final Joined joined = new Joined();

    /** An agent that opens sessions for users it knows. */
    private static Agent.Builder guarded(AtomicBoolean known) {
        return agent(turn -> turn.message("hello"))
                .onAuthenticate(List.of(WEB, TERMINAL), (client, method) -> known.set(true))
                .onLogout(client -> known.set(false))
                .onNewSession(session -> {
                    if (!known.get()) {
                        throw new RpcError(RpcError.AUTH_REQUIRED, "Who are you?");
                    }
                });
    }

    @Test
    @Tag("AUT-01")
    @Tag("AUT-02")
    void whoIsNotKnownIsToldHowToAuthenticateAndThenLetIn() throws Exception {
        ConnectedAgent agent = joined.join(guarded(new AtomicBoolean()), client());

        AuthenticationRequiredException refused =
                catchThrowableOfType(AuthenticationRequiredException.class, () -> agent.newSession(HERE));
        assertThat(refused.methods()).containsExactly(WEB);
        assertThat(refused).hasMessageContaining("Who are you?");

        agent.authenticate(BROWSER);
        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("hello");

        agent.logout();
        assertThatThrownBy(() -> agent.newSession(HERE)).isInstanceOf(AuthenticationRequiredException.class);
    }

    @Test
    @Tag("AUT-01")
    void aMethodThatIsNotOfferedIsRefused() throws Exception {
        ConnectedAgent agent = joined.join(guarded(new AtomicBoolean()), client());
        ConnectedAgent open = joined.join(agent(turn -> {}), client());

        assertThatThrownBy(() -> agent.authenticate(AuthMethodId.of("fax")))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS))
                .hasMessageContaining("fax");
        assertThatThrownBy(open::logout).hasMessage("the agent does not offer logging out");
    }

    @Test
    @Tag("AUT-04")
    void loggingInThroughATerminalIsOfferedToClientsThatCanRunIt() throws Exception {
        ConnectedAgent without = joined.join(guarded(new AtomicBoolean()), client());
        ConnectedAgent with = joined.join(guarded(new AtomicBoolean()), client().terminalAuthentication(true));

        assertThat(without.authMethods()).containsExactly(WEB);
        assertThat(with.authMethods()).containsExactly(WEB, TERMINAL);
    }

    @Test
    @Tag("AUT-04")
    void loggingInThroughATerminalIsNoMatterOfAuthenticate() throws Exception {
        AtomicBoolean known = new AtomicBoolean();
        ConnectedAgent agent = joined.join(guarded(known), client().terminalAuthentication(true));

        assertThatThrownBy(() -> agent.authenticate(AuthMethodId.of("tty")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tty is done by running the agent's program in a terminal");
        assertThatThrownBy(() -> agent.call(AgentMethods.AUTHENTICATE, AuthenticateRequest.of(AuthMethodId.of("tty"))))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS));
        assertThat(known).isFalse();
    }

    @Test
    @Tag("AUT-03")
    void aMethodOfAnUnknownTypeIsChosenByItsId() throws Exception {
        AuthMethod key = new AuthMethod.Unknown(
                "env_var",
                RawJson.parse(
                        "{\"type\":\"env_var\",\"id\":\"key\",\"name\":\"With a key\",\"vars\":[{\"name\":\"API_KEY\"}]}"));
        AtomicReference<@Nullable AuthMethodId> chosen = new AtomicReference<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {}).onAuthenticate(List.of(key), (client, method) -> chosen.set(method)), client());

        AuthMethod offered = agent.authMethods().getFirst();
        assertThat(offered.name()).isEqualTo("With a key");
        assertThat(((AuthMethod.Unknown) offered).raw().toString()).contains("API_KEY");
        agent.authenticate(offered.id());

        assertThat(chosen).hasValue(AuthMethodId.of("key"));
    }

    @Test
    @Tag("AUT-02")
    void aPromptThatNeedsALoginThrowsAuthenticationRequired() throws Exception {
        AtomicBoolean known = new AtomicBoolean(true);
        ConnectedAgent agent = joined.join(
                guarded(known).onPrompt(turn -> {
                    if (!known.get()) {
                        throw RpcError.authRequired();
                    }
                    turn.message("hello");
                }),
                client());
        Session session = agent.newSession(HERE);
        agent.logout();

        Turn refused = session.prompt("go");

        assertThat(catchThrowableOfType(AuthenticationRequiredException.class, refused::result)
                        .methods())
                .containsExactly(WEB);
        agent.authenticate(BROWSER);
        assertThat(session.prompt("go").text()).isEqualTo("hello");
    }
}
