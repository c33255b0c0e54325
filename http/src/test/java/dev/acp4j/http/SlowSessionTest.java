package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sessions whose handlers do not return, and others of the same connection. */
@Timeout(120)
class SlowSessionTest {
    private static final String TOKEN = "a-token-that-is-long-enough";

    /** More than the JDK lets a server send in one connection of HTTP/2 to a client that does not read, with others. */
    private static final int MESSAGES = 400;

    private static final int SLOW = 6;
    private static final String FILLING = "x".repeat(16 * 1024);

    @TempDir
    private Path folder;

    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    /** What was heard of each session, its numbers only. */
    private final Map<Session, ConcurrentLinkedQueue<String>> heard = new ConcurrentHashMap<>();

    private final LinkedBlockingQueue<Object> troubles = new LinkedBlockingQueue<>();

    /** Says much when it is asked to, and else one word. */
    private static Agent agent() {
        return Agent.builder("talker", "1.0")
                .protocol(Version.V1, Version.V2)
                .onPrompt(turn -> {
                    if (!turn.text().equals("Talk")) {
                        turn.message("done");
                        return;
                    }
                    for (int i = 0; i < MESSAGES; i++) {
                        turn.message(i + " " + FILLING);
                    }
                })
                .build();
    }

    private Client.Builder client(Version version) {
        return Client.builder("slow", "1.0")
                .protocol(version)
                .keepsMessages(false)
                .limits(Limits.STANDARD.withQueueBytes(512 * 1024, 1024 * 1024))
                .onEvent((session, event) -> {
                    if (event instanceof SessionEvent.Message message
                            && message.text().endsWith("x")) {
                        awaitRelease();
                        heard.computeIfAbsent(session, any -> new ConcurrentLinkedQueue<>())
                                .add(message.text().substring(0, message.text().indexOf(' ')));
                    }
                });
    }

    private void awaitRelease() {
        try {
            mayGoOn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> all() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            all.add(Integer.toString(i));
        }
        return all;
    }

    private RemoteAgent to(URI uri, KeyStore keys) throws Exception {
        return Http.to(uri)
                .over(RemoteAgent.Over.EVENTS)
                .ssl(Certificates.trusting(keys, "server", null))
                .bearer(() -> TOKEN)
                .onState(troubles::add)
                .onProblem(troubles::add);
    }

    private static HttpServer server() {
        return Http.on(0).tokens(BearerTokens.of("me", TOKEN)).drainTime(Duration.ofSeconds(1));
    }

    static List<Object[]> versionsAndTls() {
        return List.of(
                new Object[] {Version.V1, false},
                new Object[] {Version.V1, true},
                new Object[] {Version.V2, false},
                new Object[] {Version.V2, true});
    }

    /** In clear text it is HTTP/1.1, where each stream has a connection of its own; with TLS it is HTTP/2. */
    @ParameterizedTest
    @MethodSource("versionsAndTls")
    @Tag("DUR-30")
    @Tag("LOD-14")
    void sessionsOfWhichNothingIsHandledHoldUpNoOther(Version version, boolean isTls) throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        List<String> others = new ArrayList<>();
        List<StopReason> ends = new ArrayList<>();
        List<Session> slow = new ArrayList<>();
        HttpServer server = isTls ? server().tls(Tls.of(keys, "secret")) : server();
        try (RunningServer running = server.start(agent()::connect);
                ConnectedAgent connected = client(version).connect(to(running.uri(), keys))) {
            List<Turn> turns = new ArrayList<>();
            for (int i = 0; i < SLOW; i++) {
                slow.add(connected.newSession(Path.of("/")));
                Turn turn = slow.getLast().prompt("Talk");
                // A reader that waits for events keeps nothing.
                Thread.ofVirtual().start(() -> turn.forEach(event -> {}));
                turns.add(turn);
            }
            Session other = connected.newSession(Path.of("/"));
            for (int i = 0; i < 20; i++) {
                others.add(other.prompt("Go").result().stopReason().toString());
            }
            assertThat(heard).isEmpty();
            mayGoOn.countDown();
            for (Turn turn : turns) {
                ends.add(turn.result().stopReason());
            }
        }

