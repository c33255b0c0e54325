package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.StopReason;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client over events against {@link PlainServer}, a server of another maker. */
@Timeout(60)
class EventsClientTest {
    private @Nullable PlainServer server;

    private PlainServer serve(Agent.Builder agent) throws Exception {
        PlainServer plain = new PlainServer(agent.build());
        server = plain;
        return plain;
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private static Agent.Builder echo() {
        return Agent.builder("echo", "1.0").onPrompt(turn -> turn.message("You said: " + turn.text()));
    }

    private static ConnectedAgent connect(PlainServer server) throws InterruptedException {
        return Client.builder("ask", "1.0").connect(Http.to(server.uri()));
    }

    @Test
    @Tag("HTC-09")
    void aSessionIsListenedToBeforeItIsPromptedAndTheConnectionIsEnded() throws Exception {
        PlainServer plain = serve(echo());

        String text;
        Session session;
        try (ConnectedAgent agent = connect(plain)) {
            session = agent.newSession(Path.of("/"));
            text = session.prompt("Hello").text();
        }

        assertThat(text).isEqualTo("You said: Hello");
        List<String> requests = plain.requests();
        assertThat(requests).startsWith("POST initialize").contains("GET", "DELETE");
        assertThat(requests)
                .containsSubsequence(
                        "POST session/new", "GET " + session.id().value(), "POST session/prompt", "DELETE");
    }

    @Test
    @Tag("HTC-12")
    void aTurnIsCancelledWhileItRuns() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        PlainServer plain = serve(Agent.builder("slow", "1.0").onPrompt(turn -> {
            started.countDown();
            new CountDownLatch(1).await();
        }));

        StopReason reason;
        try (ConnectedAgent agent = connect(plain)) {
            Turn turn = agent.newSession(Path.of("/")).prompt("Go");
            started.await();
            turn.cancel();
            reason = turn.result().stopReason();
        }

        assertThat(reason).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Tag("DUR-29")
    void aStreamThatIsCutGoesOnBehindTheLastEvent() throws Exception {
        PlainServer plain = new PlainServer(Agent.builder("counter", "1.0")
                .onPrompt(turn -> {
                    for (int i = 0; i < 200; i++) {
                        turn.message(i + " ");
                        if (i % 20 == 0) {
                            cut();
                        }
                    }
                })
                .build());
        server = plain;
        plain.isResumable = true;

        String text;
        try (ConnectedAgent agent = connect(plain)) {
            text = agent.newSession(Path.of("/")).prompt("Count").text();
        }

        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            expected.append(i).append(' ');
        }
        assertThat(text).isEqualTo(expected.toString());
    }

    private void cut() {
        PlainServer plain = server;
        if (plain != null) {
            plain.cutStreams();
        }
    }

    @Test
    @Tag("DUR-27")
    @Tag("HTC-28")
    void aServerThatForgetsTheConnectionGetsAnotherOne() throws Exception {
        List<RemoteAgent.State> states = Collections.synchronizedList(new ArrayList<>());
        List<String> resumed = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        AtomicInteger prompts = new AtomicInteger();
        PlainServer plain = serve(Agent.builder("once", "1.0")
                .onResumeSession(session -> resumed.add(session.id().value()))
                .onPrompt(turn -> {
                    if (prompts.incrementAndGet() == 1) {
                        // The agent has the session still, so its turn runs on when the client comes back.
                        started.countDown();
                        released.await();
                        return;
                    }
                    turn.message("again");
                }));

        String text;
        Session session;
        try (ConnectedAgent agent =
                Client.builder("ask", "1.0").connect(Http.to(plain.uri()).onState(states::add))) {
            session = agent.newSession(Path.of("/"));
            Turn lost = session.prompt("First");
            started.await();
            plain.forget();
            assertThatThrownBy(lost::result)
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("the outcome is unknown");
            released.countDown();
            text = session.prompt("Second").text();
        }

        assertThat(text).isEqualTo("again");
        assertThat(resumed).containsExactly(session.id().value());
        assertThat(states).containsExactly(RemoteAgent.State.DOWN, RemoteAgent.State.RECOVERED);
        assertThat(prompts).hasValue(2);
    }

    @Test
    @Tag("DUR-37")
    void aPromptWhoseOutcomeIsUnknownIsNotSentTwice() throws Exception {
        AtomicInteger prompts = new AtomicInteger();
        // Otherwise the answer comes on the stream before the client has noticed anything.
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        PlainServer plain = serve(Agent.builder("once", "1.0").onPrompt(turn -> {
            int unused = prompts.incrementAndGet();
            started.countDown();
            released.await();
        }));

        try (ConnectedAgent agent = connect(plain)) {
            Session session = agent.newSession(Path.of("/"));
            plain.losesResponse = method -> method.equals("session/prompt");
            assertThatThrownBy(() -> session.prompt("Go").result())
                    .isInstanceOfSatisfying(
                            RpcError.class,
                            e -> assertThat(e.data().orElseThrow().toString()).contains("outcome_unknown"));
            started.await();
            released.countDown();
        }

        assertThat(prompts).hasValue(1);
        assertThat(plain.requests().stream().filter("POST session/prompt"::equals))
                .hasSize(1);
    }

