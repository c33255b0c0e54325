package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(LeakRule.class)
class TestkitTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    @Test
    @Tag("TST-01")
    void theTestAgentDoesWhatThePromptSays() throws Exception {
        try (Transports ends = Transports.joined();
                ConnectedClient served = TestAgent.create().connect(ends.agent());
                ConnectedAgent agent = Client.builder("test", "1")
                        .onPermission(request -> request.allowOnce())
                        .onReadTextFile((session, request) -> "content of " + request.path())
                        .connect(ends.client())) {
            Session session = agent.newSession(HERE);

            Turn turn = session.prompt("say hello \nstream 3\nask Edit\nread /a\nplan one,two\nstop refusal");

            assertThat(turn.text()).isEqualTo("hello 0 1 2 allowedcontent of /a");
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.REFUSAL);
            assertThat(session.id()).isEqualTo(SessionId.of("test-1"));
            assertThat(session.view().plan()).hasSize(2);
            assertThat(ends.wire().messages())
                    .first()
                    .asString()
                    .startsWith("--> ")
                    .contains("initialize");
            assertThat(served.isOpen()).isTrue();
        }
    }

    @Test
    void aSessionCanBeLoadedAfterItWasClosed() throws Exception {
        try (Transports ends = Transports.joined();
                ConnectedClient served = TestAgent.create().connect(ends.agent());
                ConnectedAgent agent = Client.builder("test", "1").connect(ends.client())) {
            Session session = agent.newSession(HERE);
            session.prompt("say one").result();
            session.close();

            Session loaded = agent.loadSession(session.id(), HERE);

            assertThat(loaded.view().messages())
                    .singleElement()
                    .satisfies(message -> assertThat(message.text()).isEqualTo("say one"));
            assertThat(served.session(session.id())).isPresent();
        }
    }

    @Test
    void aThreadDoesNotWaitForTimeThatHasPassedSinceItReadTheClock() throws Exception {
        FakeTime time = new FakeTime();
        ReentrantLock lock = new ReentrantLock();
        long before = time.nanoTime();
        time.advance(Duration.ofSeconds(1));

        lock.lock();
        try {
            time.await(lock, lock.newCondition(), Duration.ofSeconds(1).toNanos());
        } finally {
            lock.unlock();
        }

        assertThat(time.nanoTime() - before).isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    @Test
    @Tag("TST-03")
    @Tag("CAN-13")
    void timePassesOnlyWhenTheTestSaysSo() throws Exception {
        FakeTime time = new FakeTime();
        Transports ends = Transports.joined();
        try (ScriptedPeer peer = new ScriptedPeer(ends.agent())) {
            FutureTask<ConnectedAgent> connecting = new FutureTask<>(() -> Client.builder("test", "1")
                    .time(time)
                    .startTimeout(Duration.ofMinutes(10))
                    .connect(ends.client()));
            Thread.ofVirtual().start(connecting);
            peer.expect("initialize");
            time.awaitWaiters(1);

            time.advance(Duration.ofMinutes(9));
            assertThat(connecting.isDone()).isFalse();
            time.advance(Duration.ofMinutes(2));

            assertThatThrownBy(connecting::get).hasRootCauseInstanceOf(RequestTimeoutException.class);
            peer.expect("$/cancel_request");
            peer.expectEnd();
        }
    }

    @Test
    void aScriptedPeerPlaysAnAgent() throws Exception {
        Transports ends = Transports.joined();
        try (ScriptedPeer peer = new ScriptedPeer(ends.agent())) {
            FutureTask<String> client = new FutureTask<>(() -> {
                try (ConnectedAgent agent = Client.builder("test", "1").connect(ends.client())) {
                    return agent.newSession(HERE).prompt("hi").text();
                }
            });
            Thread.ofVirtual().start(client);
            peer.answer(peer.expect("initialize"), "{\"protocolVersion\":1}");
            peer.notification(
                    "session/update", "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"future_thing\",\"x\":1}}");
            peer.answer(peer.expect("session/new"), "{\"sessionId\":\"s\"}");
            var prompt = peer.expect("session/prompt");
            peer.notification(
                    "session/update",
                    "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
                            + "\"content\":{\"type\":\"text\",\"text\":\"hello\"}}}");
            peer.answer(prompt, "{\"stopReason\":\"end_turn\"}");

            assertThat(client.get()).isEqualTo("hello");
            peer.expectEnd();
        }
    }

    @Test
    void aFailedExpectationPrintsTheWire() throws Exception {
        Transports ends = Transports.joined();
        try (ScriptedPeer peer = new ScriptedPeer(ends.agent());
                ScriptedPeer other = new ScriptedPeer(ends.client())) {
            other.request(1, "something", "{}");

            assertThatThrownBy(() -> peer.expect("initialize"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("expected the method initialize")
                    .hasMessageContaining("<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"something\"");
        }
    }
}
