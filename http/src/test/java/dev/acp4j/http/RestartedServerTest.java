package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients find at a server that was restarted with the store of the one before it, and what without. */
class RestartedServerTest {
    private static final String SECOND =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":2,\"capabilities\":{}}}";

    @TempDir
    Path folder;

    private EndpointFixture server = new EndpointFixture();

    private EndpointFixture server() {
        return new EndpointFixture(Http.on(0).store(StreamStore.in(folder)));
    }

    @BeforeEach
    void start() {
        server = server();
    }

    /** The server dies, and another one takes its place. */
    private EndpointFixture.Connection restart(EndpointFixture.Connection of) {
        server.die();
        server = server();
        return server.restored(of.id);
    }

    @AfterEach
    void stop() {
        server.die();
    }

    private static List<String> texts(FakeExchange stream) {
        return stream.data().stream()
                .filter(data -> !data.contains("acp/turnState"))
                .toList();
    }

    private List<Path> kept() throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isDirectory).toList();
        }
    }

    @Test
    @Tag("DUR-33")
    void aClientGetsWhatItHasNotHadAndThatTheOutcomeOfItsTurnIsUnknown() throws Exception {
        var before = server.connect();
        before.open("s");
        FakeExchange own = before.stream();
        FakeExchange session = before.session("s");
        before.post(call(1, "session/prompt", "s"));
        for (int i = 0; i < 10; i++) {
            before.says(update("s", "text " + i));
        }
        String cursor = session.ids().get(3);
        var after = restart(before);
        FakeExchange again = after.session("s", "Last-Event-ID", cursor);

        List<String> rest = texts(again);
        assertThat(rest.subList(0, 6)).isEqualTo(session.data().subList(4, 10));
        assertThat(rest).hasSize(7);
        assertThat(rest.get(6)).contains("\"id\":1,\"error\":{\"code\":-32603,").contains("\"outcome_unknown\"");
        assertThat(again.ids().subList(0, 6)).isEqualTo(session.ids().subList(4, 10));
        assertThat(again.data()).anyMatch(data -> data.contains("\"acp/turnState\":{\"state\":\"idle\"}"));
        assertThat(again.ended).isTrue();
        // The stream of the connection is not read yet, so it is there still.
        assertThat(after.post(call(2, "session/prompt", "s")).status()).isEqualTo(404);
        FakeExchange last = after.stream("Last-Event-ID", own.ids().get(0));
        assertThat(last.status()).isEqualTo(200);
        assertThat(texts(last)).isEmpty();
        assertThat(after.stream("Last-Event-ID", own.ids().get(0)).status()).isEqualTo(404);
        assertThat(kept()).isEmpty();
    }

    @Test
    @Tag("DUR-33")
    void aClientThatHasNoCursorGetsWhatNobodyWasSent() throws Exception {
        var before = server.connect();
        before.open("s");
        FakeExchange session = before.session("s");
        before.says(update("s", "sent"));
        session.leave();
        before.says(update("s", "not sent"));
        FakeExchange again = restart(before).session("s");

        assertThat(again.data()).singleElement().asString().contains("\"not sent\"");
    }

    @Test
    @Tag("DUR-33")
    void aTurnOfVersion2EndsIdleWithAnError() throws Exception {
        EndpointFixture.Connection before = server.new Connection(SECOND);
        before.open("s");
        FakeExchange session = before.session("s");
        before.post(call(1, "session/prompt", "s"));
        before.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        String state = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\","
                + "\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"running\"}}}";
        before.says(state);
        before.says(update("s", "half"));
        FakeExchange again =
                restart(before).session("s", "Last-Event-ID", session.ids().get(1));

        assertThat(again.data().get(0)).contains("half");
        assertThat(again.data().get(1))
                .contains("\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"error\"")
                .contains("outcome_unknown");
        assertThat(again.data().stream().filter(data -> data.contains("\"running\"")))
                .isEmpty();
        assertThat(again.ended).isTrue();
    }

    @Test
    @Tag("DUR-32")
    @Tag("DUR-33")
    void aRestartedServerTakesNoOtherCursorForItsOwn() throws Exception {
        var before = server.connect();
        before.open("s");
        FakeExchange session = before.session("s");
        before.says(update("s", "one"));
        String cursor = session.ids().get(0);
        String epoch = cursor.substring(0, cursor.indexOf('-') + 1);
        var after = restart(before);

        // Such a message may have been sent, and be lost with the power of the machine.
        for (String unknown : List.of(epoch + "9", epoch + "vv", "abc-1")) {
            assertThat(after.session("s", "Last-Event-ID", unknown).text()).contains("cursor_unknown");
        }
        assertThat(after.session("s", "Last-Event-ID", cursor).status()).isEqualTo(200);
        EndpointFixture none = new EndpointFixture();
        assertThat(none.restored(before.id)
                        .session("s", "Last-Event-ID", cursor)
                        .status())
                .isEqualTo(404);
    }

    @Test
    @Tag("DUR-33")
    void whatIsLeftWaitsForItsClientAndIsDeletedByIt() throws Exception {
        var first = server.connect();
        var second = server.connect();
        first.says(update("s", "one"));
        second.says(update("s", "two"));
        restart(first);
        server.pass(Duration.ofMinutes(9));
        assertThat(server.restored(first.id).delete().status()).isEqualTo(202);
        assertThat(kept()).hasSize(1);
        assertThat(server.restored(second.id).stream().status()).isEqualTo(200);
        server.pass(Duration.ofSeconds(59));
        assertThat(server.restored(second.id).session("s").data()).hasSize(1);
        assertThat(server.restored(second.id).stream().status()).isEqualTo(404);

        var third = server.connect();
        third.says(update("s", "three"));
        restart(third);
        server.pass(Duration.ofMinutes(10));
        assertThat(server.restored(third.id).session("s").status()).isEqualTo(404);
        assertThat(kept()).isEmpty();
    }

    @Test
    @Tag("DUR-33")
    void aServerThatStopsKeepsWhatClientsHaveNotHad() throws Exception {
        var before = server.connect();
        before.open("s");
        before.post(call(1, "session/prompt", "s"));
        before.says(update("s", "one"));
        server.endpoint.connections().drain();
        server.endpoint.connections().stop();
        before.agent.close();
        FakeExchange again = restart(before).session("s");

        assertThat(again.data()).hasSize(2);
        assertThat(again.data().get(0)).contains("\"one\"");
        assertThat(again.data().get(1)).contains("outcome_unknown");
    }

    @Test
    @Tag("DUR-33")
    void whatIsLeftTakesNoPlaceOfANewConnection() throws Exception {
        server.die();
        HttpServer one = Http.on(0).store(StreamStore.in(folder)).limits(ServerLimits.STANDARD.withConnections(1, 1));
        server = new EndpointFixture(one);
        var before = server.connect();
        before.stream();
        server.die();
        server = new EndpointFixture(one);

        assertThat(server.connect().initialize.status()).isEqualTo(200);
    }

    @Test
    void aStoreNeedsDurableStreams() {
        HttpServer wrong = Http.on(0).store(StreamStore.in(folder)).durable(false);

        assertThatThrownBy(() -> wrong.start(agent -> {})).hasMessageContaining("needs durable streams");
    }
}
