package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An agent or client may have many connections: every handler learns on which one it is asked. */
@Timeout(60)
class HandlerContextTest {
    @RegisterExtension
    final Joined joined = new Joined();

    @Test
    void handlersOfAnAgentLearnWhichClientAsks() throws Exception {
        List<String> askers = Collections.synchronizedList(new ArrayList<>());
        Agent.Builder agent = agent(turn -> {})
                .onListSessions((client, request) -> {
                    askers.add("list " + name(client));
                    return ListSessionsResponse.builder(List.of()).build();
                })
                .onDeleteSession((client, session) -> askers.add("delete " + name(client)))
                .onAuthenticate(
                        List.of(AuthMethod.Agent.builder(AuthMethodId.of("web"), "Browser")
                                .build()),
                        (client, method) -> askers.add("authenticate " + name(client)))
                .onLogout(client -> askers.add("logout " + name(client)))
                .on("_who", (client, params) -> RawJson.string(name(client)));
        ConnectedAgent ada = joined.join(agent, Client.builder("ada", "1"));
        ConnectedAgent bob = joined.join(agent, Client.builder("bob", "1"));

        assertThat(ada.listSessions(null)).isEmpty();
        bob.deleteSession(SessionId.of("x"));
        ada.authenticate(AuthMethodId.of("web"));
        bob.logout();

        assertThat(askers).containsExactly("list ada", "delete bob", "authenticate ada", "logout bob");
        assertThat(ada.call("_who", null)).hasToString("\"ada\"");
        assertThat(bob.call("_who", null)).hasToString("\"bob\"");
    }

    private static String name(ConnectedClient client) {
        return client.info().orElseThrow().name();
    }

    @Test
    void aHandlerMayCallBackWhoeverCalledIt() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {}).on("_ping", (client, params) -> client.call("_pong", params)),
                client().on(
                                "_pong",
                                (from, params) ->
                                        RawJson.string(from.info().orElseThrow().name())));

        assertThat(agent.call("_ping", null)).hasToString("\"test-agent\"");
    }

    @Test
    void notificationsOfExtensionsTellWhoSentThem() throws Exception {
        AtomicReference<@Nullable String> sender = new AtomicReference<>();
        CountDownLatch received = new CountDownLatch(1);
        ConnectedAgent agent = joined.join(
                agent(turn -> {}).onNotification("_hello", (client, params) -> {
                    sender.set(name(client));
                    received.countDown();
                }),
                client());

        agent.send("_hello", null);

        assertThat(received.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(sender).hasValue("test-client");
    }

    @Test
    void anElicitationTellsItsSession() throws Exception {
        AtomicReference<@Nullable ElicitationQuestion> asked = new AtomicReference<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message(turn.elicit(form(turn)).getClass().getSimpleName())),
                client().onElicitation(request -> {
                    asked.set(request);
                    return request.decline();
                }));
        Session session = agent.newSession(HERE);

        assertThat(session.prompt("go").text()).isEqualTo("Decline");
        ElicitationQuestion request = Objects.requireNonNull(asked.get());
        assertThat(request.session()).isSameAs(session);
        assertThat(request.agent()).isSameAs(agent);
    }

    @Test
    @Tag("CAN-24")
    void cancellingATurnWithdrawsItsElicitation() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch withdrawn = new CountDownLatch(1);
        AtomicReference<@Nullable CreateElicitationResponse> answer = new AtomicReference<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    // A question of the session, which the agent does not withdraw by itself.
                    Thread asker = Thread.ofVirtual().start(() -> answer.set(elicit(turn)));
                    boolean interrupted = false;
                    while (asker.isAlive()) {
                        try {
                            asker.join();
                        } catch (InterruptedException e) {
                            interrupted = true;
                        }
                    }
                    assertThat(interrupted).isTrue();
                }),
                client().onElicitation(request -> {
                    asked.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        withdrawn.countDown();
                    }
                    return request.decline();
                }));

        Turn turn = agent.newSession(HERE).prompt("go");
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(withdrawn.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(answer.get()).isInstanceOf(CreateElicitationResponse.Cancel.class);
    }

    private static CreateElicitationResponse elicit(AgentTurn turn) {
        try {
            return turn.session().elicit(form(turn));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CreateElicitationRequest form(AgentTurn turn) {
        return CreateElicitationRequest.form(
                ElicitationScope.session(turn.sessionId()),
                "Which one?",
                ElicitationSchema.builder().build());
    }
}
