package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.ScriptedServer.Reply;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Streams that are cut while a session is loaded: behind the request, and before the client has learned that the stream
 * of the session has begun anew.
 */
@Timeout(60)
class CutHistoryTest {
    private static final String RESUMABLE = ScriptedServer.INITIALIZED.replace(
            "\"loadSession\":true",
            "\"loadSession\":true,\"transport\":{\"resumable\":{\"retentionSeconds\":60,"
                    + "\"_meta\":{\"acp4j/beginning\":\"0\"}}}");

    private static final String LOADED = "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}";

    private static Transport open(RemoteAgent remote) throws IOException {
        return remote.time(Time.SYSTEM, System::currentTimeMillis, () -> 0).open();
    }

    private static void write(Transport transport, String message) throws IOException {
        transport.writer().write(Message.parse(message));
    }

    private static String read(Transport transport) throws Exception {
        return Objects.requireNonNull(transport.reader().read()).raw().toString();
    }

    /** Returns the texts of a session that arrive up to one, and the answers between them, which are no errors. */
    private static List<String> readUpTo(Transport transport, String last) throws Exception {
        List<String> found = new ArrayList<>();
        while (!found.contains(last)) {
            String next = read(transport);
            if (next.contains("agent_message_chunk")) {
                found.add(next.replaceAll(".*\"text\":\"([^\"]*)\".*", "$1"));
            } else if (next.contains("\"result\"")) {
                found.add("answer");
            }
            assertThat(next).doesNotContain("\"error\"");
        }
        return found;
    }