        assertThat(others).hasSize(20).containsOnly(StopReason.END_TURN.toString());
        assertThat(ends).hasSize(SLOW).containsOnly(StopReason.END_TURN);
        for (Session session : slow) {
            assertThat(List.copyOf(heard.getOrDefault(session, new ConcurrentLinkedQueue<>())))
                    .isEqualTo(all());
        }
        assertThat(troubles).isEmpty();
    }

    /** A thread that reads the events of a turn, and does something else for long. */
    @Test
    @Tag("DUR-30")
    void aTurnThatIsReadSlowlyHoldsUpNoOther() throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        List<String> read = new ArrayList<>();
        String other;
        try (RunningServer running = server().start(agent()::connect);
                ConnectedAgent connected = Client.builder("slow", "1.0")
                        .keepsMessages(false)
                        .limits(Limits.STANDARD.withQueueBytes(512 * 1024, 1024 * 1024))
                        .connect(to(running.uri(), keys))) {
            Turn turn = connected.newSession(Path.of("/")).prompt("Talk");
            CountDownLatch begun = new CountDownLatch(1);
            Thread reader = Thread.ofVirtual().start(() -> {
                for (SessionEvent event : turn) {
                    begun.countDown();
                    awaitRelease();
                    if (event instanceof SessionEvent.Message message) {
                        read.add(message.text().substring(0, message.text().indexOf(' ')));
                    }
                }
            });
            begun.await();
            other = connected
                    .newSession(Path.of("/"))
                    .prompt("Go")
                    .result()
                    .stopReason()
                    .toString();
            mayGoOn.countDown();
            reader.join();
        }

        assertThat(other).isEqualTo(StopReason.END_TURN.toString());
        assertThat(read).isEqualTo(all());
    }

    /** Cuts while a session is paused lose nothing of it. */
    @Test
    @Tag("DUR-30")
    void aPausedSessionGoesOnBehindACut() throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        Session slow;
        StopReason end;
        try (CuttingProxy way = new CuttingProxy();
                RunningServer running = server().allowedHosts(way.host()).start(agent()::connect)) {
            way.leadTo(running.uri());
            try (ConnectedAgent connected = client(Version.V1).connect(to(way.uri(), keys))) {
                slow = connected.newSession(Path.of("/"));
                Turn turn = slow.prompt("Talk");
                Session other = connected.newSession(Path.of("/"));
                for (int i = 0; i < 5; i++) {
                    Object unused = other.prompt("Go").result();
                    way.cut();
                }
                mayGoOn.countDown();
                end = turn.result().stopReason();
            }
        }

        assertThat(end).isEqualTo(StopReason.END_TURN);
        assertThat(List.copyOf(heard.getOrDefault(slow, new ConcurrentLinkedQueue<>())))
                .isEqualTo(all());
        assertThat(troubles).doesNotContain(RemoteAgent.State.RECOVERED);
    }

    @Test
    @Tag("DUR-30")
    void aConnectionEndsWithASessionThatIsPaused() throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        CountDownLatch closed = new CountDownLatch(1);
        try (RunningServer running = server().start(agent()::connect)) {
            ConnectedAgent connected = client(Version.V2)
                    .limits(Limits.STANDARD
                            .withQueueBytes(512 * 1024, 1024 * 1024)
                            .withDrainTime(Duration.ofMillis(100)))
                    .connect(to(running.uri(), keys));
            Turn unused = connected.newSession(Path.of("/")).prompt("Talk");
            Object unusedToo = connected.newSession(Path.of("/")).prompt("Go").result();
            Thread.ofVirtual().start(() -> {
                connected.close();
                closed.countDown();
            });
            assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static final String PAUSES = ScriptedServer.INITIALIZED.replace(
            "\"loadSession\":true",
            "\"transport\":{\"resumable\":{\"retentionSeconds\":60,\"_meta\":{\"acp4j/pauses\":true}}}");

    private static String event(int number, String text) {
        return "id: e-" + number + "\ndata: " + EndpointFixture.update("s", text);
    }

    /** What a server of ours is asked, message by message. */
    @Test
    @Tag("DUR-30")
    void theStreamOfAPausedSessionIsEndedAndOpenedAgainBehindItsEnd() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                Transport transport = Http.to(server.uri()).open()) {
            server.replies = request ->
                    request.what().equals("POST initialize") ? ScriptedServer.Reply.initialized(PAUSES) : null;
            transport.writer().write(Message.parse(RawClient.INITIALIZE));
            Object unused = transport.reader().read();
            transport.writer().write(Message.parse(EndpointFixture.call(90, "session/new", "")));
            server.await("POST session/new");
            server.say("", ScriptedClient.answer(90, "{\"sessionId\":\"s\"}"));
            Object unusedToo = transport.reader().read();
            server.await("GET s");

            boolean pauses = transport.reader().pause("s", true);
            server.say("s", event(1, "one"));
            ScriptedServer.Request asked = server.await("POST stream/pause");
            server.say("s", event(2, "two"));
            server.endStream("s");
            server.say("", "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
            String other = Objects.requireNonNull(transport.reader().read()).method();
            boolean unusedEither = transport.reader().pause("s", false);
            ScriptedServer.Request again = server.await("GET s", 2);
            server.say("s", event(3, "three"));
            List<String> read = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                read.add(Objects.requireNonNull(transport.reader().read()).raw().toString());
            }

            assertThat(pauses).isTrue();
            assertThat(asked.header("Acp-session-id")).isEqualTo("s");
            assertThat(other).isEqualTo("x");
            assertThat(again.header("Last-event-id")).isEqualTo("e-2");
            assertThat(read.get(0)).contains("one");
            assertThat(read.get(1)).contains("two");
            assertThat(read.get(2)).contains("three");
            assertThat(server.all("POST stream/pause")).hasSize(1);
        }
    }

    /** A server that cannot is not asked, and a session that is loaded is not paused. */
    @Test
    @Tag("DUR-30")
    void aSessionThatIsLoadedIsNotPaused() throws Exception {
        try (ScriptedClient client = new ScriptedClient()) {
            client.initialize();
            client.openSession("s");
            boolean before = client.pause("s");
            client.write(EndpointFixture.call(7, "session/load", "s"));
            client.server.await("POST session/load");
            boolean meanwhile = client.pause("s");
            client.server.say("s", EndpointFixture.update("s", "history"));

            assertThat(client.read()).contains("history");
            assertThat(before).isTrue();
            assertThat(meanwhile).isFalse();
            assertThat(client.server.all("POST stream/pause")).isEmpty();
        }
    }

    /** Beyond what waits to be read as well, no session is paused. */
    @Test
    @Tag("DUR-30")
    void whatIsKeptApartIsBounded() throws Exception {
        Inbox inbox = new Inbox(1000);
        boolean pauses = inbox.pause("s");
        for (int i = 0; i < 20; i++) {
            inbox.put(Message.parse(EndpointFixture.update("s", Integer.toString(i))), "s");
            if (!inbox.isPaused("s")) {
                break;
            }
        }

        assertThat(pauses).isTrue();
        assertThat(inbox.isPaused("s")).isFalse();
        assertThat(inbox.isReady()).isTrue();
        assertThat(inbox.bytes()).isBetween(1000L, 1400L);
    }

    /** The connection of the server goes on, and nothing is lost. */
    @Test
    @Tag("DUR-30")
    void aServerEndsAStreamWhenItIsAsked() throws Exception {
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            String initialized = client.initialize();
            Transport agent = server.agent();
            RawClient.Events first = client.stream("Acp-Session-Id", "s");
            HandServer.says(agent, EndpointFixture.update("s", "one"));
            String cursor = Objects.requireNonNull(first.next()).id();
            int status = client.post("{\"jsonrpc\":\"2.0\",\"method\":\"stream/pause\"}", "Acp-Session-Id", "s")
                    .statusCode();
            String rest = first.until("never");
            HandServer.says(agent, EndpointFixture.update("s", "two"));
            RawClient.Events again = client.stream("Acp-Session-Id", "s", "Last-Event-ID", cursor);

            assertThat(initialized).contains("\"acp4j/pauses\":true");
            assertThat(status).isEqualTo(202);
            assertThat(rest).isEqualTo("end");
            assertThat(again.until("\"two\"")).contains("two");
        }
    }
}
