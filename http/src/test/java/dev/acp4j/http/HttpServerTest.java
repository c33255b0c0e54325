package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.FakeTime;
import dev.acp4j.testkit.TestAgent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real agent behind a real server, and clients that write each request themselves. */
class HttpServerTest {
    private static final String NEW_SESSION =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}";

    private static String prompt(int id, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id
                + ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"test-1\","
                + "\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}}";
    }

    private static RunningServer serve(HttpServer server, Agent agent) throws Exception {
        return server.drainTime(Duration.ZERO).start(agent::connect);
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    @Tag("HTS-05")
    @Tag("HTS-12")
    @Tag("HTS-24")
    @Tag("HTS-42")
    void aTurnWithAQuestionRunsOverEventsOnBothVersionsOfHttp(HttpClient.Version version) throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create());
                RawClient client =
                        new RawClient(server.uri(), version, server.token().orElseThrow())) {
            String initialized = client.initialize();
            RawClient.Events own = client.stream();
            assertThat(client.post(NEW_SESSION).statusCode()).isEqualTo(202);
            assertThat(own.data()).contains("\"id\":1").contains("test-1");
            RawClient.Events session = client.stream("Acp-Session-Id", "test-1");
            assertThat(client.post(prompt(2, "say hello\\nask May I?"), "Acp-Session-Id", "test-1")
                            .statusCode())
                    .isEqualTo(202);
            assertThat(session.until("agent_message_chunk")).contains("hello");
            String question = session.until("session/request_permission");
            String id = question.replaceAll(".*\"id\":([^,]*),.*", "$1");
            String option = question.replaceAll(".*\"optionId\":\"([^\"]*)\".*", "$1");
            var answered = client.post("{\"jsonrpc\":\"2.0\",\"id\":" + id
                    + ",\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}}");
            String ended = session.until("\"stopReason\"");

            assertThat(initialized).contains("\"protocolVersion\":1");
            assertThat(answered.statusCode()).isEqualTo(202);
            assertThat(answered.body()).isEmpty();
            assertThat(ended).contains("\"id\":2").contains("end_turn");
            assertThat(client.delete().statusCode()).isEqualTo(202);
            assertThat(session.until("never")).isEqualTo("end");
            assertThat(own.until("never")).isEqualTo("end");
        }
    }

    @Test
    @Tag("HTS-05")
    void curlGetsAnAnswer() throws Exception {
        try (RunningServer server = serve(Http.on(0), TestAgent.create())) {
            Process curl = new ProcessBuilder(
                            "curl",
                            "-sS",
                            "-i",
                            "-H",
                            "Authorization: Bearer " + server.token().orElseThrow(),
                            "-H",
                            "Content-Type: application/json",
                            "-d",
                            RawClient.INITIALIZE,
                            server.uri().toString())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(curl.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(output)
                    .startsWith("HTTP/1.1 200")
                    .containsIgnoringCase("acp-connection-id: ")
                    .contains("\"result\"");
        }
    }

    /** Opens a stream over a socket, and reads until its first comment. */
    private static Socket openStream(RunningServer server, String connection) throws Exception {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort());
        socket.getOutputStream()
                .write(("GET /acp HTTP/1.1\r\nHost: 127.0.0.1:" + server.uri().getPort()
                                + "\r\nAccept: text/event-stream\r\nAuthorization: Bearer "
                                + server.token().orElseThrow() + "\r\nAcp-Connection-Id: " + connection
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        StringBuilder read = new StringBuilder();
        while (read.indexOf(": ok") < 0) {
            read.append((char) socket.getInputStream().read());
        }
        return socket;
    }

    @Test
    @Tag("DUR-13")
    void theEndOfAReaderIsNoticedBeforeAnythingIsWrittenToIt() throws Exception {
        var closed = new LinkedBlockingQueue<ServerEvent>();
        HttpServer telling = Http.on(0).onEvent(event -> {
            if (event instanceof ServerEvent.StreamClosed) {
                closed.add(event);
            }
        });
        try (RunningServer server = serve(telling, TestAgent.create());
                RawClient client = new RawClient(server)) {
            client.initialize();
            String id = client.headers().getOrDefault("Acp-Connection-Id", "");
            Socket first = openStream(server, id);
            assertThat(client.stream().status()).isEqualTo(409);
            first.close();
            assertThat(closed.poll(60, TimeUnit.SECONDS)).isNotNull();
            RawClient.Events second = client.stream();
            client.post(NEW_SESSION);

            assertThat(second.status()).isEqualTo(200);
            assertThat(second.data()).contains("\"id\":1");
        }
    }

    @Test
    @Tag("HTS-10")
    void aClientThatHangsUpDuringInitializeEndsItsAgent() throws Exception {
        var agents = new LinkedBlockingQueue<Transport>();
        try (RunningServer server = Http.on(0).drainTime(Duration.ZERO).start(agents::add);
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.getOutputStream()
                    .write(("POST /acp HTTP/1.1\r\nHost: 127.0.0.1:"
                                    + server.uri().getPort()
                                    + "\r\nContent-Type: application/json\r\nContent-Length: "
                                    + RawClient.INITIALIZE.length() + "\r\nAuthorization: Bearer "
                                    + server.token().orElseThrow() + "\r\n\r\n" + RawClient.INITIALIZE)
                            .getBytes(StandardCharsets.US_ASCII));
            Transport agent = Objects.requireNonNull(agents.poll(60, TimeUnit.SECONDS));
            assertThat(agent.reader().read()).isNotNull();
            socket.shutdownOutput();

            assertThat(agent.reader().read()).isNull();
            agent.close();
        }
    }

    @Test
    @Tag("HTS-03")
    void aBodyThatDripsIsGivenUp() throws Exception {
        FakeTime time = new FakeTime();
        try (RunningServer server = serve(Http.on(0).time(time), TestAgent.create());
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.getOutputStream()
                    .write(("POST /acp HTTP/1.1\r\nHost: 127.0.0.1:"
                                    + server.uri().getPort()
                                    + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
                                    + "Authorization: Bearer " + server.token().orElseThrow()
                                    + "\r\nExpect: 100-continue\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            // The body is being waited for when it is asked for.
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 100");
            time.advance(Duration.ofSeconds(31));
            socket.getOutputStream().write('{');
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).contains("HTTP/1.1 408").contains("too_slow");
        }
    }

    @RepeatedTest(10)
    @Tag("HTS-43")
    void aConnectionThatIsMadeWhileTheServerStopsIsEnded() throws Exception {
        List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
        Semaphore connected = new Semaphore(0);
        RunningServer server = serve(Http.on(0).drainTime(Duration.ZERO), TestAgent.create());
        int port = server.uri().getPort();
        List<Thread> clients = Stream.generate(() -> Thread.ofVirtual().start(() -> {
                    try {
                        for (int i = 0; i < 250; i++) {
                            sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
                            connected.release();
                        }
                    } catch (IOException e) {
                        // Nobody listens any more.
                        connected.release();
                    }
                }))
                .limit(4)
                .toList();
        connected.acquire(4);
        server.close();
        for (Thread client : clients) {
            client.join();
        }

        for (Socket socket : sockets) {
            try (socket) {
                socket.setSoTimeout(10_000);
                // One that never came into the queue of the server only learns so when it sends something.
                socket.getOutputStream().write('G');
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            } catch (SocketException e) {
                // It was reset, which is an end, too.
            }
        }
    }

    @Test
    @Tag("HTS-43")
    @Tag("HST-37")
    @Tag("HST-39")
    void aServerThatIsClosedLetsTurnsEndAndStreamsKnow() throws Exception {
        var released = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        Agent agent = Agent.builder("slow", "1.0")
                .onPrompt(turn -> {
                    turn.message("begun");
                    begun.countDown();
                    released.await();
                    turn.message("done");
                })
                .build();
        var draining = new CountDownLatch(1);
        HttpServer patient = Http.on(0)
                .probePaths("/live", "/ready")
                .drainTime(Duration.ofMinutes(1))
                .onEvent(event -> {
                    if (event instanceof ServerEvent.Draining) {
                        draining.countDown();
                    }
                });
        try (RunningServer server = patient.start(agent::connect);
                RawClient client = new RawClient(server)) {
            client.initialize();
            RawClient.Events own = client.stream();
            client.post(NEW_SESSION);
            String session = own.data().replaceAll(".*\"sessionId\":\"([^\"]*)\".*", "$1");
            RawClient.Events turn = client.stream("Acp-Session-Id", session);
            client.post(prompt(2, "go").replace("test-1", session));
            begun.await();
            int before = client.get("/ready");
            Thread closing = Thread.ofVirtual().start(server::close);
            assertThat(draining.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(client.post(NEW_SESSION).statusCode()).isEqualTo(503);
            int meanwhile = client.get("/ready");
            int notified =
                    client.post("{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\"}").statusCode();
            released.countDown();

            assertThat(before).isEqualTo(200);
            assertThat(meanwhile).isEqualTo(503);
            assertThat(notified).isEqualTo(202);
            assertThat(turn.until("stopReason")).contains("\"id\":2");
            assertThat(turn.until("never")).isEqualTo("end");
            assertThat(own.until("never")).isEqualTo("end");
            assertThat(closing.join(Duration.ofMinutes(1))).isTrue();
        }
    }
}
