package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the end of a connection does to the sessions on it. */
@Timeout(60)
class EndOfSessionsTest {
    @RegisterExtension
    final Joined joined = new Joined();

    @Test
    @Tag("CLS-01")
    void anAgentThatServesReturnsWhenItsClientCloses() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        FutureTask<String> serving = new FutureTask<>(() -> {
            agent(turn -> {}).serve(pair.left());
            return "returned";
        });
        Thread.ofVirtual().start(serving);

        client().connect(pair.right()).close();

        assertThat(serving.get(20, TimeUnit.SECONDS)).isEqualTo("returned");
    }

    @Test
    @Tag("CLS-01")
    void anAgentThatServesFailsWithWhatMadeTheConnectionFail() {
        Transport broken = new Transport() {
            @Override
            public Transport.Reader reader() {
                return () -> {
                    throw new IOException("cable cut");
                };
            }

            @Override
            public Transport.Writer writer() {
                return MemoryTransport.pair().left().writer();
            }

            @Override
            public void close() {}
        };

        assertThatThrownBy(() -> agent(turn -> {}).serve(broken))
                .isInstanceOf(ConnectionClosedException.class)
                .hasRootCauseMessage("cable cut");
    }

    @Test
    @Tag("CLS-25")
    void whoReadsATurnAndWhoseTurnWaitsLearnOfTheEnd() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    turn.message("working");
                    new CountDownLatch(1).await();
                }),
                client());
        Session session = agent.newSession(HERE);
        Turn running = session.prompt("one");
        Turn waiting = session.prompt("two");
        CountDownLatch reading = new CountDownLatch(1);
        FutureTask<Integer> reader = new FutureTask<>(() -> {
            int events = 0;
            for (SessionEvent event : running) {
                events += event instanceof SessionEvent.Message ? 1 : 0;
                reading.countDown();
            }
            return events;
        });
        Thread.ofVirtual().start(reader);
        reading.await();

        agent.rpc().close();

        assertThat(reader.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        assertThatThrownBy(running::result)
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("session/prompt");
        assertThatThrownBy(waiting::result).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    @Tag("CLS-19")
    void whatOutlivesItsConnectionFailsWhenUsed() throws Exception {
        CompletableFuture<AgentTurn> turns = new CompletableFuture<>();
        CompletableFuture<ToolCallHandle> calls = new CompletableFuture<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    calls.complete(turn.toolCall("x", ToolKind.OTHER));
                    turns.complete(turn);
                }),
                client());
        Session session = agent.newSession(HERE);
        session.prompt("go").result();
        ConnectedClient client = turns.get().client();

        agent.close();
        client.awaitClosed();

        assertThatThrownBy(() -> turns.get().message("late")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> calls.get().complete()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> turns.get().files().readText(HERE.resolve("a")))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> session.prompt("more")).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> agent.newSession(HERE)).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    @Tag("CLS-16")
    @Tag("CLS-18")
    void everySessionIsClosedEvenIfClosingOneFails() throws Exception {
        List<Problem> problems = Collections.synchronizedList(new ArrayList<>());
        List<AgentSession> closed = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<ConnectedClient> clients = new CompletableFuture<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .onProblem(problems::add)
                        .onNewSession(session -> clients.complete(session.client()))
                        .onCloseSession(session -> {
                            closed.add(session);
                            throw new IllegalStateException("cannot free it");
                        }),
                client());
        agent.newSession(HERE);
        agent.newSession(HERE);

        agent.close();
        clients.get().awaitClosed();

        assertThat(closed).hasSize(2);
        assertThat(problems)
                .hasSize(2)
                .allSatisfy(problem -> assertThat(problem.detail()).contains("cannot free it"));
    }

    @Test
    @Tag("CAN-18")
    void interruptingWhoOpensASessionReachesTheAgentWhichDoesNotKeepIt() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        CompletableFuture<AgentSession> given = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> interrupted = new CompletableFuture<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {}).onNewSession(session -> {
                    given.complete(session);
                    opening.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.complete(null);
                    }
                }),
                client());
        FutureTask<Session> caller = new FutureTask<>(() -> agent.newSession(HERE));
        Thread thread = Thread.ofVirtual().start(caller);
        opening.await();

        thread.interrupt();

        assertThatThrownBy(caller::get).hasCauseInstanceOf(InterruptedException.class);
        interrupted.get(20, TimeUnit.SECONDS);
        assertThat(given.get().client().session(given.get().id())).isEmpty();
    }
}
