package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A program whose virtual threads keep every carrier for themselves, as a few that compute do, stops nothing that ends
 * something.
 */
@Timeout(30)
class OccupiedCarriersTest {
    private static final Duration NO_TIME = Duration.ofMillis(1);

    @RegisterExtension
    final Joined joined = new Joined();

    private final AtomicBoolean computing = new AtomicBoolean(true);
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);

    @BeforeEach
    void occupyAllCarriers() throws Exception {
        int carriers = Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
        CountDownLatch occupied = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                occupied.countDown();
                compute();
            }));
        }
        occupied.await();
    }

    private void compute() {
        while (computing.get()) {
            // No thread gives up its carrier here.
        }
    }

    @AfterEach
    void freeThem() throws Exception {
        computing.set(false);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void noVirtualThreadRuns() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);

        threads.add(Thread.ofVirtual().start(ran::countDown));

        assertThat(ran.await(200, TimeUnit.MILLISECONDS)).isFalse();
    }

    @Test
    void sessionsAreOpenedAndTurnsCancelled() throws Exception {
        ConnectedAgent connection = joined.join(agent(turn -> never.await()), client());

        Session first = connection.newSession(HERE);
        Turn turn = first.prompt("wait");
        Session second = connection.newSession(HERE);
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(second.id()).isNotEqualTo(first.id());
    }

    @Test
    void aTimeLimitEndsACall() throws Exception {
        ConnectedAgent connection = joined.join(
                agent(turn -> {}).onNewSession(session -> never.await()),
                client().limits(Limits.STANDARD.withRequestTimeout(Duration.ofMillis(100))));

        assertThatThrownBy(() -> connection.newSession(HERE)).isInstanceOf(RequestTimeoutException.class);
    }

    @Test
    void aConnectionIsClosedAtEitherEnd() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Limits impatient = Limits.STANDARD.withDrainTime(NO_TIME);
        ConnectedClient agentsEnd =
                agent(turn -> never.await()).limits(impatient).build().connect(pair.left());
        ConnectedAgent clientsEnd = client().limits(impatient).connect(pair.right());
        Turn turn = clientsEnd.newSession(HERE).prompt("wait");

        clientsEnd.close();
        agentsEnd.awaitClosed();

        assertThat(turn.isDone()).isTrue();
        assertThat(agentsEnd.isOpen()).isFalse();
    }

    @Test
    void theEndOfItsInputEndsAnAgent() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        ConnectedClient agentsEnd = agent(turn -> never.await())
                .limits(Limits.STANDARD.withDrainTime(NO_TIME))
                .build()
                .connect(pair.left());
        RawClient client = new RawClient(pair.right());
        client.send("initialize", "{\"protocolVersion\":1}");
        client.read();

        client.close();
        agentsEnd.awaitClosed();

        assertThat(agentsEnd.isOpen()).isFalse();
    }

    /** Handlers that compute, more of them than there are processors, and look now and then whether to stop. */
    @RepeatedTest(2)
    void handlersThatComputeStopNothing() throws Exception {
        int turns = Runtime.getRuntime().availableProcessors() + 1;
        CountDownLatch begun = new CountDownLatch(turns);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                    begun.countDown();
                    while (!turn.isCancelled()) {
                        turn.checkCancelled();
                    }
                }),
                client());
        List<Turn> running = new ArrayList<>();
        for (int i = 0; i < turns; i++) {
            running.add(connection.newSession(HERE).prompt("compute"));
        }
        begun.await();

        SessionId another = connection.newSession(HERE).id();
        running.forEach(Turn::cancel);

        assertThat(another.value()).isNotEmpty();
        for (Turn turn : running) {
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
    }

    /** What arrived before it in the session's lane does not hold a cancellation up. */
    @Test
    void aCancellationTakesEffectWhileTheLaneOfItsSessionIsOccupied() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        ConnectedAgent connection = joined.join(
                agent(turn -> {
                            begun.countDown();
                            never.await();
                        })
                        .onNotification("_stay", (client, params) -> {
                            begun.countDown();
                            compute();
                        }),
                client());
        Session session = connection.newSession(HERE);
        Turn turn = session.prompt("wait");
        connection.send("_stay", RawJson.parse("{\"sessionId\":\"" + session.id() + "\"}"));
        begun.await();

        turn.cancel();
        StopReason reason = turn.result().stopReason();
        boolean stillOccupied = computing.get();

        assertThat(reason).isEqualTo(StopReason.CANCELLED);
        assertThat(stillOccupied).isTrue();
    }

    /** A regular expression, for example: it sees no interrupt. Neither does what frees a session here. */
    @Test
    void handlersThatNeverStopKeepNoConnectionOpen() throws Exception {
        int turns = Runtime.getRuntime().availableProcessors() + 1;
        CountDownLatch begun = new CountDownLatch(turns);
        Limits impatient = Limits.STANDARD.withDrainTime(NO_TIME);
        MemoryTransport.Pair pair = MemoryTransport.pair();
        ConnectedClient agentsEnd = agent(turn -> {
                    begun.countDown();
                    compute();
                })
                .onCloseSession(session -> compute())
                .limits(impatient)
                .build()
                .connect(pair.left());
        ConnectedAgent clientsEnd = client().limits(impatient).connect(pair.right());
        List<Turn> running = new ArrayList<>();
        for (int i = 0; i < turns; i++) {
            running.add(clientsEnd.newSession(HERE).prompt("compute"));
        }
        begun.await();

        clientsEnd.close();
        agentsEnd.close();

        assertThat(running).allMatch(Turn::isDone);
        assertThat(agentsEnd.isOpen()).isFalse();
    }
}
