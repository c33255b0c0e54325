package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.FakeTime;
import dev.acp4j.testkit.TestAgent;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real agent behind a WebSocket of a real server. */
class SocketServerTest {
    private static final String NEW_SESSION =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}";

    /** What a socket receives: texts, and at the end {@code closed CODE REASON}. */
    private static final class Socket implements WebSocket.Listener {
        private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();
        final WebSocket socket;

        Socket(RawClient client, String... headers) {
            URI uri = URI.create(client.uri.toString().replace("http", "ws"));
            WebSocket.Builder builder = client.http.newWebSocketBuilder();
            client.headers().forEach(builder::header);
            for (int i = 0; i < headers.length; i += 2) {
                builder.header(headers[i], headers[i + 1]);
            }
            socket = builder.buildAsync(uri, this).join();
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                received.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            received.add("closed " + code + " " + reason);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
            received.add("asked");
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
            received.add("heard");
            from.request(1);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            received.add("failed " + error);
        }

        Socket send(String message) {
            socket.sendText(message, true).join();
            return this;
        }

        String next() throws InterruptedException {
            String next = received.poll(60, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("nothing within 60 s");
            }
            return next;
        }

        String until(String part) throws InterruptedException {
            while (true) {
                String next = next();
                if (next.contains(part) || next.startsWith("closed") || next.startsWith("failed")) {
                    return next;
                }
            }
        }
    }

    private static String prompt(int id, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id
                + ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"test-1\","
                + "\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}}";
    }

    private static RunningServer serve(HttpServer server, Agent agent) throws IOException {
        return server.drainTime(Duration.ZERO).start(agent::connect);
    }

    @Test
    @Tag("WSK-01")
    @Tag("WSK-06")
    void aTurnWithAQuestionRunsOverOneSocket() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client);
            String initialized = socket.send(RawClient.INITIALIZE).next();
            socket.socket.sendBinary(ByteBuffer.wrap(new byte[] {1, 2}), true).join();
            String opened = socket.send(NEW_SESSION).until("\"id\":1");
            String question = socket.send(prompt(2, "say hello\\nask May I?")).until("session/request_permission");
            String id = question.replaceAll(".*\"id\":([^,]*),.*", "$1");
            socket.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}");

            assertThat(initialized).contains("\"protocolVersion\":1").contains("acp4j/connectionId");
            assertThat(opened).contains("test-1");
            assertThat(socket.until("stopReason")).contains("\"id\":2");
            socket.socket.sendClose(1000, "").join();
            assertThat(socket.until("closed")).startsWith("closed 1000");
        }
    }

    @Test
    void readingBeginsAsOftenAsItEndsOverASocketAndOverEvents() throws Exception {
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        try (RunningServer server = serve(Http.on(0).onEvent(events::add), TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client);
            socket.send(RawClient.INITIALIZE).next();
            socket.send(NEW_SESSION).until("\"id\":1");
            socket.socket.sendClose(1000, "").join();
            assertThat(socket.until("closed")).startsWith("closed 1000");

            assertThat(kinds(events, 4))
                    .startsWith("ConnectionOpened", "StreamOpened")
                    .containsExactlyInAnyOrder("ConnectionOpened", "StreamOpened", "StreamClosed", "ConnectionEnded");

            client.initialize();
            client.stream().close();
            assertThat(kinds(events, 3)).containsExactly("ConnectionOpened", "StreamOpened", "StreamClosed");
        }
    }

    private static List<String> kinds(LinkedBlockingQueue<ServerEvent> events, int count) throws Exception {
        List<String> kinds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            kinds.add(Objects.requireNonNull(events.poll(60, TimeUnit.SECONDS), () -> "nothing after " + kinds)
                    .getClass()
                    .getSimpleName());
        }
        return kinds;
    }

    @Test
    @Tag("WSK-02")
    void anotherFirstRequestThanInitializeClosesTheSocket() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client = new RawClient(server)) {
            assertThat(new Socket(client).send(NEW_SESSION).next()).startsWith("closed 1002");
            assertThat(new Socket(client)
                            .send(RawClient.INITIALIZE.replace("\"id\":0,", ""))
                            .next())
                    .startsWith("closed 1002");
        }
    }

    @Test
    @Tag("WSK-03")
    @Tag("WSK-04")
    @Tag("WSK-07")
    void whatIsNoMessageIsAnsweredAndTheSocketGoesOn() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client);
            socket.send("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
            assertThat(socket.send("hello").next()).contains("" + RpcError.PARSE_ERROR);
            assertThat(socket.send(RawClient.INITIALIZE).next()).contains("protocolVersion");

            assertThat(socket.send("{oops").next()).contains("" + RpcError.PARSE_ERROR);
            assertThat(socket.send("[]").next()).contains("" + RpcError.INVALID_REQUEST);
            assertThat(socket.send(RawClient.INITIALIZE.replace("\"id\":0", "\"id\":7"))
                            .next())
                    .contains("\"id\":7")
                    .contains("" + RpcError.INVALID_REQUEST);
            assertThat(socket.send(NEW_SESSION).until("\"id\":1")).contains("test-1");
            socket.socket.sendClose(1000, "").join();
        }
    }

    @Test
    @Tag("HTS-14")
    void aSessionThatIsNoStringDoesNotReachTheAgent() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client).send(RawClient.INITIALIZE);
            socket.until("protocolVersion");
            for (String session : List.of("7", "[\"s\"]", "\"s\",\"sessionId\":[\"s\"]")) {
                String answer = socket.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/close\",\"params\":"
                                + "{\"sessionId\":" + session + "}}")
                        .until("\"id\":1");
                assertThat(answer).contains("-32602").contains("sessionId must be one string");
            }
            socket.socket.sendClose(1000, "").join();
        }
    }

    @Test
    @Tag("WSK-05")
    void aFailingInitializeIsAnsweredBeforeTheSocketIsClosed() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client).send(RawClient.INITIALIZE.replace("\"protocolVersion\":1", "\"x\":1"));

            assertThat(socket.next()).contains("\"error\"").contains("\"id\":0");
            assertThat(socket.next()).startsWith("closed 1011");
        }
    }

    @Test
    @Tag("WSK-08")
    @Tag("WSK-09")
    void whatTheAgentSaidLastIsSentBeforeTheSocketIsClosed() throws Exception {
        var connected = new LinkedBlockingQueue<ConnectedClient>();
        Agent agent = TestAgent.create();
        try (RunningServer server = Http.on(0)
                        .drainTime(Duration.ZERO)
                        .start(transport -> connected.add(agent.connect(transport)));
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client).send(RawClient.INITIALIZE);
            socket.send(NEW_SESSION).until("\"id\":1");
            socket.send(prompt(2, "say bye"));
            socket.until("agent_message_chunk");
            connected.take().close();

            assertThat(socket.until("\"id\":2")).contains("\"id\":2");
            assertThat(socket.until("closed")).startsWith("closed 1001");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("DUR-23")
    void aClientThatClosesItsSocketEndsItsConnectionAndOneThatIsCutDoesNot(boolean closes) throws Exception {
        var ended = new LinkedBlockingQueue<ServerEvent>();
        var read = new LinkedBlockingQueue<ServerEvent>();
        HttpServer telling = Http.on(0).onEvent(event -> {
            if (event instanceof ServerEvent.ConnectionEnded) {
                ended.add(event);
            } else if (event instanceof ServerEvent.StreamClosed) {
                read.add(event);
            }
        });
        try (RunningServer server = serve(telling, TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client);
            String id = socket.send(RawClient.INITIALIZE).next().replaceAll(".*connectionId\":\"([^\"]*)\".*", "$1");
            if (closes) {
                socket.socket.sendClose(1000, "").join();
                assertThat(ended.poll(60, TimeUnit.SECONDS)).asString().contains("the client has left");
            } else {
                socket.socket.abort();
                assertThat(read.poll(60, TimeUnit.SECONDS)).isNotNull();
            }

            assertThat(client.stream("Acp-Connection-Id", id).status()).isEqualTo(closes ? 404 : 200);
        }
    }

    private static String notification(String name) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"_x/" + name + "\",\"params\":{}}";
    }

    private static String resume(String id) {
        return "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"stream/resume\",\"params\":{\"connectionId\":\"" + id
                + "\",\"cursors\":{}}}";
    }

    @Test
    @Tag("DUR-40")
    void whatASocketSentThatAnotherTookOverFromDoesNotArriveTwice() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytes(1000));
        try (HandServer server = new HandServer(small);
                RawClient client = new RawClient(server.server)) {
            Socket first = new Socket(client);
            String id = first.send(RawClient.INITIALIZE).next().replaceAll(".*connectionId\":\"([^\"]*)\".*", "$1");
            Transport agent = server.agent();
            List<String> sent = List.of(notification("one"), notification("two"));
            // The queue is full with the first, so the second is not read.
            sent.forEach(first::send);
            Socket second = new Socket(client, "Acp-Connection-Id", id).send(resume(id));
            int received = Integer.parseInt(second.next().replaceAll(".*\"received\":(\\d+).*", "$1"));
            Thread again = Thread.ofVirtual().start(() -> {
                sent.subList(received, 2).forEach(second::send);
                second.send(notification("three"));
            });
            assertThat(HandServer.hears(agent)).contains("_x/one");
            assertThat(HandServer.hears(agent)).contains("_x/two");
            assertThat(HandServer.hears(agent)).contains("_x/three");
            again.join();
            assertThat(first.until("closed")).startsWith("closed 1008");
            Socket third = new Socket(client, "Acp-Connection-Id", id).send(resume(id));
            assertThat(third.next()).contains("\"received\":3");
        }
    }

    @Test
    @Tag("DUR-17")
    void aSecondAnswerToARequestOfTheAgentDoesNotReachIt() throws Exception {
        String question = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_x/question\",\"params\":{}}";
        String answer = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"number\":1}}";
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            Socket socket = new Socket(client);
            socket.send(RawClient.INITIALIZE).next();
            Transport agent = server.agent();
            HandServer.says(agent, question);
            assertThat(socket.next()).contains("_x/question");
            socket.send(answer).send(answer.replace("1}", "2}")).send(notification("next"));

            assertThat(HandServer.hears(agent)).contains("\"number\":1");
            assertThat(HandServer.hears(agent)).contains("_x/next");
            // The agent may use the id again.
            HandServer.says(agent, question);
            assertThat(socket.next()).contains("_x/question");
            socket.send(answer.replace("1}", "3}"));
            assertThat(HandServer.hears(agent)).contains("\"number\":3");
        }
    }

    @Test
    @Tag("WSK-08")
    @Tag("DUR-40")
    void aSocketThatComesBackAfterTheEndOfItsAgentIsClosedBehindWhatItSaid() throws Exception {
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            Socket first = new Socket(client);
            String id = first.send(RawClient.INITIALIZE).next().replaceAll(".*connectionId\":\"([^\"]*)\".*", "$1");
            Transport agent = server.agent();
            first.socket.abort();
            server.event(ServerEvent.StreamClosed.class);
            HandServer.says(agent, notification("last"));
            agent.close();
            Socket second = new Socket(client, "Acp-Connection-Id", id).send(resume(id));

            assertThat(second.until("_x/last")).contains("_x/last");
            assertThat(second.next()).startsWith("closed 1001");
        }
    }

    @Test
    @Tag("HTS-43")
    @Tag("DUR-40")
    void aSocketThatWasCutComesBackToAServerThatIsAboutToStop() throws Exception {
        try (HandServer server = new HandServer(Http.on(0), Duration.ofMinutes(1));
                RawClient client = new RawClient(server.server)) {
            Socket first = new Socket(client);
            String id = first.send(RawClient.INITIALIZE).next().replaceAll(".*connectionId\":\"([^\"]*)\".*", "$1");
            Transport agent = server.agent();
            first.send(prompt(2, "go"));
            HandServer.hears(agent);
            first.socket.abort();
            server.event(ServerEvent.StreamClosed.class);
            Thread closing = Thread.ofVirtual().start(server.server::close);
            server.event(ServerEvent.Draining.class);
            Socket second = new Socket(client, "Acp-Connection-Id", id).send(resume(id));
            assertThat(second.next()).contains("\"id\":\"r\"");
            HandServer.says(agent, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}}");

            assertThat(second.until("end_turn")).contains("\"id\":2");
            assertThat(second.until("closed")).startsWith("closed 1001");
            assertThat(refused(client)).isEqualTo(503);
            agent.close();
            assertThat(closing.join(Duration.ofMinutes(1))).isTrue();
        }
    }

    @Test
    @Tag("WSK-02")
    @Tag("HTS-36")
    void socketsThatDoNotBeginAreFewAndShort() throws Exception {
        HttpServer few = Http.on(0).limits(ServerLimits.STANDARD.withConnections(10, 2));
        try (HandServer server = new HandServer(few);
                RawClient client = new RawClient(server.server)) {
            Socket first = new Socket(client).send("hello");
            Socket second = new Socket(client).send("hello");
            assertThat(first.next()).contains("" + RpcError.PARSE_ERROR);
            assertThat(second.next()).contains("" + RpcError.PARSE_ERROR);
            assertThat(refused(client)).isEqualTo(429);
            server.pass(Duration.ofSeconds(10));

            assertThat(first.until("closed")).startsWith("closed 1008");
            assertThat(second.until("closed")).startsWith("closed 1008");
        }
    }

    @Test
    @Tag("HTS-09")
    void anAgentThatDoesNotAnswerInitializeClosesTheSocket() throws Exception {
        var agents = new LinkedBlockingQueue<Transport>();
        FakeTime time = new FakeTime();
        try (RunningServer server =
                        Http.on(0).time(time).drainTime(Duration.ZERO).start(agents::add);
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client).send(RawClient.INITIALIZE);
            Transport agent = agents.take();
            assertThat(agent.reader().read()).isNotNull();
            time.awaitWaiters(1);
            time.advance(Duration.ofSeconds(61));

            String closed = socket.until("closed");
            Message end = agent.reader().read();
            agent.close();

            assertThat(closed).startsWith("closed 1011");
            assertThat(end).isNull();
        }
    }

    @Test
    @Tag("DUR-40")
    void whatAClientHasGotIsNotSentAgainThoughItNamesNoCursor() throws Exception {
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            Socket first = new Socket(client);
            String id = first.send(RawClient.INITIALIZE).next().replaceAll(".*connectionId\":\"([^\"]*)\".*", "$1");
            Transport agent = server.agent();
            HandServer.says(agent, notification("one"));
            assertThat(first.next()).contains("_x/one");
            server.pass(Duration.ofSeconds(15));
            assertThat(first.next()).isEqualTo("asked");
            // Behind the pong, which the client sends by itself.
            assertThat(first.send("hello").next()).contains("" + RpcError.PARSE_ERROR);
            first.socket.abort();
            server.event(ServerEvent.StreamClosed.class);
            Socket second = new Socket(client, "Acp-Connection-Id", id).send(resume(id));

            assertThat(second.next()).contains("\"received\":1");
            assertThat(second.next()).contains("" + RpcError.PARSE_ERROR);
        }
    }

    @Test
    @Tag("WSK-09")
    @SuppressWarnings("try") // Closing it is what is tested.
    void aServerThatStopsSaysSo() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client).send(RawClient.INITIALIZE);
            socket.next();
            server.close();

            assertThat(socket.until("closed")).startsWith("closed 1001");
        }
    }

    @Test
    @Tag("WSK-12")
    void aMessageOverTheLimitClosesTheSocketInHoweverManyFramesItComes() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withMessageBytes(100_000));
        try (RunningServer server = serve(small, TestAgent.create());
                RawClient client = new RawClient(server)) {
            Socket socket = new Socket(client);
            for (int i = 0; i < 11; i++) {
                socket.socket.sendText("x".repeat(10_000), false).join();
            }
            assertThat(socket.until("closed")).startsWith("closed 1009");
        }
    }

    @Test
    @Tag("WSK-12")
    @Tag("HTS-03")
    void aMessageThatComesTooSlowlyClosesTheSocket() throws Exception {
        try (HandServer server = new HandServer(Http.on(0));
                RawClient client = new RawClient(server.server)) {
            Socket socket = new Socket(client);
            socket.send(RawClient.INITIALIZE).next();
            socket.socket.sendText("{\"jsonrpc\":", false).join();
            // Its answer comes when the part before it has come.
            socket.socket.sendPing(ByteBuffer.allocate(0)).join();
            assertThat(socket.next()).isEqualTo("heard");
            server.pass(Duration.ofSeconds(29));
            socket.socket.sendText("\"2.0\",", false).join();
            socket.socket.sendPing(ByteBuffer.allocate(0)).join();
            assertThat(socket.until("heard")).isEqualTo("heard");
            server.pass(Duration.ofSeconds(2));
            socket.socket.sendText("\"id\":1}", true).join();

            assertThat(socket.until("closed")).startsWith("closed 1008");
        }
    }

    @Test
    @Tag("HST-40")
    void whatArrivesOnTheSocketsOfAPrincipalAtOnceIsBounded() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withMessageBytes(100_000));
        try (RunningServer server = serve(small, TestAgent.create());
                RawClient client = new RawClient(server)) {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket(client);
                socket.send(RawClient.INITIALIZE).next();
                socket.socket.sendText("x".repeat(80_000), false).join();
                socket.socket.sendPing(ByteBuffer.allocate(0)).join();
                assertThat(socket.until("heard")).isEqualTo("heard");
                sockets.add(socket);
            }
            Socket last = new Socket(client);
            last.send(RawClient.INITIALIZE).next();
            last.socket.sendText("x".repeat(79_000), false).join();
            last.socket.sendPing(ByteBuffer.allocate(0)).join();
            assertThat(last.until("heard")).isEqualTo("heard");
            last.socket.sendText("x".repeat(2000), false).join();
            assertThat(last.until("closed")).startsWith("closed 1013");
            // The others are taken, whose place is then free.
            assertThat(sockets.get(0).send("x").until("error")).contains("" + RpcError.PARSE_ERROR);
            sockets.get(1).socket.abort();
        }
    }

    @Test
    @Tag("WSK-13")
    @Tag("WSK-15")
    @Tag("SEC-09")
    void anUpgradeIsRefusedLikeEveryOtherRequest() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RunningServer without = serve(Http.on(0).webSocket(false), TestAgent.create());
                RawClient stranger = new RawClient(server.uri(), HttpClient.Version.HTTP_1_1, "");
                RawClient client = new RawClient(server);
                RawClient other = new RawClient(without)) {
            assertThat(refused(stranger)).isEqualTo(401);
            assertThat(refused(client, "Origin", "https://example.org")).isEqualTo(403);
            assertThat(refused(client, "Acp-Connection-Id", "unknown")).isEqualTo(404);
            assertThat(refused(other)).isEqualTo(426);
        }
    }

    @Test
    @Tag("WSK-01")
    @Tag("HTS-42")
    void aSocketOverHttp2IsOneStreamOfItsConnection(@TempDir Path folder) throws Exception {
        Path script = folder.resolve("extended-connect.js");
        try (InputStream source =
                Objects.requireNonNull(SocketServerTest.class.getResourceAsStream("extended-connect.js"))) {
            Files.copy(source, script);
        }
        try (RunningServer server = serve(Http.on(0), TestAgent.create())) {
            Process node = new ProcessBuilder(
                            "node",
                            script.toString(),
                            Integer.toString(server.uri().getPort()),
                            server.token().orElseThrow(),
                            RawClient.INITIALIZE)
                    .redirectErrorStream(true)
                    .start();
            String output = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(node.waitFor()).as(output).isZero();
            assertThat(output.lines()).containsExactly("status 200 id", "text true", "close true", "after 406");
        }
    }

    private static int refused(RawClient client, String... headers) {
        try {
            new Socket(client, headers).socket.abort();
            return 101;
        } catch (CompletionException e) {
            return e.getCause() instanceof WebSocketHandshakeException refused
                    ? refused.getResponse().statusCode()
                    : -1;
        }
    }
}