    @Test
    @Tag("HTC-24")
    @Tag("HTC-29")
    void aRefusedCredentialIsAskedForOnceMore() throws Exception {
        AtomicInteger tokens = new AtomicInteger();
        PlainServer plain = serve(echo());
        plain.before =
                exchange -> "Bearer 1".equals(exchange.getRequestHeaders().getFirst("Authorization")) ? 401 : null;

        String text;
        try (ConnectedAgent agent = Client.builder("ask", "1.0")
                .connect(Http.to(plain.uri()).bearer(() -> Integer.toString(tokens.incrementAndGet())))) {
            text = agent.newSession(Path.of("/")).prompt("Hello").text();
        }

        assertThat(text).isEqualTo("You said: Hello");
    }

    @Test
    void whatGoesWrongBeforeTheFirstAnswerIsTheErrorOfInitialize() throws Exception {
        PlainServer plain = serve(echo());
        plain.before = exchange -> 403;
        URI nobody = URI.create("http://127.0.0.1:1/acp");

        assertThatThrownBy(() -> connect(plain))
                .hasMessageContaining("403")
                .hasMessageContaining("check the credential");
        assertThatThrownBy(() -> Client.builder("ask", "1.0").connect(Http.to(nobody)))
                .hasMessageContaining("nothing listens at 127.0.0.1:1: is the server running?");
    }

    @Test
    @Tag("HTC-16")
    void aRequestThatTheServerRefusesFailsAlone() throws Exception {
        PlainServer plain = serve(echo());

        String text;
        try (ConnectedAgent agent = connect(plain)) {
            Session session = agent.newSession(Path.of("/"));
            plain.before = exchange -> exchange.getRequestMethod().equals("POST") ? 413 : null;
            assertThatThrownBy(() -> session.prompt("Too much").result())
                    .isInstanceOfSatisfying(
                            RpcError.class,
                            e -> assertThat(e.data().orElseThrow().toString()).contains("\"status\":413"));
            plain.before = exchange -> null;
            text = session.prompt("Hello").text();
        }

        assertThat(text).isEqualTo("You said: Hello");
    }

    @Test
    @Tag("HTC-26")
    void aRedirectIsNotFollowedAndSaysSo() throws Exception {
        PlainServer plain = serve(echo());
        plain.before = exchange -> 307;

        assertThatThrownBy(() -> connect(plain)).hasMessageContaining("307").hasMessageContaining("not followed");
        assertThat(plain.requests()).containsExactly("POST initialize");
    }

    @Test
    @Tag("HTC-18")
    void aSessionWhoseStreamIsRefusedFailsAloneUntilItIsLoadedOrResumed() throws Exception {
        PlainServer plain = serve(echo().onResumeSession(session -> {}));

        String other;
        String again;
        try (ConnectedAgent agent = connect(plain)) {
            Session whole = agent.newSession(Path.of("/"));
            plain.before = exchange -> exchange.getRequestMethod().equals("GET") && !isOf(whole, exchange) ? 409 : null;
            Session broken = agent.newSession(Path.of("/"));
            assertThatThrownBy(() -> broken.prompt("Hello").result()).isInstanceOf(RpcError.class);
            other = whole.prompt("Hello").text();
            plain.before = exchange -> null;
            broken.detach();
            again = agent.resumeSession(broken.id(), Path.of("/"))
                    .prompt("Hello")
                    .text();
        }

        assertThat(other).isEqualTo("You said: Hello");
        assertThat(again).isEqualTo("You said: Hello");
    }

    private static boolean isOf(Session session, HttpExchange exchange) {
        String named = exchange.getRequestHeaders().getFirst(Wire.SESSION_ID);
        return named == null || named.equals(session.id().value());
    }

    @Test
    @Tag("HTC-19")
    void withoutRecoveryAConnectionEndsWithItsStream() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        PlainServer plain = serve(Agent.builder("slow", "1.0").onPrompt(turn -> {
            started.countDown();
            ends.await();
        }));

        try (ConnectedAgent agent =
                Client.builder("ask", "1.0").connect(Http.to(plain.uri()).recovers(false))) {
            Turn turn = agent.newSession(Path.of("/")).prompt("Go");
            started.await();
            plain.cutStreams();
            assertThatThrownBy(turn::result).isInstanceOf(RpcException.class);
            agent.awaitClosed();
        } finally {
            ends.countDown();
        }

        assertThat(plain.requests().stream().filter("POST initialize"::equals)).hasSize(1);
    }

    @Test
    @Tag("HTC-02")
    void addressesWithSecretsAndToOtherMachinesAreRefused() {
        assertThatThrownBy(() -> Http.to(URI.create("https://example.org/acp?token=abc")))
                .hasMessageContaining("no user, query or fragment");
        assertThatThrownBy(() -> Http.to(URI.create("ftp://example.org")))
                .hasMessageContaining("https, http, wss or ws");
        assertThatThrownBy(() -> Http.to(URI.create("http://example.org")).open())
                .hasMessageContaining("not encrypted");
        assertThat(Http.to(URI.create("https://example.org")).endpoint()).hasToString("https://example.org/acp");
    }
}
