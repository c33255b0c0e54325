package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ClientConnection;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.EnvVariable;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kinds of ways to authenticate, those included that the protocol has given up or does not have yet. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class AuthMethodsOnTheWireTest {
    private static final String PLAIN = "{\"id\":\"web\",\"name\":\"Browser\"}";
    private static final String TYPED = "{\"type\":\"agent\",\"id\":\"app\",\"name\":\"App\"}";
    private static final String TERMINAL =
            "{\"type\":\"terminal\",\"id\":\"tty\",\"name\":\"Terminal\",\"args\":[\"login\"],\"env\":{\"A\":\"b\"}}";
    private static final String FORMER =
            "{\"type\":\"env_var\",\"id\":\"key\",\"name\":\"Key\",\"vars\":[{\"name\":\"API_KEY\"}]}";
    private static final String UNHEARD_OF = "{\"type\":\"_pigeon\",\"id\":\"p\",\"name\":\"Pigeon\",\"loft\":[1]}";

    @RegisterExtension
    final PlayedAgent played = new PlayedAgent();

    private static AuthMethod agent(String id, String name) {
        return AuthMethod.Agent.builder(AuthMethodId.of(id), name).build();
    }

    private static AuthMethod unknown(String type, String raw) {
        return new AuthMethod.Unknown(type, RawJson.parse(raw));
    }

    @Test
    @Tag("AUT-03")
    void aClientKnowsTheKindsAndKeepsThoseItDoesNotKnow() throws Exception {
        var connection = played.connect(
                Client.builder("client", "1").terminalAuthentication(true),
                "{},\"authMethods\":[" + String.join(",", PLAIN, TYPED, TERMINAL, FORMER, UNHEARD_OF) + "]");

        assertThat(connection.authMethods())
                .containsExactly(
                        agent("web", "Browser"),
                        agent("app", "App"),
                        AuthMethod.Terminal.builder(AuthMethodId.of("tty"), "Terminal")
                                .args(List.of("login"))
                                .env(List.of(EnvVariable.of("A", "b")))
                                .build(),
                        unknown("env_var", FORMER),
                        unknown("_pigeon", UNHEARD_OF));
    }

    @Test
    @Tag("AUT-03")
    void anAgentWritesItsOwnKindWithoutATypeAndOthersAsTheyAre() throws Exception {
        Agent agent = Agent.builder("agent", "1")
                .onPrompt(turn -> {})
                .onAuthenticate(
                        List.of(agent("web", "Browser"), unknown("_pigeon", UNHEARD_OF)), (client, method) -> {})
                .build();
        try (Transports ends = Transports.joined();
                ClientConnection served = agent.connect(ends.agent());
                ScriptedPeer client = new ScriptedPeer(ends.client())) {
            client.request(1, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");

            JsonObject answer = (JsonObject) client.expectResult(1);

            assertThat(RawJson.of(answer.get("authMethods").orElseThrow()))
                    .hasToString("[" + PLAIN + "," + UNHEARD_OF + "]");
            assertThat(served.isOpen()).isTrue();
        }
    }
}
