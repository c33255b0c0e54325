package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Transport;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client with a proxy in its own program, {@link Proxy#before}. */
@Timeout(60)
class ClientThroughProxyTest {
    /** Opens a session and dies in the turn. */
    private static final Launch DYING = Launch.of("sh", "-c", """
            answer() {
              read -r line
              id=$(printf '%s' "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
              printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1"
            }
            answer '{"protocolVersion":1}'
            answer '{"sessionId":"s"}'
            read -r prompt
            echo boom >&2
            exit 3
            """);

    @Test
    @Tag("PXL-01")
    void anAgentThatDiesInATurnFailsItAsWithoutAProxy() throws Exception {
        Throwable alone = failure(transport -> transport);
        assertThat(alone).rootCause().isInstanceOf(LaunchException.class).hasMessageContaining("boom");

        for (Proxy proxy : List.of(SampleProxies.named("nothing"), SampleProxies.named("brief"))) {
            Throwable through = failure(proxy::before);
            assertThat(through).as(proxy.name()).hasSameClassAs(alone).hasMessage(alone.getMessage());
            assertThat(through).rootCause().isInstanceOf(LaunchException.class).hasMessageContaining("boom");
        }
    }

    @Test
    @Tag("PXL-26")
    void littleIsOnItsWayToAClientThatDoesNotRead() throws Exception {
        int messages = 2000;
        String text = "x".repeat(4096);
        MemoryTransport.Pair pair = MemoryTransport.pair(4096);
        AtomicInteger written = new AtomicInteger();
        FutureTask<Integer> writing;
        try (Transport client = SampleProxies.named("nothing").before(pair.left());
                Peer agent = new Peer("agent", pair.right(), Peer.newWire())) {
            writing = new FutureTask<>(() -> {
                while (written.get() < messages) {
                    agent.notify("_text", "{\"text\":\"" + text + "\"}");
                    written.incrementAndGet();
                }
                return written.get();
            });
            Thread.ofPlatform().daemon().start(writing);
            assertThatThrownBy(() -> writing.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);

            for (int read = 0; read < messages; read++) {
                assertThat((written.get() - read) * text.length()).isLessThan(512 * 1024);
                assertThat(client.reader().read()).isNotNull();
            }
            assertThat(writing.get()).isEqualTo(messages);
        }
    }

    private static Throwable failure(UnaryOperator<Transport> way) throws Exception {
        try (LaunchedProcess process = DYING.start();
                ConnectedAgent agent = Client.builder("c", "1").connect(way.apply(process.transport()))) {
            Session session = agent.newSession(Path.of("/"));
            return catchThrowable(() -> session.prompt("Hello").text());
        }
    }
}
