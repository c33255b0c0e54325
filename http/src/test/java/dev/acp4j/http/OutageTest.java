package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.StopReason;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our client in outages, with a clock of its own, against our server. */
@Timeout(60)
class OutageTest {
    private final JumpingTime time = new JumpingTime();
    private final LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();
    private final Semaphore pauses = new Semaphore(0);

    private static final String RESUMABLE = ScriptedServer.INITIALIZED.replace(
            "\"loadSession\":true", "\"transport\":{\"resumable\":{\"retentionSeconds\":600}}");

    private static RunningServer serve(Agent.Builder agent) throws Exception {
        Agent built = agent.build();
        return Http.on(0).drainTime(Duration.ofSeconds(1)).start(built::connect);
    }

    /** Serves an agent to clients that come by a proxy. */
    private static RunningServer serve(Agent.Builder agent, CuttingProxy way) throws Exception {
        Agent built = agent.build();
        RunningServer server = Http.on(0)
                .drainTime(Duration.ofSeconds(1))
                .allowedHosts(way.host())
                .start(built::connect);
        way.leadTo(server.uri());
        return server;
    }

    /** Takes the whole of each pause, and says when one begins. */
    private double pauses() {
        pauses.release();
        return 1;
    }

    @Test
    @Timeout(30)
    @Tag("DUR-24")
    void thePausesOfAStreamAreShortAgainWhenItHasBeenOpenForAWhile() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer()) {
            scripted.replies = request -> request.message().method().equals("initialize")
                    ? ScriptedServer.Reply.initialized(RESUMABLE)
                    : null;
            try (Transport transport = Http.to(scripted.uri())
                    .time(time, () -> 0, this::pauses)
                    .onState(states::add)
                    .open()) {
                transport.writer().write(Message.parse(RawClient.INITIALIZE));
                scripted.await("GET");
                for (int i = 2; i < 10; i++) {
                    scripted.endStream("");
                    pauses.acquire();
                    assertThat(states.take()).isEqualTo(RemoteAgent.State.DOWN);
                    time.jump(Backoff.LONGEST);
                    scripted.await("GET", i);
                    assertThat(states.take()).isEqualTo(RemoteAgent.State.RESUMED);
                }
                // Nothing has arrived, but it was open.
                time.jump(Duration.ofSeconds(11));
                scripted.endStream("");
                pauses.acquire();
                // Otherwise it would be the longest one.
                time.jump(Backoff.SHORTEST);
                scripted.await("GET", 10);
            }
        }
    }

    @Test
    @Tag("DUR-24")
    void thePausesOfAWebSocketGrowAsLongAsItIsCutAtOnce() throws Exception {
        try (ScriptedSocket scripted = new ScriptedSocket();
                Transport transport = Http.to(scripted.uri())
                        .time(time, () -> 0, this::pauses)
                        .onState(states::add)
                        .open()) {
            Thread writing = Thread.ofVirtual().start(() -> {
                try {
                    transport.writer().write(Message.parse(RawClient.INITIALIZE));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            ScriptedSocket.Connection socket = scripted.accept().upgrade("Acp-Connection-Id: c-1\r\n");
            assertThat(socket.hear()).contains("initialize");
            socket.say(RESUMABLE);
            writing.join();
            for (int i = 0; i < 8; i++) {
                socket.close();
                pauses.acquire();
                assertThat(states.take()).isEqualTo(RemoteAgent.State.DOWN);
                time.jump(Backoff.LONGEST);
                socket = scripted.accept().upgrade("Acp-Connection-Id: c-1\r\n");
                assertThat(socket.hear()).contains("stream/resume");
                socket.say("{\"jsonrpc\":\"2.0\",\"id\":\"acp4j-resume\",\"result\":{\"received\":0}}");
                assertThat(states.take()).isEqualTo(RemoteAgent.State.RESUMED);
            }
            socket.close();
            pauses.acquire();
            time.jump(Duration.ofSeconds(10));

            assertThat(scripted.isAsked(Duration.ofMillis(300))).isFalse();
        }
    }

    @Test
    @Timeout(30)
    @Tag("DUR-24")
    @Tag("CNX-05")
    void aPauseIsOverWhenTheMachineWakes() throws Exception {
        AtomicLong wall = new AtomicLong();
        try (ScriptedServer scripted = new ScriptedServer()) {
            scripted.replies = request -> request.message().method().equals("initialize")
                    ? ScriptedServer.Reply.initialized(RESUMABLE)
                    : new ScriptedServer.Reply(503, Map.of("Retry-After", "50"), "");
            try (Transport transport =
                    Http.to(scripted.uri()).time(time, wall::get, this::pauses).open()) {
                transport.writer().write(Message.parse(RawClient.INITIALIZE));
                pauses.acquire();
                wall.addAndGet(Duration.ofHours(1).toMillis());

                assertThat(scripted.await("GET", 2).what()).isEqualTo("GET");
            }
        }
    }

    @Test
    @Timeout(30)
    @Tag("DUR-24")
    void aServerThatAsksToComeBackLaterThanIsBearableIsNotWaitedForSoLong() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = Http.to(scripted.uri())
                        .time(time, () -> 0, () -> 0)
                        .patience(Duration.ofMinutes(10))
                        .onState(states::add)
                        .open()) {
            transport.writer().write(Message.parse(RawClient.INITIALIZE));
            assertThat(String.valueOf(transport.reader().read())).contains("0");
            scripted.await("GET");
            scripted.replies = request -> request.method().equals("POST")
                    ? new ScriptedServer.Reply(503, Map.of("Retry-After", "3600"), "")
                    : null;
            transport.writer().write(Message.parse(EndpointFixture.call(1, "session/list", "")));
            assertThat(states.take()).isEqualTo(RemoteAgent.State.DOWN);
            time.jump(Duration.ofMinutes(10));

            assertThat(String.valueOf(
                            Objects.requireNonNull(transport.reader().read()).raw()))
                    .contains("\"id\":1", "503");
            assertThat(scripted.all("POST session/list")).hasSize(1);
        }
    }

    @Test
    @Tag("CNX-07")
    void anOutageIsOverWhenSomethingHasSucceededAndNotWhenSomethingWasGivenUp() throws Exception {
        try (ScriptedServer scripted = new ScriptedServer();
                Transport transport = Http.to(scripted.uri())
                        .time(time, () -> 0, () -> 0)
                        .onState(states::add)
                        .open()) {
            transport.writer().write(Message.parse(RawClient.INITIALIZE));
            Message unused = transport.reader().read();
            scripted.await("GET");
            scripted.replies = request -> ScriptedServer.Reply.status(503);
            transport.writer().write(Message.parse(EndpointFixture.call(1, "session/list", "")));
            Message failed = Objects.requireNonNull(transport.reader().read());
            List<RemoteAgent.State> afterFailure = List.copyOf(states);
            scripted.replies = request -> null;
            transport.writer().write(Message.parse(EndpointFixture.call(2, "session/list", "")));

            assertThat(failed.isError()).isTrue();
            assertThat(afterFailure).containsExactly(RemoteAgent.State.DOWN);
            assertThat(states.take()).isEqualTo(RemoteAgent.State.DOWN);
            assertThat(states.take()).isEqualTo(RemoteAgent.State.RESUMED);
        }
    }

    @Test
    @Tag("CNX-03")
    void aServerThatTakesTheFirstMessageAndSaysNothingIsGivenUp() throws Exception {
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(echo(), way);
                Transport transport =
                        to(server, way.uri()).over(RemoteAgent.Over.EVENTS).open()) {
            way.swallow(true);
            Thread writing = Thread.ofVirtual().start(() -> {
                try {
                    transport.writer().write(Message.parse(RawClient.INITIALIZE));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            way.awaitSwallowed();
            while (!writing.join(Duration.ofMillis(50))) {
                time.jump(Duration.ofMinutes(2));
            }

            assertThat(String.valueOf(
                            Objects.requireNonNull(transport.reader().read()).raw()))
                    .contains(way.host() + " did not answer within 120 s");
        }
    }

    private static Agent.Builder echo() {
        return Agent.builder("echo", "1.0").onPrompt(turn -> turn.message("You said: " + turn.text()));
    }

    private RemoteAgent to(RunningServer server, URI uri) {
        String token = server.token().orElseThrow();
        return Http.to(uri).bearer(() -> token).time(time, () -> 0, () -> 0).onState(states::add);
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
                ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server, server.uri()))) {
            Turn turn = agent.newSession(Path.of("/")).prompt("Go");
            SessionEvent unused = turn.iterator().next();
            // Longer than the server keeps messages, and longer than a stream may be silent: both streams are cut.
            time.jump(Duration.ofMinutes(6));
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

    @Test
    void whatIsSentInALongOutageArrivesAndACancellationEndsNothing() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        String text;
        StopReason reason;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(
                        Agent.builder("slow", "1.0").onPrompt(turn -> {
                            if (turn.text().equals("Wait")) {
                                turn.message("waiting");
                                started.countDown();
                                new CountDownLatch(1).await();
                            }
                            turn.message("You said: " + turn.text());
                        }),
                        way)) {
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server, way.uri()))) {
                Session other = agent.newSession(Path.of("/"));
                assertThat(other.prompt("Hello").text()).isEqualTo("You said: Hello");
                Turn waiting = agent.newSession(Path.of("/")).prompt("Wait");
                SessionEvent unused = waiting.iterator().next();
                way.refuse(true);
                assertThat(states.take()).isEqualTo(RemoteAgent.State.DOWN);
                waiting.cancel();
                Turn sent = other.prompt("Are you there?");
                way.awaitRefused(4);
                // Shorter than the server keeps messages.
                time.jump(Duration.ofMinutes(2));
                way.refuse(false);
                reason = waiting.result().stopReason();
                text = sent.text();
            }
        }

        assertThat(reason).isEqualTo(StopReason.CANCELLED);
        assertThat(text).isEqualTo("You said: Are you there?");
        assertThat(states).doesNotContain(RemoteAgent.State.RECOVERED);
    }

    @Test
    void aMessageWhoseAnswerIsSwallowedIsSentAgain() throws Exception {
        String text;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(echo(), way)) {
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(to(server, way.uri()))) {
                Session session = agent.newSession(Path.of("/"));
                assertThat(session.prompt("Hello").text()).isEqualTo("You said: Hello");
                way.swallow(true);
                Turn turn = session.prompt("Are you there?");
                way.awaitSwallowed();
                // Longer than streams may be silent: what comes of new connections is swallowed, too.
                time.jump(Duration.ofMinutes(2));
                way.awaitConnection();
                way.swallow(false);
                time.jump(Duration.ofMinutes(1));
                text = turn.text();
            }
        }

        assertThat(text).isEqualTo("You said: Are you there?");
        assertThat(states).doesNotContain(RemoteAgent.State.RECOVERED);
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    void aCredentialThatCannotBeReadForAWhileIsLikeAnOutage(RemoteAgent.Over over) throws Exception {
        AtomicBoolean locked = new AtomicBoolean();
        LinkedBlockingQueue<String> tries = new LinkedBlockingQueue<>();
        String text;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(echo(), way)) {
            String token = server.token().orElseThrow();
            RemoteAgent remote = to(server, way.uri()).over(over).bearer(() -> {
                if (locked.get()) {
                    tries.add("locked");
                    throw new IllegalStateException("the keychain is locked");
                }
                return token + "\n";
            });
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Session session = agent.newSession(Path.of("/"));
                assertThat(session.prompt("Hello").text()).isEqualTo("You said: Hello");
                locked.set(true);
                way.cut();
                Turn turn = session.prompt("Are you there?");
                for (int i = 0; i < 5; i++) {
                    assertThat(tries.take()).isEqualTo("locked");
                }
                locked.set(false);
                text = turn.text();
            }
        }

        assertThat(text).isEqualTo("You said: Are you there?");
        assertThat(states).doesNotContain(RemoteAgent.State.RECOVERED);
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    void aHeaderThatCannotBeSentIsNotShown(RemoteAgent.Over over) throws Exception {
        try (RunningServer server = serve(echo())) {
            RemoteAgent remote =
                    to(server, server.uri()).over(over).headers(() -> Map.of("Authorization", "Bearer s3c\nret"));

            assertThatThrownBy(() -> Client.builder("ask", "1.0").connect(remote))
                    .hasMessageContaining("the header Authorization cannot be sent")
                    .satisfies(e -> {
                        StringWriter trace = new StringWriter();
                        e.printStackTrace(new PrintWriter(trace));
                        assertThat(trace.toString()).doesNotContain("s3c");
                    });
        }
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    void aListenerThatFailsEndsNothing(RemoteAgent.Over over) throws Exception {
        LinkedBlockingQueue<String> problems = new LinkedBlockingQueue<>();
        String text;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = serve(echo(), way)) {
            RemoteAgent remote = to(server, way.uri())
                    .over(over)
                    .onProblem(problem -> problems.add(problem.detail()))
                    .onState(state -> {
                        throw new IllegalStateException("no window to show " + state);
                    });
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Session session = agent.newSession(Path.of("/"));
                assertThat(session.prompt("Hello").text()).isEqualTo("You said: Hello");
                way.cut();
                text = session.prompt("Are you there?").text();
            }
        }

        assertThat(text).isEqualTo("You said: Are you there?");
        assertThat(problems).anyMatch(problem -> problem.contains("no window to show DOWN"));
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    void aTokenThatIsKeptIsAskedForAgainWhenItIsRefused(RemoteAgent.Over over) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        String text;
        try (RunningServer server = serve(echo())) {
            String token = server.token().orElseThrow();
            RemoteAgent remote = to(server, server.uri())
                    .over(over)
                    .bearerUntilRefused(() -> asked.incrementAndGet() == 1 ? "an-old-token-an-old-token" : token);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                text = agent.newSession(Path.of("/")).prompt("Hello").text();
            }
        }

        assertThat(text).isEqualTo("You said: Hello");
        assertThat(asked).hasValue(2);
    }

    @Test
    void aClockThatIsPutForwardCutsNothingThatCannotGoOn() throws Exception {
        AtomicLong wall = new AtomicLong();
        Semaphore looks = new Semaphore(0);
        CountDownLatch looked = new CountDownLatch(1);
        String text;
        List<String> requests;
        try (PlainServer plain = new PlainServer(Agent.builder("slow", "1.0")
                .onPrompt(turn -> {
                    turn.message("begun, ");
                    looked.await();
                    turn.message("done");
                })
                .build())) {
            RemoteAgent remote = Http.to(plain.uri())
                    .time(
                            time,
                            () -> {
                                looks.release();
                                return wall.get();
                            },
                            () -> 0);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                Turn turn = agent.newSession(Path.of("/")).prompt("Go");
                SessionEvent unused = turn.iterator().next();
                wall.addAndGet(Duration.ofHours(1).toMillis());
                int unusedToo = looks.drainPermits();
                // With the second look, what the first one led to is done.
                looks.acquire(2);
                looked.countDown();
                text = turn.text();
            }
            requests = plain.requests();
        }

        assertThat(text).isEqualTo("begun, done");
        assertThat(requests).containsOnlyOnce("POST initialize");
    }

    @Test
    void aSleepLeavesAWhileForASignOfLifeWhereNothingCanGoOn() {
        AtomicLong wall = new AtomicLong();
        RemoteAgent.Settings settings =
                new RemoteAgent.Settings(URI.create("http://127.0.0.1/acp"), RemoteAgent.Over.EVENTS);
        settings.time = time;
        settings.wallMillis = wall::get;
        Wakefulness wakefulness = new Wakefulness(settings);
        long silence = Duration.ofSeconds(75).toNanos();
        long heard = time.nanoTime();
        wall.addAndGet(Duration.ofHours(1).toMillis());

        boolean slept = wakefulness.hasSlept();
        boolean atOnce = wakefulness.deadBefore(slept, true, silence) >= heard;
        boolean withoutResumption = wakefulness.deadBefore(slept, false, silence) >= heard;
        time.jump(Duration.ofSeconds(31));
        boolean afterTwoIntervals = wakefulness.deadBefore(false, false, silence) >= heard;

        assertThat(slept).isTrue();
        assertThat(atOnce).isTrue();
        assertThat(withoutResumption).isFalse();
        assertThat(afterTwoIntervals).isTrue();
    }
}
