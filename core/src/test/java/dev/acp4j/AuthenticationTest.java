package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.EnvVariable;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
}
