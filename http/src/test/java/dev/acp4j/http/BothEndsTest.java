package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.FakeTime;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.Tracer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Our client and our server, over events and over WebSocket. */
@Timeout(120)
class BothEndsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private static RunningServer serve(Agent.Builder agent) throws Exception {
        Agent built = agent.build();
        return Http.on(0).drainTime(SHORT).start(built::connect);
    }

    /** Serves an agent to clients that come by a proxy. */
    private static RunningServer serve(Agent.Builder agent, CuttingProxy way) throws Exception {
        Agent built = agent.build();
        RunningServer server =
                Http.on(0).drainTime(SHORT).allowedHosts(way.host()).start(built::connect);
        way.leadTo(server.uri());
        return server;
    }

    private static RemoteAgent to(RunningServer server, RemoteAgent.Over over) {
        String token = server.token().orElseThrow();
        return Http.to(server.uri()).over(over).bearer(() -> token);
    }

    private static Agent.Builder echo() {
        return Agent.builder("echo", "1.0").onPrompt(turn -> turn.message("You said: " + turn.text()));
    }

    static List<Object[]> waysAndVersions() {
        return List.of(
                new Object[] {RemoteAgent.Over.EVENTS, Version.V1},
                new Object[] {RemoteAgent.Over.EVENTS, Version.V2},
                new Object[] {RemoteAgent.Over.WEBSOCKET, Version.V1},
                new Object[] {RemoteAgent.Over.WEBSOCKET, Version.V2},
                new Object[] {RemoteAgent.Over.AUTO, Version.V1});
    }

    @ParameterizedTest
    @MethodSource("waysAndVersions")
    @Tag("WSK-06")
    void turnsRunInBothVersionsOverEachWay(RemoteAgent.Over over, Version version) throws Exception {
        String first;
        String second;
        try (RunningServer server = serve(echo().protocol(Version.V1, Version.V2));
                ConnectedAgent agent =
                        Client.builder("ask", "1.0").protocol(version).connect(to(server, over))) {
            Session session = agent.newSession(Path.of("/"));
            first = session.prompt("one").text();
            second = agent.newSession(Path.of("/")).prompt("two").text();
        }

        assertThat(first).isEqualTo("You said: one");
        assertThat(second).isEqualTo("You said: two");
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    void aPromptOfAlmost64MiBArrivesWhole(RemoteAgent.Over over) throws Exception {
        String pairs = "\ud83d\ude00".repeat(600_000);
        // Pairs begin at even places once, and at odd ones once: parts do not end inside one.
        String prompt = "x".repeat(60_000_000) + pairs + "-" + pairs;
        boolean isWhole;
        try (RunningServer server = serve(Agent.builder("reader", "1.0")
                        .onPrompt(turn ->
                                turn.message(Boolean.toString(turn.text().equals(prompt)))));
                ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server, over))) {
            isWhole = Boolean.parseBoolean(
                    agent.newSession(Path.of("/")).prompt(prompt).text());
        }

        assertThat(isWhole).isTrue();
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    void aTurnIsCancelled(RemoteAgent.Over over) throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        StopReason reason;
        try (RunningServer server = serve(Agent.builder("slow", "1.0").onPrompt(turn -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                }));
                ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server, over))) {
            Turn turn = agent.newSession(Path.of("/")).prompt("Go");
            started.await();
            turn.cancel();
            reason = turn.result().stopReason();
        }

        assertThat(reason).isEqualTo(StopReason.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("DUR-05")
    @Tag("DUR-06")
    @Tag("DUR-41")
    void nothingIsLostOrDoubledWhereverTheWayIsCut(RemoteAgent.Over over) throws Exception {
        int updates = 2_000;
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < updates; i++) {
            expected.append(i).append(' ');
        }
        AtomicInteger prompts = new AtomicInteger();

        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(
                        Agent.builder("counter", "1.0").onPrompt(turn -> {
                            int unused = prompts.incrementAndGet();
                            for (int i = 0; i < updates; i++) {
                                turn.message(i + " ");
                            }
                        }),
                        way)) {
            String token = server.token().orElseThrow();
            RemoteAgent remote = Http.to(way.uri()).over(over).bearer(() -> token);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Session session = agent.newSession(Path.of("/"));
                for (int round = 0; round < 5; round++) {
                    way.cutAfter(7_919L * (round + 1));
                    assertThat(session.prompt("Count").text()).isEqualTo(expected.toString());
                }
            }

            assertThat(way.cuts()).isGreaterThanOrEqualTo(4);
        }
        assertThat(prompts).hasValue(5);
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("DUR-06")
    void aClosedSessionIsNotSentOnceMoreNorWhatStandsBehindIt(RemoteAgent.Over over) throws Exception {
        Semaphore goOn = new Semaphore(0);
        Agent.Builder agent = Agent.builder("talker", "1.0")
                .onNewSession(session -> {})
                .onCloseSession(session -> {})
                .onListSessions((client, request) ->
                        ListSessionsResponse.builder(List.of()).build())
                .onPrompt(turn -> {
                    turn.message("Well, ");
                    if (turn.text().equals("Wait")) {
                        goOn.acquire();
                    }
                    turn.message("done.");
                });
        List<TraceEvent> heard = Collections.synchronizedList(new ArrayList<>());
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(agent, way)) {
            String token = server.token().orElseThrow();
            try (ConnectedAgent remote = Client.builder("ask", "1.0")
                    .trace(Tracer.of(heard::add))
                    .connect(Http.to(way.uri()).over(over).bearer(() -> token))) {
                Session closed = remote.newSession(Path.of("/"));
                assertThat(closed.prompt("Talk").text()).isEqualTo("Well, done.");
                closed.close();
                Session open = remote.newSession(Path.of("/"));
                Turn turn = open.prompt("Wait");
                for (int i = 0; i < 4; i++) {
                    assertThat(remote.listSessions(null)).isEmpty();
                    way.cut();
                }
                goOn.release();

                assertThat(turn.text()).isEqualTo("Well, done.");
                assertThat(List.copyOf(heard))
                        .extracting(TraceEvent::toString)
                        .filteredOn(event -> event.contains("Well, "))
                        .as("one of each session")
                        .hasSize(2);
                String closedId = closed.id().value();
                assertThat(List.copyOf(heard))
                        .extracting(TraceEvent::toString)
                        .filteredOn(event -> event.contains(Wire.TURN_STATE) && event.contains(closedId))
                        .as("the state of a session that is closed")
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("DUR-06")
    void nothingIsLostWhenTheFirstBytesOfAStreamAreCut(RemoteAgent.Over over) throws Exception {
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(echo(), way)) {
            String token = server.token().orElseThrow();
            RemoteAgent remote = Http.to(way.uri()).over(over).bearer(() -> token);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                for (int bytes = 0; bytes < 1_500; bytes += 149) {
                    Session session = agent.newSession(Path.of("/"));
                    way.cutAfter(bytes);
                    assertThat(session.prompt("Hello").text())
                            .as("cut after %d bytes", bytes)
                            .isEqualTo("You said: Hello");
                }
            }

            assertThat(way.cuts()).isGreaterThan(3);
        }
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("DUR-22")
    void aTurnGoesOnWhileNobodyIsThere(RemoteAgent.Over over) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch cut = new CountDownLatch(1);
        String text;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(
                        Agent.builder("patient", "1.0").onPrompt(turn -> {
                            turn.message("begun, ");
                            begun.countDown();
                            cut.await();
                            turn.message(turn.isCancelled() ? "cancelled" : "done");
                        }),
                        way)) {
            String token = server.token().orElseThrow();
            RemoteAgent remote = Http.to(way.uri()).over(over).bearer(() -> token);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Turn turn = agent.newSession(Path.of("/")).prompt("Go");
                begun.await();
                way.cut();
                cut.countDown();
                text = turn.text();
            }
        }

        assertThat(text).isEqualTo("begun, done");
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("DUR-22")
    void aMinuteWithoutANetworkCancelsNothing(RemoteAgent.Over over) throws Exception {
        JumpingTime time = new JumpingTime();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch away = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Agent built = Agent.builder("patient", "1.0")
                .onPrompt(turn -> {
                    turn.message("begun, ");
                    begun.countDown();
                    away.await();
                    turn.message(turn.isCancelled() ? "cancelled" : "done");
                    ended.countDown();
                })
                .build();
        String text;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = Http.on(0)
                        .drainTime(SHORT)
                        .allowedHosts(way.host())
                        .time(time)
                        .start(built::connect)) {
            way.leadTo(server.uri());
            String token = server.token().orElseThrow();
            RemoteAgent remote = Http.to(way.uri()).over(over).bearer(() -> token);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Turn turn = agent.newSession(Path.of("/")).prompt("Go");
                begun.await();
                way.swallow(true);
                for (int i = 0; i < 60; i++) {
                    time.jump(Duration.ofSeconds(1));
                }
                away.countDown();
                ended.await();
                way.swallow(false);
                way.cut();
                text = turn.text();
            }
        }

        assertThat(text).isEqualTo("begun, done");
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    void aWrongTokenIsAnErrorThatSaysSo(RemoteAgent.Over over) throws Exception {
        try (RunningServer server = serve(echo())) {
            RemoteAgent remote = Http.to(server.uri()).over(over).bearer(() -> "wrong");

            assertThatThrownBy(() -> Client.builder("ask", "1.0").connect(remote))
                    .hasMessageContaining("401")
                    .hasMessageContaining("check the credential");
        }
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("DUR-23")
    void aClientThatLeavesTakesItsConnectionAndAgentWithIt(RemoteAgent.Over over) throws Exception {
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        Agent built = echo().build();
        try (RunningServer server =
                Http.on(0).drainTime(SHORT).onEvent(events::add).start(built::connect)) {
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server, over))) {
                assertThat(agent.newSession(Path.of("/")).prompt("one").text()).isEqualTo("You said: one");
            }
            awaitEnd(events);
        }
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("HTS-43")
    @Timeout(30)
    void aServerWhoseClientsHaveLeftIsClosedAtOnce(RemoteAgent.Over over) throws Exception {
        Agent built = echo().build();
        // No time passes on this clock, so the server cannot stop waiting because it took too long.
        try (RunningServer server = Http.on(0).time(new FakeTime()).start(built::connect);
                ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server, over))) {
            assertThat(agent.newSession(Path.of("/")).prompt("one").text()).isEqualTo("You said: one");
        }
    }

    @Test
    void aClientThatLeavesWhileItIsAwayTakesItsConnectionWithIt() throws Exception {
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        CountDownLatch reconnecting = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Agent built = echo().build();
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = Http.on(0)
                        .drainTime(SHORT)
                        .allowedHosts(way.host())
                        .onEvent(events::add)
                        .start(built::connect)) {
            way.leadTo(server.uri());
            String token = server.token().orElseThrow();
            RemoteAgent remote = Http.to(way.uri())
                    .over(RemoteAgent.Over.WEBSOCKET)
                    .bearer(() -> {
                        if (asked.incrementAndGet() == 2) {
                            reconnecting.countDown();
                            await(closed);
                        }
                        return token;
                    });
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                assertThat(agent.newSession(Path.of("/")).prompt("one").text()).isEqualTo("You said: one");
                way.cut();
                reconnecting.await();
            }
            closed.countDown();
            awaitEnd(events);
        }
    }

    @Test
    @Tag("DUR-40")
    void aSocketThatWasQuietForLongerThanTheServerKeepsMessagesGoesOn() throws Exception {
        JumpingTime time = new JumpingTime();
        LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();
        Agent built = echo().onResumeSession(session -> {}).build();
        String text;
        RemoteAgent.State first;
        RemoteAgent.State second;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = Http.on(0)
                        .drainTime(SHORT)
                        .allowedHosts(way.host())
                        .time(time)
                        .start(built::connect)) {
            way.leadTo(server.uri());
            SessionId id;
            String token = server.token().orElseThrow();
            RemoteAgent remote = Http.to(way.uri())
                    .over(RemoteAgent.Over.WEBSOCKET)
                    .bearer(() -> token)
                    .onState(states::add);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                id = agent.newSession(Path.of("/")).id();
            }
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Session session = agent.resumeSession(id, Path.of("/"));
                // The answer to it is the only message of its stream, and too old to be kept.
                time.jump(Duration.ofMinutes(11));
                way.cut();
                first = states.take();
                second = states.take();
                text = session.prompt("Are you there?").text();
            }
        }

        assertThat(first).isEqualTo(RemoteAgent.State.DOWN);
        assertThat(second).isEqualTo(RemoteAgent.State.RESUMED);
        assertThat(text).isEqualTo("You said: Are you there?");
    }

    static List<Object[]> endsOfServers() {
        return List.of(
                new Object[] {RemoteAgent.Over.EVENTS, Version.V1, true},
                new Object[] {RemoteAgent.Over.EVENTS, Version.V1, false},
                new Object[] {RemoteAgent.Over.EVENTS, Version.V2, true},
                new Object[] {RemoteAgent.Over.EVENTS, Version.V2, false},
                new Object[] {RemoteAgent.Over.WEBSOCKET, Version.V1, true},
                new Object[] {RemoteAgent.Over.WEBSOCKET, Version.V1, false},
                new Object[] {RemoteAgent.Over.WEBSOCKET, Version.V2, true},
                new Object[] {RemoteAgent.Over.WEBSOCKET, Version.V2, false});
    }

    /** @param isCut whether the server is killed, as seen by the client; otherwise it stops, and says so */
    @ParameterizedTest
    @MethodSource("endsOfServers")
    @Tag("DUR-32")
    void aTurnThatIsLostWithItsServerIsNoGoodEnd(RemoteAgent.Over over, Version version, boolean isCut)
            throws Exception {
        Agent.Builder agent = Agent.builder("slow", "1.0")
                .protocol(Version.V1, Version.V2)
                .onResumeSession(session -> {})
                .onPrompt(turn -> {
                    turn.message("begun");
                    new CountDownLatch(turn.text().equals("Go") ? 1 : 0).await();
                });
        String end;
        StopReason next;
        try (CuttingProxy way = new CuttingProxy()) {
            RunningServer first = serve(agent, way);
            AtomicReference<String> valid = new AtomicReference<>(first.token().orElseThrow());
            RemoteAgent remote = Http.to(way.uri()).over(over).bearer(valid::get);
            try (ConnectedAgent client =
                    Client.builder("ask", "1.0").protocol(version).connect(remote)) {
                Session session = client.newSession(Path.of("/"));
                Turn turn = session.prompt("Go");
                // The agent has accepted it, since it says something.
                assertThat(turn.iterator().hasNext()).isTrue();
                way.refuse(isCut);
                first.close();
                way.refuse(true);
                try (RunningServer second = serve(agent, way)) {
                    valid.set(second.token().orElseThrow());
                    way.refuse(false);
                    end = endOf(turn);
                    next = session.prompt("Again").result().stopReason();
                }
            }
        }

        assertThat(end).contains(isCut ? "the outcome is unknown" : "failed");
        assertThat(next).isEqualTo(StopReason.END_TURN);
    }

    private static String endOf(Turn turn) throws InterruptedException {
        try {
            return turn.result().stopReason().value();
        } catch (RpcException e) {
            return "failed: " + e.getMessage();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void awaitEnd(LinkedBlockingQueue<ServerEvent> events) throws InterruptedException {
        ServerEvent event = events.take();
        while (!(event instanceof ServerEvent.ConnectionEnded)) {
            event = events.take();
        }
    }
}
