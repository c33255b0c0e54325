package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.http.ScriptedServer.Reply;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.FakeTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client sends and accepts over events, message by message, against servers that do it in their own ways. */
@Timeout(60)
class ClientRulesTest {
    private static final String RESUMABLE = ScriptedServer.INITIALIZED.replace(
            "\"loadSession\":true", "\"transport\":{\"resumable\":{\"retentionSeconds\":60}}");

    private final ScriptedServer server = new ScriptedServer();
    private Transport transport = Http.to(server.uri()).open();

    ClientRulesTest() throws IOException {}

    @AfterEach
    void close() {
        transport.close();
        server.close();
    }

    private static String call(int id, String method, String session) {
        return EndpointFixture.call(id, method, session);
    }

    private static String answer(int id, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
    }

    private void write(String message) throws IOException {
        transport.writer().write(Message.parse(message));
    }

    private String read() throws Exception {
        Message message = transport.reader().read();
        return message == null ? "end" : message.raw().toString();
    }

    private String initialize() throws Exception {
        write(RawClient.INITIALIZE);
        return read();
    }

    /** Opens another transport in the place of the first. */
    private void open(RemoteAgent remote) throws IOException {
        transport.close();
        transport = remote.open();
    }

    private void openSession(String session) throws Exception {
        write(call(90, "session/new", ""));
        server.await("POST session/new");
        server.say("", answer(90, "{\"sessionId\":\"" + session + "\"}"));
        assertThat(read()).contains(session);
        server.await("GET " + session);
    }

    // ---- the beginning

