package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.rpc.RpcError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that is cut, a server that is killed meanwhile, and another one with its store. */
@Timeout(120)
class KilledServerTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(
            value = RemoteAgent.Over.class,
            names = {"EVENTS", "WEBSOCKET"})
    @Tag("DUR-33")
    void aClientGetsWhatItHasNotHadFromTheServerAfterIt(RemoteAgent.Over over) throws Exception {
        List<String> seen = new ArrayList<>();
        String again;
        try (CuttingProxy way = new CuttingProxy();
                StoredServer first = new StoredServer(folder, way.host())) {
            way.leadTo(first.uri());
            CountDownLatch recovered = new CountDownLatch(1);
            RemoteAgent remote = Http.to(way.uri())
                    .over(over)
                    .bearer(() -> StoredServer.TOKEN)
                    .onState(state -> {
                        if (state == RemoteAgent.State.RECOVERED) {
                            recovered.countDown();
                        }
                    });
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Session session = agent.newSession(Path.of("/"));
                Turn turn = session.prompt("Count");
                for (SessionEvent event : turn) {
                    seen.add(event.toString().replaceAll("(?s).*(<\\d+>).*", "$1"));
                    if (seen.size() == 50) {
                        way.refuse(true);
                        first.goOn();
                        first.kill();
                        way.leadTo(second(way).uri());
                        way.refuse(false);
                    }
                }
                assertThatThrownBy(turn::result)
                        .isInstanceOfSatisfying(
                                RpcError.class,
                                error -> assertThat(error.data().orElseThrow().toString())
                                        .contains("outcome_unknown"));
                recovered.await();
                again = session.prompt("again").text();
            }
        } finally {
            servers.forEach(StoredServer::close);
        }

        assertThat(seen)
                .isEqualTo(IntStream.range(0, 100).mapToObj(i -> "<" + i + ">").toList());
        assertThat(again).isEqualTo("again");
    }

    private final List<StoredServer> servers = new ArrayList<>();

    private StoredServer second(CuttingProxy way) throws Exception {
        StoredServer server = new StoredServer(folder, way.host());
        servers.add(server);
        return server;
    }
}
