package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.rpc.Time;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is left behind by a client that connects again and again: each attempt has an HTTP client of its own, whose
 * thread closes its sockets when it ends. What is open after a test, the rule for all tests finds.
 */
@Timeout(120)
class ReconnectingTest {
    private static final int CUTS = 20;
    private static final int REFUSALS = 20;

    /** The client for messages, and those by which the two streams came if these are older. */
    private static final int IN_USE = 3;

    @TempDir
    Path folder;

    private @Nullable KeyStore keys;

    @BeforeEach
    void certificate() throws Exception {
        keys = Certificates.make(folder, "server");
    }

    private RunningServer serve(CuttingProxy way, String scheme) throws Exception {
        Agent echo = Agent.builder("echo", "1.0")
                .onPrompt(turn -> turn.message("You said: " + turn.text()))
                .build();
        HttpServer server = Http.on(0).drainTime(Duration.ZERO).allowedHosts(way.host());
        return (scheme.equals("https") ? server.tls(Tls.of(keys(), "secret")) : server).start(echo::connect);
    }

    private KeyStore keys() {
        return Objects.requireNonNull(keys);
    }

    /** Returns the threads of the JDK's clients: each has one as long as it has a connection or may have one. */
    private static Set<Thread> selectors() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("HttpClient-\\d+-SelectorManager"))
                .collect(Collectors.toSet());
    }

    /** Waits until so many of the threads have ended; returns false when that takes too long. */
    private static boolean haveEnded(Set<Thread> threads, int count) throws InterruptedException {
        Semaphore ended = new Semaphore(0);
        for (Thread thread : threads) {
            Thread unused = Thread.ofVirtual().start(() -> {
                try {
                    thread.join();
                    ended.release();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        return ended.tryAcquire(Math.max(0, count), 20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"EVENTS,http", "EVENTS,https", "WEBSOCKET,http", "WEBSOCKET,https"})
    @Tag("DUR-26")
    void anAttemptLeavesNoSocketAndNoClientBehind(RemoteAgent.Over over, String scheme) throws Exception {
        Set<Thread> inUse = selectors();
        assertThat(haveEnded(inUse, inUse.size())).as("of other tests").isTrue();
        try (CuttingProxy way = new CuttingProxy(scheme);
                RunningServer server = serve(way, scheme)) {
            way.leadTo(server.uri());
            String token = server.token().orElseThrow();
            RemoteAgent remote = Http.to(way.uri())
                    .over(over)
                    .bearer(() -> token)
                    .ssl(Certificates.trusting(keys(), "server", null))
                    .time(Time.SYSTEM, System::currentTimeMillis, () -> 0);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Session session = agent.newSession(Path.of("/"));
                for (int i = 0; i < CUTS; i++) {
                    assertThat(session.prompt("Hello").text()).isEqualTo("You said: Hello");
                    way.cut();
                }
                way.refuse(true);
                way.awaitRefused(REFUSALS);
                way.refuse(false);
                assertThat(session.prompt("Hello").text()).isEqualTo("You said: Hello");
                inUse = selectors();

                assertThat(haveEnded(inUse, inUse.size() - IN_USE))
                        .as("%s", List.copyOf(selectors()))
                        .isTrue();
            }
        }

        assertThat(haveEnded(inUse, inUse.size())).isTrue();
    }
}
