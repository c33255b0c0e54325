package dev.acp4j.http.gateway;

import static dev.acp4j.http.gateway.GatewayFixture.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.http.CuttingProxy;
import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that was away for longer than the server keeps its connection. */
@Timeout(180)
class ReturningClientTest {
    @TempDir
    private Path folder;

    static Stream<Arguments> ways() {
        return Stream.of(Version.values())
                .flatMap(version -> Stream.of(RemoteAgent.Over.EVENTS, RemoteAgent.Over.WEBSOCKET)
                        .map(over -> Arguments.of(version, over)));
    }

    private static List<String> texts(Session session) {
        return session.view().messages().stream()
                .map(Entry::toString)
                .filter(text -> text.contains("away") || text.contains("before") || text.contains("after"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("ways")
    @Tag("HTC-28")
    @Tag("DUR-28")
    void getsWhatItHasMissedOnceAndNothingTwice(Version version, RemoteAgent.Over over) throws Exception {
        CountDownLatch back = new CountDownLatch(1);
        try (CuttingProxy line = new CuttingProxy();
                CuttingProxy other = new CuttingProxy();
                GatewayFixture host = new GatewayFixture(
                        folder,
                        Gateway.builder(HostedProgram.launch()).perUser(),
                        server -> server.allowedHosts(line.host(), other.host())
                                .limits(ServerLimits.STANDARD.withGrace(Duration.ofMillis(200))))) {
            line.leadTo(host.uri());
            other.leadTo(host.uri());
            ConnectedAgent desktop = Client.builder("desktop", "1")
                    .protocol(version)
                    .connect(Http.to(line.uri()).bearer(() -> ALICE).over(over).onState(state -> {
                        if (state == RemoteAgent.State.RECOVERED) {
                            back.countDown();
                        }
                    }));
            try {
                Session session = desktop.newSession(folder);
                session.prompt("Said before.").result();

                line.refuse(true);
                host.awaitServer(ServerEvent.ConnectionEnded.class, event -> true);
                try (ConnectedAgent phone = Client.builder("phone", "1")
                        .protocol(version)
                        .connect(Http.to(other.uri()).bearer(() -> ALICE))) {
                    phone.resumeSession(session.id(), folder)
                            .prompt("Said while it was away.")
                            .result();
                }
                line.refuse(false);
                back.await();
                session.prompt("Said after that.").result();

                String all = String.join("\n", texts(session));
                assertThat(all.split("Said before", -1)).as(all).hasSize(3);
                assertThat(all.split("Said while it was away", -1)).as(all).hasSize(3);
                assertThat(all.split("Said after that", -1)).as(all).hasSize(3);
            } finally {
                desktop.close();
            }
        }
    }

    @Test
    @Tag("DUR-28")
    void whatIsKeptNoMoreIsReported() throws Exception {
        LinkedBlockingQueue<String> problems = new LinkedBlockingQueue<>();
        try (CuttingProxy line = new CuttingProxy();
                CuttingProxy other = new CuttingProxy();
                GatewayFixture host = new GatewayFixture(
                        folder,
                        Gateway.builder(HostedProgram.launch())
                                .perUser()
                                .limits(GatewayLimits.STANDARD.withHistory(2_000, 1_000_000)),
                        server -> server.allowedHosts(line.host(), other.host())
                                .limits(ServerLimits.STANDARD.withGrace(Duration.ofMillis(200))))) {
            line.leadTo(host.uri());
            other.leadTo(host.uri());
            try (ConnectedAgent desktop = Client.builder("desktop", "1")
                            .connect(Http.to(line.uri())
                                    .bearer(() -> ALICE)
                                    .onProblem(problem -> problems.add(problem.toString())));
                    ConnectedAgent phone = Client.builder("phone", "1")
                            .connect(Http.to(other.uri()).bearer(() -> ALICE))) {
                Session session = desktop.newSession(folder);
                Session same = phone.resumeSession(session.id(), folder);
                line.refuse(true);
                host.awaitServer(ServerEvent.ConnectionEnded.class, event -> true);
                same.prompt("x".repeat(3_000)).result();
                line.refuse(false);

                String problem = problems.take();
                while (!problem.contains("goes on")) {
                    problem = problems.take();
                }
                assertThat(problem).contains("what it said meanwhile is not known any more");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RemoteAgent.Over.class,
            names = {"EVENTS", "WEBSOCKET"})
    @Tag("HST-27")
    void aSessionWhoseLoadIsAnsweredWithNullIsOpened(RemoteAgent.Over over) throws Exception {
        String agent = """
                while read -r line; do
                  id=$(printf '%s' "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
                  case "$line" in
                    *initialize*) result='{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"close":{}}}}' ;;
                    *session/new*) result='{"sessionId":"one"}' ;;
                    *session/close*) result='{}' ;;
                    *session/load*) result=null ;;
                  esac
                  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
                done
                """;
        try (GatewayFixture host = new GatewayFixture(
                        folder, Gateway.builder(Launch.of("sh", "-c", agent)).perUser());
                ConnectedAgent client = Client.builder("client", "1")
                        .connect(Http.to(host.uri()).bearer(() -> ALICE).over(over))) {
            client.newSession(folder).close();

            assertThat(client.loadSession(SessionId.of("one"), folder).id().value())
                    .isEqualTo("one");
        }
    }
}
