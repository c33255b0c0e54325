package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers are given when an agent or client is built, one for each method. */
@Timeout(60)
class HandlersTest {
    @RegisterExtension
    final Joined joined = new Joined();

    @Test
    @Tag("HND-01")
    void aMethodHasOneHandler() {
        Agent.Builder agent = agent(turn -> {}).on("_one", (client, params) -> params);

        assertThatThrownBy(() -> agent.on("_one", (client, params) -> params))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("_one has a handler already");
    }

    @Test
    @Tag("HND-06")
    @Tag("HND-07")
    void whatTheConnectionOrTheOtherSideHandlesTakesNoHandler() {
        assertThatThrownBy(() -> agent(turn -> {}).on(AgentMethods.INITIALIZE, (client, params) -> {
                    throw new IllegalStateException();
                }))
                .hasMessageContaining("initialize is the connection's own");
        assertThatThrownBy(() -> agent(turn -> {}).on("fs/read_text_file", (client, params) -> params))
                .hasMessageContaining("fs/read_text_file is handled by the client");
        assertThatThrownBy(() -> agent(turn -> {}).onNotification(ClientMethods.UPDATE, (from, params) -> {}))
                .hasMessageContaining("session/update is handled by the client");
        assertThatThrownBy(() -> client().on("$/own", (from, params) -> params))
                .hasMessageContaining("$/own is the connection's own");
    }

    @Test
    @Tag("HND-02")
    void whatHasNoHandlerIsAnsweredAndNotificationsPass() throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> turn.message("hello")), client());

        agent.send("_news", RawJson.EMPTY_OBJECT);
        assertThatThrownBy(() -> agent.call("_question", null)).isInstanceOf(RpcError.class);
        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("hello");
    }

    @Test
    @Tag("HND-20")
    @Tag("API-03")
    void whatIsBuiltDoesNotChangeWithItsBuilderAndServesManyConnections() throws Exception {
        Agent.Builder builder = agent(turn -> turn.message("first"));
        Agent built = builder.build();
        builder.onPrompt(turn -> turn.message("second"));
        builder.on("_late", (client, params) -> RawJson.EMPTY_OBJECT);

        List<String> said = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            var pair = dev.acp4j.rpc.MemoryTransport.pair();
            try (ConnectedClient served = built.connect(pair.left());
                    ConnectedAgent agent = client().connect(pair.right())) {
                assertThat(served.isOpen()).isTrue();
                said.add(agent.newSession(HERE).prompt("go").text());
                assertThatThrownBy(() -> agent.call("_late", null)).isInstanceOf(RpcError.class);
            }
        }

        assertThat(said).containsExactly("first", "first");
    }

    @Test
    @Tag("HND-15")
    @Tag("HND-17")
    @Tag("DSP-18")
    void listenersAreToldInOrderUntilTheyAreRemoved() throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message(turn.text())),
                client().onEvent((session, event) -> heard.add("connection")));
        Session session = agent.newSession(HERE);
        Session.Subscription first = session.onEvent((from, event) -> heard.add("first"));
        Session.Subscription second = session.onEvent((from, event) -> heard.add("second"));

        assertThat(session.prompt("a").text()).isEqualTo("a");
        first.close();
        first.close();
        assertThat(session.prompt("b").text()).isEqualTo("b");
        second.close();
        assertThat(session.prompt("c").text()).isEqualTo("c");

        assertThat(heard).containsExactly("connection", "first", "second", "connection", "second", "connection");
    }

    @Test
    @Tag("HND-22")
    void aHandlerSeesWhatWasAskedByWhomAndWhetherItStillMatters() throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> seen.add(turn.text() + " " + turn.sessionId() + " " + turn.isCancelled() + " "
                                + turn.client().info().orElseThrow().name()))
                        .sessionIds(() -> dev.acp4j.schema.SessionId.of("s")),
                client());

        assertThat(agent.newSession(HERE).prompt("go").result().stopReason().value())
                .isEqualTo("end_turn");

        assertThat(seen).containsExactly("go s false test-client");
    }
}
