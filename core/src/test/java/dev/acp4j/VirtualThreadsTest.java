package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.StopReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which threads run handlers. */
@Timeout(60)
class VirtualThreadsTest {
    private static final int TURNS = 200;

    @RegisterExtension
    final Joined joined = new Joined();

    private final CountDownLatch waiting = new CountDownLatch(TURNS);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private void answer(AgentTurn turn) throws InterruptedException {
        waiting.countDown();
        goOn.await();
        turn.message(Thread.currentThread().isVirtual() ? "virtual" : "platform");
    }

    /** Counts threads of the system. */
    private static int threads() {
        return Thread.getAllStackTraces().size();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void turnsThatWaitHaveTheThreadsThatWereAskedFor(boolean isVirtual) throws Exception {
        ConnectedAgent connected = joined.join(agent(this::answer).virtualThreads(isVirtual), client());
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < TURNS; i++) {
            sessions.add(connected.newSession(HERE));
        }
        int before = threads();
        List<Turn> turns = new ArrayList<>();
        for (Session session : sessions) {
            turns.add(session.prompt("Wait."));
        }
        waiting.await();
        int during = threads();
        goOn.countDown();

        for (Turn turn : turns) {
            assertThat(turn.text()).isEqualTo(isVirtual ? "virtual" : "platform");
        }
        if (isVirtual) {
            assertThat(during).isLessThan(before + TURNS / 2);
        } else {
            assertThat(during).isGreaterThanOrEqualTo(TURNS);
        }
    }

    @Test
    void aTurnOnAVirtualThreadIsCancelled() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        ConnectedAgent connected = joined.join(
                agent(turn -> {
                            runs.countDown();
                            try {
                                goOn.await();
                            } catch (InterruptedException e) {
                                interrupted.countDown();
                                throw e;
                            }
                        })
                        .virtualThreads(true),
                client());
        Turn turn = connected.newSession(HERE).prompt("Wait.");
        runs.await();
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        interrupted.await();
    }
}