    private static Thread writing(Transport transport, String message) {
        return Thread.ofVirtual().start(() -> {
            try {
                write(transport, message);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static String update(String text, String cursor) {
        return EndpointFixture.update("s", text)
                .replace("\"params\":{", "\"params\":{\"_meta\":{\"acp/cursor\":\"" + cursor + "\"},");
    }

    // ---- events

    /** Has a client open a session whose stream is at a position, and sends it what more it writes. */
    private static void begin(ScriptedServer server, Transport transport, String... requests) throws Exception {
        server.replies =
                request -> request.message().method().equals("initialize") ? Reply.initialized(RESUMABLE) : null;
        write(transport, RawClient.INITIALIZE);
        read(transport);
        write(transport, EndpointFixture.call(1, "session/new", ""));
        server.await("POST session/new");
        server.say("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}");
        read(transport);
        server.await("GET s");
        for (int i = 0; i < requests.length; i++) {
            write(transport, EndpointFixture.call(5 + i, requests[i], "s"));
            server.await("POST " + requests[i]);
        }
        server.say("s", "id: a-1");
    }

    /** Has the server know some positions no more. */
    private static void forget(ScriptedServer server, Map<String, String> refusals) {
        server.replies = request -> {
            String reason = refusals.get(request.header("Last-event-id"));
            if (request.message().method().equals("initialize")) {
                return Reply.initialized(RESUMABLE.replace("\"id\":0", "\"id\":\"acp4j-recovery-1\""));
            }
            return reason == null ? null : new Reply(409, Map.of(), "{\"reason\":\"" + reason + "\",\"message\":\"\"}");
        };
    }

    private static List<String> positions(ScriptedServer server) {
        return server.all("GET s").stream()
                .map(request -> request.header("Last-event-id"))
                .toList();
    }

    @Test
    @Tag("DUR-06")
    @Tag("DUR-11")
    void aStreamOfEventsGoesOnWhereItHasBegunAnew() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                Transport transport = open(Http.to(server.uri()))) {
            begin(server, transport, "session/load");
            forget(server, Map.of("a-1", "cursor_unknown"));
            server.endStream("s");
            server.await("GET s", 3);
            server.say("s", "id: b-1\ndata: " + update("one", "b-1"));
            server.say("s", "id: b-2\ndata: " + update("two", "b-2"));
            server.say("", LOADED.replace("{}", "{\"_meta\":{\"acp4j/after\":\"b-2\"}}"));
            List<String> shown = readUpTo(transport, "answer");

            assertThat(shown).containsExactly("one", "two", "answer");
            assertThat(positions(server)).containsExactly("", "a-1", "0");
            assertThat(server.all("POST initialize")).hasSize(1);
        }
    }

    @Test
    @Tag("DUR-31")
    void theAnswerWaitsForAHistoryWhoseStreamIsCutForLong() throws Exception {
        AtomicBoolean wasAsked = new AtomicBoolean();
        try (ScriptedServer server = new ScriptedServer();
                Transport transport = open(Http.to(server.uri()))) {
            begin(server, transport, "session/load");
            forget(server, Map.of("a-1", "cursor_unknown"));
            Function<ScriptedServer.Request, @Nullable Reply> refusing = server.replies;
            server.replies = request -> request.header("Last-event-id").equals("a-1") && !wasAsked.getAndSet(true)
                    ? new Reply(503, Map.of("Retry-After", "4"), "")
                    : refusing.apply(request);
            server.endStream("s");
            server.say("", LOADED.replace("{}", "{\"_meta\":{\"acp4j/after\":\"b-1\"}}"));
            server.await("GET s", 4);
            server.say("s", "id: b-1\ndata: " + update("one", "b-1"));
            List<String> shown = readUpTo(transport, "answer");

            assertThat(shown).containsExactly("one", "answer");
            assertThat(positions(server)).containsExactly("", "a-1", "a-1", "0");
        }
    }

    @Test
    @Tag("DUR-27")
    void anAnswerThatMayHaveBeenLostWithTheOldBeginningNeedsANewConnection() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                Transport transport = open(Http.to(server.uri()))) {
            begin(server, transport, "session/set_mode", "session/load");
            forget(server, Map.of("a-1", "cursor_unknown"));
            server.endStream("s");
            server.await("POST initialize", 2);

            assertThat(positions(server)).startsWith("", "a-1").doesNotContain("0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cursor_expired", "cursor_unknown"})
    @Tag("DUR-27")
    void aBeginningThatIsRefusedNeedsANewConnection(String reason) throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                Transport transport = open(Http.to(server.uri()))) {
            begin(server, transport, "session/load");
            forget(server, Map.of("a-1", "cursor_unknown", "0", reason));
            server.endStream("s");
            server.await("POST initialize", 2);

            assertThat(positions(server)).startsWith("", "a-1", "0");
        }
    }

    // ---- WebSocket

    @Test
    @Tag("DUR-06")
    @Tag("DUR-11")
    void aWebSocketGoesOnWhereTheStreamOfASessionHasBegunAnew() throws Exception {
        String connection = "Acp-Connection-Id: c-1\r\n";
        try (ScriptedSocket server = new ScriptedSocket();
                Transport transport = open(Http.to(server.uri()))) {
            Thread writing = writing(transport, RawClient.INITIALIZE);
            ScriptedSocket.Connection first = server.accept().upgrade(connection);
            first.hear();
            first.say(RESUMABLE);
            writing.join();
            first.say(update("before", "a-1"));
            assertThat(readUpTo(transport, "before")).containsExactly("answer", "before");
            write(transport, EndpointFixture.call(5, "session/load", "s"));
            assertThat(first.hear()).contains("session/load");
            first.close();
            ScriptedSocket.Connection second = server.accept().upgrade(connection);
            assertThat(second.hear()).contains("\"s\":\"a-1\"");
            second.say("{\"jsonrpc\":\"2.0\",\"id\":\"acp4j-resume\",\"result\":{\"received\":1}}");
            second.say("{\"jsonrpc\":\"2.0\",\"method\":\"stream/resume_failed\",\"params\":"
                    + "{\"sessionId\":\"s\",\"reason\":\"cursor_unknown\"}}");
            // Cut once more before anything of the history has come.
            second.close();
            ScriptedSocket.Connection third = server.accept().upgrade(connection);
            assertThat(third.hear()).contains("stream/resume").doesNotContain("\"s\":");
            third.say("{\"jsonrpc\":\"2.0\",\"id\":\"acp4j-resume\",\"result\":{\"received\":1}}");
            third.say(update("one", "b-1"));
            third.say(update("two", "b-2"));
            third.say(LOADED);

            assertThat(readUpTo(transport, "answer")).containsExactly("one", "two", "answer");
        }
    }

    // ---- our server

    @ParameterizedTest
    @EnumSource(
            value = RemoteAgent.Over.class,
            names = {"EVENTS", "WEBSOCKET"})
    @Tag("DUR-06")
    @Tag("DUR-11")
    void aHistoryIsShownOnceOnTheSameConnectionAlthoughItsFirstMessageWasLost(RemoteAgent.Over over) throws Exception {
        LinkedBlockingQueue<RemoteClient> agents = new LinkedBlockingQueue<>();
        try (CuttingProxy way = new CuttingProxy();
                RunningServer server = Http.on(0)
                        .drainTime(Duration.ZERO)
                        .allowedHosts(way.host())
                        .start(agents::add)) {
            way.leadTo(server.uri());
            String token = server.token().orElseThrow();
            try (Transport transport = open(Http.to(way.uri()).over(over).bearer(() -> token))) {
                Thread writing = writing(transport, RawClient.INITIALIZE);
                Transport agent = agents.take();
                read(agent);
                write(agent, EndpointFixture.ANSWER);
                writing.join();
                write(transport, EndpointFixture.call(1, "session/new", ""));
                read(agent);
                write(agent, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}");
                write(agent, EndpointFixture.update("s", "before"));
                assertThat(readUpTo(transport, "before")).containsExactly("answer", "answer", "before");

                write(transport, EndpointFixture.call(5, "session/load", "s"));
                assertThat(read(agent)).contains("session/load");
                way.swallow(true);
                write(agent, EndpointFixture.update("s", "one"));
                way.refuse(true);
                way.swallow(false);
                way.refuse(false);
                List<String> shown = new ArrayList<>(readUpTo(transport, "one"));
                write(agent, EndpointFixture.update("s", "two"));
                write(agent, LOADED);
                shown.addAll(readUpTo(transport, "answer"));
                write(agent, EndpointFixture.update("s", "three"));
                shown.addAll(readUpTo(transport, "three"));

                assertThat(shown).containsExactly("one", "two", "answer", "three");
                assertThat(agents).isEmpty();
                agent.close();
            }
        }
    }
}
