package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.SessionId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a client starts for a session ends with it. */
@Timeout(20)
final class SetupHandlerTest {
    private static final McpServer ADDED = McpServer.Stdio.of("added", "/bin/true", List.of(), List.of());

    @RegisterExtension
    final Joined joined = new Joined();

    private final LinkedBlockingQueue<SessionSetup> ended = new LinkedBlockingQueue<>();

    private ConnectedAgent connect(Agent.SessionHandler opening) throws InterruptedException {
        Client.Builder client = Joined.client().onSessionSetup(new Client.SetupHandler() {
            @Override
            public SessionSetup prepare(ConnectedAgent agent, SessionSetup setup) {
                return setup.withMcpServers(List.of(ADDED));
            }

            @Override
            public void ended(SessionSetup prepared) {
                ended.add(prepared);
            }
        });
        return joined.join(
                Joined.agent(turn -> turn.message(String.valueOf(turn.session().mcpServers())))
                        .onSessionOpening(opening),
                client);
    }

    @Test
    @Tag("SE2-50")
    void theAgentGetsThePreparedSetupWhichEndsWithTheSession() throws Exception {
        ConnectedAgent agent = connect(session -> {});
        Session session = agent.newSession(Joined.HERE);
        Session other = agent.newSession(Joined.HERE);

        assertThat(session.prompt("?").text()).contains("added");
        assertThat(session.setup().mcpServers()).containsExactly(ADDED);
        assertThat(ended).isEmpty();
        session.close();
        assertThat(ended.take()).isSameAs(session.setup());
        agent.close();
        assertThat(ended.take()).isSameAs(other.setup());
    }

    @Test
    @Tag("SE2-50")
    void theSetupOfASessionThatIsRefusedEndsAtOnce() throws Exception {
        ConnectedAgent agent = connect(session -> {
            throw RpcError.invalidParams("not here");
        });

        assertThatThrownBy(() -> agent.newSession(Joined.HERE)).hasMessageContaining("not here");

        assertThat(ended.take().mcpServers()).containsExactly(ADDED);
    }

    @Test
    @Tag("REQ-09")
    @Tag("SE2-49")
    void aSetupThatCannotBePreparedIsNotSentAndTheConnectionGoesOn() throws Exception {
        AtomicBoolean isReady = new AtomicBoolean();
        List<SessionId> asked = new CopyOnWriteArrayList<>();
        Client.Builder client = Joined.client().onSessionSetup(new Client.SetupHandler() {
            @Override
            public SessionSetup prepare(ConnectedAgent agent, SessionSetup setup) {
                if (!isReady.get()) {
                    throw new IllegalStateException("no port is free");
                }
                return setup.withMcpServers(List.of(ADDED));
            }

            @Override
            public void ended(SessionSetup prepared) {
                ended.add(prepared);
            }
        });
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> turn.message(String.valueOf(turn.session().mcpServers())))
                        .onResumeSession(session -> {})
                        .onSessionOpening(session -> asked.add(session.id())),
                client);

        assertThatThrownBy(() -> agent.newSession(Joined.HERE)).hasMessageContaining("no port is free");
        assertThatThrownBy(() -> agent.resumeSession(SessionId.of("s"), Joined.HERE))
                .hasMessageContaining("no port is free");
        isReady.set(true);
        Session session = agent.newSession(Joined.HERE);

        assertThat(asked).containsExactly(session.id());
        assertThat(session.prompt("?").text()).contains("added");
        assertThat(ended).isEmpty();
    }

    @Test
    void thereIsOneHandler() {
        Client.Builder client = Joined.client();
        Client.SetupHandler handler = new Client.SetupHandler() {
            @Override
            public SessionSetup prepare(ConnectedAgent agent, SessionSetup setup) {
                return setup;
            }

            @Override
            public void ended(SessionSetup prepared) {}
        };
        assertThat(client.onSessionSetup(handler)).isSameAs(client);

        assertThatThrownBy(() -> client.onSessionSetup(handler)).isInstanceOf(IllegalStateException.class);
    }
}