    @Test
    @Tag("HTC-01")
    void theFirstMessageMustBeInitialize() {
        assertThatThrownBy(() -> write(call(1, "session/new", "")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("must be initialize, not session/new");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    @Tag("HTC-03")
    void anAnswerMustNameItsConnectionAndItsRequest() throws Exception {
        server.replies = request -> new Reply(200, Map.of(), ScriptedServer.INITIALIZED);
        assertThat(initialize()).contains("without the header Acp-Connection-Id");
        open(Http.to(server.uri()));
        server.replies = request -> Reply.initialized(ScriptedServer.INITIALIZED.replace("\"id\":0", "\"id\":7"));
        assertThat(initialize()).contains("is no agent");
    }

    @Test
    @Tag("HTC-04")
    void anErrorWithoutAConnectionIsPassedOnAndNothingIsListenedTo() throws Exception {
        String error = "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32022,\"message\":\"no\"}}";
        server.replies = request -> new Reply(200, Map.of(), error);

        assertThat(initialize()).isEqualTo(error);
        transport.close();
        assertThat(server.requests()).containsExactly("POST initialize");
    }

    @Test
    @Tag("HTC-05")
    void aConnectionWhoseFirstAnswerIsGarbageIsEnded() throws Exception {
        server.replies = request -> request.method().equals("POST") ? Reply.initialized("<html>") : null;

        assertThat(initialize()).contains("something that is not JSON");
        assertThat(server.await("DELETE").header("Acp-connection-id")).isEqualTo("c-1");
    }

    @Test
    @Tag("HTC-06")
    void aConnectionThatIsMadeWhenNobodyWantsItAnyMoreIsEnded() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        server.replies = request -> {
            if (!request.message().method().equals("initialize")) {
                return null;
            }
            asked.countDown();
            await(closed);
            return Reply.initialized(ScriptedServer.INITIALIZED);
        };
        Thread writing = Thread.ofVirtual().start(() -> {
            try {
                write(RawClient.INITIALIZE);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        asked.await();
        transport.close();
        writing.join();
        closed.countDown();

        assertThat(server.await("DELETE").header("Acp-connection-id")).isEqualTo("c-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"protocolVersion\":1}",
                "{\"protocolVersion\":1,\"_meta\":[]}",
                "{\"protocolVersion\":2,\"_meta\":{\"acp4j/elsewhere\":false}}"
            })
    void anAgentOnAnotherMachineCannotHideThat(String result) throws Exception {
        server.replies = request ->
                request.message().method().equals("initialize") ? Reply.initialized(answer(0, result)) : null;
        String near = initialize();
        open(Http.to(URI.create("http://agent.example/acp"))
                .allowCleartext()
                .proxy(ProxySelector.of(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), server.uri().getPort()))));
        String far = initialize();

        assertThat(near).isEqualTo(answer(0, result));
        assertThat(far).contains("\"_meta\":{\"acp4j/elsewhere\":true}");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("HTC-27")
    void http2IsPreferredWhereThereIsTls(@TempDir Path folder) throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        try (SSLServerSocket listening = (SSLServerSocket) Certificates.trusting(keys, "server", keys)
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            LinkedBlockingQueue<List<String>> offered = new LinkedBlockingQueue<>();
            open(Http.to(URI.create("https://127.0.0.1:" + listening.getLocalPort()))
                    .ssl(Certificates.trusting(keys, "server", null)));
            Thread writing = Thread.ofVirtual().start(() -> {
                try {
                    write(RawClient.INITIALIZE);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            try (SSLSocket socket = (SSLSocket) listening.accept()) {
                socket.setHandshakeApplicationProtocolSelector((at, names) -> {
                    offered.add(List.copyOf(names));
                    return "";
                });
                socket.startHandshake();
            }
            transport.close();
            writing.join();

            assertThat(offered.take()).containsExactly("h2", "http/1.1");
        }
    }

    @Test
    @Tag("HTC-27")
    void clearTextIsNotUpgraded() throws Exception {
        initialize();

        assertThat(server.await("POST initialize").headers()).doesNotContainKeys("Upgrade", "Http2-settings");
    }

    // ---- messages

    @Test
    @Tag("HTC-07")
    void anAnswerIsTakenFromAnyStream() throws Exception {
        initialize();
        openSession("s");
        write(call(1, "session/prompt", "s"));
        server.await("POST session/prompt");
        server.say("", answer(1, "{\"stopReason\":\"end_turn\"}"));
        assertThat(read()).contains("end_turn");
        write(call(2, "session/list", ""));
        server.await("POST session/list");
        server.say("s", answer(2, "{\"sessions\":[]}"));

        assertThat(read()).contains("sessions");
    }

    @Test
    @Tag("HTC-08")
    @Tag("HTC-15")
    void aQuestionIsAnsweredInItsSessionWhileAPromptIsHeld() throws Exception {
        initialize();
        openSession("s");
        server.replies = request -> request.what().equals("POST session/prompt") ? Reply.status(0) : null;
        write(call(1, "session/prompt", "s"));
        server.await("POST session/prompt");
        server.say("s", call(5, "session/request_permission", "s"));
        assertThat(read()).contains("session/request_permission");
        write(answer(5, "{\"outcome\":{\"outcome\":\"cancelled\"}}"));

        assertThat(server.await("POST answer").header("Acp-session-id")).isEqualTo("s");
    }

    @Test
    @Tag("HTC-10")
    void anExtensionsResultWithASessionOpensNoStream() throws Exception {
        initialize();
        write(call(1, "_x/open", ""));
        server.await("POST _x/open");
        server.say("", answer(1, "{\"sessionId\":\"x\"}"));
        assertThat(read()).contains("\"x\"");
        openSession("s");

        assertThat(server.requests()).doesNotContain("GET x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"session/load", "session/resume"})
    @Tag("HTC-11")
    void aSessionIsListenedToBeforeItIsLoaded(String method) throws Exception {
        initialize();
        write(call(1, method, "s"));
        server.await("POST " + method);

        assertThat(server.requests()).containsSubsequence("GET s", "POST " + method);
    }

    @Test
    @Tag("HTC-22")
    void whatWasWrittenIsSentBeforeTheConnectionEnds() throws Exception {
        initialize();
        for (int i = 0; i < 5; i++) {
            write(call(i, "_x/" + i, ""));
        }
        transport.writer().close();
        server.endStream("");

        assertThat(server.requests())
                .containsSubsequence("POST _x/0", "POST _x/1", "POST _x/2", "POST _x/3", "POST _x/4", "DELETE");
        assertThat(read()).isEqualTo("end");
    }

    // ---- loads

    @Test
    @Tag("DUR-31")
    void theAnswerToALoadIsHandedOverBehindThePlaceThatOurServersName() throws Exception {
        server.replies =
                request -> request.message().method().equals("initialize") ? Reply.initialized(RESUMABLE) : null;
        initialize();
        write(call(1, "session/load", "s"));
        server.await("POST session/load");
        server.say("", answer(1, "{\"_meta\":{\"acp4j/after\":\"e-2\"}}"));
        server.say("s", "id: e-1\ndata: " + EndpointFixture.update("s", "one"));
        assertThat(read()).contains("one");
        server.say("s", "id: e-2\ndata: " + EndpointFixture.update("s", "two"));

        assertThat(read()).contains("two");
        assertThat(read()).contains("acp4j/after");
    }

    /** Lets the time pass after which a replay counts as over, once the answer waits for it. */
    private void passQuiet(FakeTime time) throws Exception {
        // A request that waits, too: so the one before it in its lane does not any more.
        server.replies = request -> request.what().equals("POST session/set_mode") ? Reply.status(0) : null;
        write(call(2, "session/set_mode", "s"));
        server.await("POST session/set_mode");
        // This request, the answer to the load, and who looks after the streams.
        time.awaitWaiters(3);
        time.advance(Duration.ofMillis(100));
    }

    @Test
    @Tag("DUR-31")
    void theAnswerToALoadWaitsForQuietWhereNoPlaceIsNamed() throws Exception {
        FakeTime time = new FakeTime();
        open(Http.to(server.uri()).time(time, () -> 0, () -> 0));
        initialize();
        write(call(1, "session/load", "s"));
        server.await("POST session/load");
        server.say("", answer(1, "{\"modes\":null}"));
        server.say("s", EndpointFixture.update("s", "one"));
        assertThat(read()).contains("one");
        server.say("s", EndpointFixture.update("s", "two"));
        assertThat(read()).contains("two");
        passQuiet(time);

        assertThat(read()).contains("modes");
    }

    @Test
    @Tag("DUR-31")
    void theAnswerToALoadOnTheStreamOfItsSessionDoesNotWait() throws Exception {
        open(Http.to(server.uri()).time(new FakeTime(), () -> 0, () -> 0));
        initialize();
        write(call(1, "session/load", "s"));
        server.await("POST session/load");
        server.say("s", EndpointFixture.update("s", "one"));
        server.say("s", answer(1, "{\"modes\":null}"));

        assertThat(read()).contains("one");
        assertThat(read()).contains("modes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"session/load", "session/resume"})
    @Tag("DUR-31")
    @Tag("HTC-20")
    void aServerThatDoesNotKnowASessionBeforeItIsOpenIsAskedWithoutStreamAndHeader(String method) throws Exception {
        AtomicBoolean isOpen = new AtomicBoolean();
        server.replies =
                request -> request.header("Acp-session-id").equals("s") && !isOpen.get() ? Reply.status(404) : null;
        FakeTime time = new FakeTime();
        open(Http.to(server.uri()).time(time, () -> 0, () -> 0));
        initialize();
        write(call(1, method, "s"));
        ScriptedServer.Request asked = server.await("POST " + method);
        isOpen.set(true);
        server.say("", answer(1, "{\"modes\":null}"));
        server.say("s", EndpointFixture.update("s", "one"));
        assertThat(read()).contains("one");
        passQuiet(time);

        assertThat(read()).contains("modes");
        assertThat(asked.header("Acp-session-id")).isEmpty();
        assertThat(server.requests()).containsOnlyOnce("POST initialize");
    }

    // ---- failures

    @Test
    @Tag("HTC-21")
    void aConnectionThatIsGoneIsNoticedWhileAStreamIsBeingOpened() throws Exception {
        open(Http.to(server.uri()).recovers(false));
        initialize();
        openSession("s");
        server.replies = request -> request.what().equals("GET t")
                ? Reply.status(0)
                : request.what().equals("POST session/prompt") ? Reply.status(404) : null;
        write(call(1, "session/load", "t"));
        server.await("GET t");
        write(call(2, "session/prompt", "s"));

        // The load was not sent at all.
        assertThat(List.of(read(), read()))
                .allMatch(answer -> answer.contains("404") && answer.contains("transport_failed"))
                .anyMatch(answer -> answer.contains("\"id\":1"))
                .anyMatch(answer -> answer.contains("\"id\":2"));
        assertThatThrownBy(this::read).hasMessageContaining("404");
    }

    @Test
    @Tag("HTC-23")
    void whoWritesToAConnectionThatHasEndedIsRefused() throws Exception {
        open(Http.to(server.uri()).recovers(false));
        initialize();
        server.replies = request -> request.method().equals("POST") ? Reply.status(410) : null;
        write(call(1, "session/list", ""));
        assertThat(read()).contains("410");
        assertThatThrownBy(this::read).hasMessageContaining("410");

        assertThatThrownBy(() -> write(call(2, "session/list", "")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has ended");
    }

    @Test
    @Tag("HTC-20")
    void theEndOfAConnectionIsAskedForTwiceIfTheWayIsCut() throws Exception {
        initialize();
        AtomicInteger asked = new AtomicInteger();
        server.replies =
                request -> request.method().equals("DELETE") && asked.incrementAndGet() == 1 ? Reply.LOST : null;
        transport.close();

        assertThat(server.await("DELETE", 2).header("Acp-connection-id")).isEqualTo("c-1");
    }

    @Test
    @Tag("HTC-20")
    void aConnectionWhoseStreamIsLostIsEndedAtTheServer() throws Exception {
        open(Http.to(server.uri()).recovers(false));
        initialize();
        server.await("GET");
        server.endStream("");

        assertThatThrownBy(this::read).hasMessageContaining("the stream of events has ended");
        assertThat(server.await("DELETE").header("Acp-connection-id")).isEqualTo("c-1");
    }

    @Test
    @Tag("HTC-30")
    void aStreamThatIsSilentForFiveOfTheServersIntervalsIsOpenedAgain() throws Exception {
        JumpingTime time = new JumpingTime();
        server.replies = request -> request.message().method().equals("initialize")
                ? Reply.initialized(RESUMABLE.replace("60}", "60,\"_meta\":{\"keepAliveSeconds\":2}}"))
                : null;
        open(Http.to(server.uri()).time(time, () -> 0, () -> 0));
        initialize();
        server.await("GET");
        server.say("", "id: e-1\ndata: " + call(5, "_x/ask", ""));
        assertThat(read()).contains("_x/ask");
        time.jump(Duration.ofSeconds(11));

        assertThat(server.await("GET", 2).header("Last-event-id")).isEqualTo("e-1");
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 410})
    @Tag("HTC-17")
    void aConnectionThatTheServerDoesNotAllowOrKnowEnds(int status) throws Exception {
        open(Http.to(server.uri()).recovers(false));
        initialize();
        server.replies = request -> request.method().equals("POST") ? Reply.status(status) : null;
        write(call(1, "session/list", ""));

        assertThat(read()).contains("\"status\":" + status);
        assertThatThrownBy(this::read).hasMessageContaining(Integer.toString(status));
    }

    @Test
    @Tag("HTC-17")
    @Tag("HTC-20")
    void aNotificationThatIsRefusedEndsTheConnectionAtTheServerToo() throws Exception {
        open(Http.to(server.uri()).recovers(false));
        initialize();
        server.replies = request -> request.method().equals("POST") ? Reply.status(413) : null;
        write("{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\",\"params\":{}}");

        assertThatThrownBy(this::read).hasMessageContaining("413");
        assertThat(server.await("DELETE").header("Acp-connection-id")).isEqualTo("c-1");
    }

    @Test
    @Tag("HTC-25")
    @Tag("HTS-44")
    void cookiesAndTheVersionAreSentWithAllRequestsAlsoAfterACut() throws Exception {
        server.replies = request -> request.message().method().equals("initialize")
                ? new Reply(
                        200,
                        Map.of("Acp-Connection-Id", "c-1", "Set-Cookie", "route=node-7; Path=/; HttpOnly"),
                        RESUMABLE)
                : null;
        initialize();
        assertThat(server.await("GET").header("Cookie")).isEqualTo("route=node-7");
        server.endStream("");
        assertThat(server.await("GET", 2).header("Cookie")).isEqualTo("route=node-7");
        write(call(1, "session/list", ""));

        assertThat(server.await("POST session/list").header("Cookie")).isEqualTo("route=node-7");
        assertThat(server.await("POST initialize").header("Acp-protocol-version"))
                .isEmpty();
        assertThat(server.await("GET").header("Acp-protocol-version")).isEqualTo("1");
        assertThat(server.await("GET", 2).header("Acp-protocol-version")).isEqualTo("1");
        assertThat(server.await("POST session/list").header("Acp-protocol-version"))
                .isEqualTo("1");
    }

    @Test
    @Tag("HTC-25")
    void cookiesThatAreForOthersOrOverAreNotSent() throws Exception {
        server.replies = request -> request.message().method().equals("initialize")
                ? new Reply(
                        200,
                        Map.of("Acp-Connection-Id", "c-1", "Set-Cookie", "route=node-7; Path=/"),
                        ScriptedServer.INITIALIZED)
                : null;
        initialize();
        List<String> others = List.of(
                "path=1; Path=/other",
                "old=1; Path=/; Max-Age=0",
                "tls=1; Path=/; Secure",
                "far=1; Domain=example.org");
        for (int i = 0; i < others.size(); i++) {
            Map<String, String> headers = Map.of("Set-Cookie", others.get(i));
            server.replies = request -> request.method().equals("POST") ? new Reply(202, headers, "") : null;
            write(call(i, "_x/" + i, ""));
            server.await("POST _x/" + i);
            server.say("", answer(i, "{}"));
            assertThat(read()).contains("\"id\":" + i);
        }
        write(call(9, "_x/last", ""));

        assertThat(server.await("POST _x/last").header("Cookie")).isEqualTo("route=node-7");
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 504, 429})
    @Tag("DUR-25")
    @Tag("DUR-26")
    void aStreamIsTriedAgainWithFreshHeadersWhileTheServerIsInTrouble(int status) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger streams = new AtomicInteger();
        server.replies = request -> {
            if (request.message().method().equals("initialize")) {
                return Reply.initialized(RESUMABLE);
            }
            return request.method().equals("GET") && streams.incrementAndGet() < 3 ? Reply.status(status) : null;
        };
        open(Http.to(server.uri())
                .headers(() -> Map.of("X-Attempt", Integer.toString(asked.incrementAndGet())))
                .time(Time.SYSTEM, System::currentTimeMillis, () -> 0));
        initialize();
        String last = server.await("GET", 3).header("X-attempt");

        assertThat(List.of(
                        server.await("GET", 1).header("X-attempt"),
                        server.await("GET", 2).header("X-attempt"),
                        last))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    @Tag("DUR-25")
    void aStreamThatIsNotAllowedIsTheEnd(int status) throws Exception {
        server.replies =
                request -> request.message().method().equals("initialize") ? Reply.initialized(RESUMABLE) : null;
        initialize();
        server.await("GET");
        server.replies = request -> request.method().equals("GET") ? Reply.status(status) : null;
        server.endStream("");

        assertThatThrownBy(this::read).hasMessageContaining(Integer.toString(status));
        assertThat(server.requests().stream().filter("GET"::equals)).hasSize(status == 401 ? 3 : 2);
        assertThat(server.requests().stream().filter("POST initialize"::equals)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 6})
    @Tag("HTC-18")
    void aStreamThatTheServerTakesForOpenStillIsAskedForAgainForAWhile(int conflicts) throws Exception {
        open(Http.to(server.uri()).time(Time.SYSTEM, System::currentTimeMillis, () -> 0));
        initialize();
        openSession("s");
        write(call(1, "session/close", "s"));
        server.await("POST session/close");
        server.say("", answer(1, "{}"));
        assertThat(read()).contains("\"id\":1");
        AtomicInteger asked = new AtomicInteger();
        server.replies = request ->
                request.what().equals("GET s") && asked.incrementAndGet() <= conflicts ? Reply.status(409) : null;
        write(call(2, "session/resume", "s"));
        if (conflicts <= 5) {
            server.await("POST session/resume");
            server.say("s", answer(2, "{}"));
        }

        assertThat(read()).contains(conflicts <= 5 ? "\"id\":2,\"result\"" : "answered 409");
        assertThat(server.all("POST initialize")).hasSize(1);
    }

    @Test
    @Tag("HTC-20")
    void aStreamThatIsOpenedWhenItsSessionHasBeenClosedIsEnded() throws Exception {
        initialize();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        server.replies = request -> {
            if (request.what().equals("GET s")) {
                asked.countDown();
                await(closed);
            }
            return null;
        };
        write(call(90, "session/new", ""));
        server.await("POST session/new");
        server.say("", answer(90, "{\"sessionId\":\"s\"}"));
        assertThat(read()).contains("\"s\"");
        asked.await();
        write(call(1, "session/close", "s"));
        server.await("POST session/close");
        server.say("", answer(1, "{}"));
        assertThat(read()).contains("\"id\":1");
        closed.countDown();
        server.awaitLeft("s");

        assertThat(server.requests()).doesNotContain("DELETE");
    }

    @Test
    @Tag("DUR-25")
    void theStreamOfASessionThatWasClosedIsNotOpenedAgain() throws Exception {
        server.replies =
                request -> request.message().method().equals("initialize") ? Reply.initialized(RESUMABLE) : null;
        open(Http.to(server.uri()).time(Time.SYSTEM, System::currentTimeMillis, () -> 0));
        initialize();
        openSession("s");
        write(call(1, "session/close", "s"));
        server.await("POST session/close");
        server.say("", answer(1, "{}"));
        assertThat(read()).contains("\"id\":1");
        server.endStream("s");
        write(call(2, "session/list", ""));
        server.await("POST session/list");
        server.say("", answer(2, "{\"sessions\":[]}"));
        assertThat(read()).contains("sessions");

        assertThat(server.all("GET s")).hasSize(1);
    }

    @Test
    @Tag("DUR-25")
    void aCertificateThatIsNotTrustedIsNotTriedAgain(@TempDir Path folder) throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        KeyStore other = Certificates.make(folder, "other");
        AtomicInteger connections = new AtomicInteger();
        try (SSLServerSocket listening = (SSLServerSocket) Certificates.trusting(keys, "server", keys)
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread unused = Thread.ofVirtual().start(() -> {
                while (true) {
                    try (SSLSocket socket = (SSLSocket) listening.accept()) {
                        connections.incrementAndGet();
                        socket.startHandshake();
                    } catch (SocketException e) {
                        return;
                    } catch (IOException e) {
                        // The client does not trust it, and another one may come.
                    }
                }
            });
            open(Http.to(URI.create("https://127.0.0.1:" + listening.getLocalPort()))
                    .ssl(Certificates.trusting(other, "other", null)));

            assertThat(initialize()).contains("TLS with 127.0.0.1");
            assertThatThrownBy(this::read).hasMessageContaining("TLS with 127.0.0.1");
            assertThat(connections).hasValue(1);
        }
    }

    @Test
    @Tag("DUR-24")
    void pausesGrowAndHaveARandomPart() {
        AtomicLong calls = new AtomicLong();
        Backoff full = new Backoff(() -> 1);
        Backoff random = new Backoff(() -> calls.incrementAndGet() % 2 == 0 ? 0.5 : 0.1);

        assertThat(List.of(full.nextNanos(0), full.nextNanos(0), full.nextNanos(0)))
                .containsExactly(250_000_000L, 500_000_000L, 1_000_000_000L);
        for (int i = 0; i < 20; i++) {
            assertThat(full.nextNanos(0)).isLessThanOrEqualTo(Backoff.LONGEST.toNanos());
        }
        assertThat(full.nextNanos(Duration.ofSeconds(60).toNanos()))
                .isEqualTo(Duration.ofSeconds(60).toNanos());
        full.reset();
        assertThat(full.nextNanos(0)).isEqualTo(250_000_000L);
        assertThat(random.nextNanos(0)).isEqualTo(25_000_000L);
        assertThat(random.nextNanos(0)).isEqualTo(250_000_000L);
    }
}
