package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What our client does when our server closes its WebSocket. */
@Timeout(60)
class ClosedSocketTest {
    private final LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();

    private RemoteAgent.State state() throws InterruptedException {
        return Objects.requireNonNull(states.poll(30, TimeUnit.SECONDS), "no change of state within 30 s");
    }

    @Test
    @Tag("WSK-12")
    @Tag("DUR-39")
    void aMessageThatTakesLongerThanTheServerWaitsForASignOfLifeArrives() throws Exception {
        Agent agent = Agent.builder("counting", "1.0")
                .onPrompt(turn -> turn.message("" + turn.text().length()))
                .build();
        ServerLimits impatient = ServerLimits.STANDARD.withLiveness(Duration.ofSeconds(2), Duration.ofSeconds(5));
        try (CuttingProxy slow = new CuttingProxy();
                RunningServer server = Http.on(0)
                        .limits(impatient)
                        .allowedHosts(slow.host())
                        .drainTime(Duration.ZERO)
                        .start(agent::connect)) {
            slow.leadTo(server.uri());
            String token = server.token().orElseThrow();
            try (ConnectedAgent connected = Client.builder("ask", "1.0")
                    .connect(Http.to(slow.uri())
                            .over(RemoteAgent.Over.WEBSOCKET)
                            .bearer(() -> token)
                            .onState(states::add))) {
                Session session = connected.newSession(Path.of("/"));
                slow.trickle(100_000);
                // Longer than the client waits as well: five times the interval of the server.
                String text = session.prompt("x".repeat(800_000)).text();
                slow.trickle(0);

                assertThat(text).isEqualTo("800000");
                assertThat(states).isEmpty();
            }
        }
    }

    @Test
    @Tag("HST-19")
    @Tag("CNX-13")
    @Tag("WSK-09")
    void aTurnGoesOnWithAFreshCredentialWhenTheOneOfItsSocketHasExpired() throws Exception {
        AtomicReference<String> valid = new AtomicReference<>("first");
        AtomicInteger asked = new AtomicInteger();
        Authenticator expiring = credentials -> {
            String shown = credentials.bearerToken().orElse("");
            return shown.equals(valid.get())
                    ? new Authenticator.Allowed(Principal.of("me"), () -> shown.equals(valid.get()))
                    : new Authenticator.Refused("Bearer");
        };
        CountDownLatch resumed = new CountDownLatch(1);
        Agent agent = Agent.builder("patient", "1.0")
                .onPrompt(turn -> {
                    turn.message("begun, ");
                    resumed.await();
                    turn.message("done");
                })
                .build();
        try (RunningServer server = Http.on(0)
                        .authenticator(expiring)
                        .drainTime(Duration.ZERO)
                        .start(agent::connect);
                ConnectedAgent connected = Client.builder("ask", "1.0")
                        .connect(Http.to(server.uri())
                                .over(RemoteAgent.Over.WEBSOCKET)
                                .bearerUntilRefused(() -> {
                                    asked.incrementAndGet();
                                    return valid.get();
                                })
                                .onState(states::add))) {
            Turn turn = connected.newSession(Path.of("/")).prompt("Go");
            var events = turn.iterator();
            assertThat(events.next()).asString().contains("begun");
            valid.set("second");
            assertThat(state()).isEqualTo(RemoteAgent.State.DOWN);
            assertThat(state()).isEqualTo(RemoteAgent.State.RESUMED);
            resumed.countDown();
            StringBuilder rest = new StringBuilder();
            events.forEachRemaining(rest::append);

            assertThat(rest).contains("done");
            assertThat(asked).hasValue(2);
        }
        assertThat(states).isEmpty();
    }
}
