package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.testkit.FakeTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Our client in outages, with a clock of its own, against our server. */
@Timeout(60)
class OutageTest {
    private final FakeTime time = new FakeTime();
    private final LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();

    private static RunningServer serve(Agent.Builder agent) throws Exception {
        Agent built = agent.build();
        return Http.on(0).drainTime(Duration.ofSeconds(1)).start(built::connect);
    }

    private RemoteAgent to(RunningServer server) {
        String token = server.token().orElseThrow();
        return Http.to(server.uri())
                .bearer(() -> token)
                .time(time, () -> 0, () -> 0)
                .onState(states::add);
    }

    @Test
    void aStreamThatIsOlderThanWhatTheServerKeepsGoesOnAfterACut() throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        String text;
        RemoteAgent.State first;
        RemoteAgent.State second;
        try (RunningServer server = serve(Agent.builder("patient", "1.0").onPrompt(turn -> {
                    turn.message("begun, ");
                    cut.await();
                    turn.message("done");
                }));
                ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server))) {
            Turn turn = agent.newSession(Path.of("/")).prompt("Go");
            SessionEvent unused = turn.iterator().next();
            // Longer than the server keeps messages, and longer than a stream may be silent: both streams are cut.
            time.advance(Duration.ofMinutes(6));
            first = states.take();
            second = states.take();
            cut.countDown();
            text = turn.text();
        }

        assertThat(first).isEqualTo(RemoteAgent.State.DOWN);
        assertThat(second).isEqualTo(RemoteAgent.State.RESUMED);
        assertThat(text).isEqualTo("begun, done");
        assertThat(states).doesNotContain(RemoteAgent.State.RECOVERED);
    }
}
