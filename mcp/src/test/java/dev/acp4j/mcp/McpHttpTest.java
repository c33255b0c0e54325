package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ElicitationQuestion;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.testkit.FakeTime;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of sessions over HTTP on loopback. */
class McpHttpTest extends McpSession {
    private static final Message UNTIL_CLOSED = Message.notification("until/closed", RawJson.EMPTY_OBJECT);

    /** Ends a response without a result. */
    private static final Message BREAK = Message.notification("break", RawJson.EMPTY_OBJECT);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<String> cancellations = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Message> events = new LinkedBlockingQueue<>();
    private final Map<String, LinkedBlockingQueue<Message>> answers = new ConcurrentHashMap<>();
    private final Map<String, String> cut = new ConcurrentHashMap<>();
    private final LinkedBlockingQueue<String> subscribing = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> unsubscribed = new LinkedBlockingQueue<>();

    /** The names of all headers that came. */
    private final Set<String> headers = ConcurrentHashMap.newKeySet();

    /** How often an answer that is cut off is cut off again. */
    private final AtomicInteger moreCuts = new AtomicInteger();

    /** How often the stream that belongs to no request ends at once. */
    private final AtomicInteger shortStreams = new AtomicInteger();

    /** A method that gets no answer. */
    private volatile String unanswered = "none";

    private final LinkedBlockingQueue<String> held = new LinkedBlockingQueue<>();

    /** The calls that came, each before its answer. */
    private final LinkedBlockingQueue<String> calls = new LinkedBlockingQueue<>();

    /** Holds up the answers to subscriptions from the second session on. */
    private final CountDownLatch mayBegin = new CountDownLatch(1);

    private HttpServer http;
    private volatile String mode = "legacy";
    private volatile String progressToken = "";
    private final AtomicInteger sessions = new AtomicInteger();
    private ScriptedServer server = new ScriptedServer(List.of(), null, new Answers());

    @BeforeEach
    void serve() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(threads);
        http.createContext("/mcp", this::handle);
        http.createContext("/sse", this::stream);
        http.start();
    }

    @AfterEach
    void end() {
        closed.countDown();
        http.stop(0);
        threads.shutdownNow();
    }

    private String url(String path) {
        return "http://127.0.0.1:" + http.getAddress().getPort() + path;
    }

    private void begin(String... behaviour) {
        server = new ScriptedServer(List.of(behaviour), log("web"), new Answers());
    }

    /** What the scripted server says: answers go to the POST that waits for them, everything else to the stream. */
    private final class Answers implements Transport.Writer {
        @Override
        public void write(Message message) {
            boolean isAnswer = message.kind() == Message.Kind.RESULT || message.kind() == Message.Kind.ERROR;
            if (isAnswer) {
                waiting(String.valueOf(message.id())).add(message);
            } else {
                String token = Members.of(message.params()).text("progressToken");
                if (token != null) {
                    progressToken = token;
                }
                boolean isOfCall = token != null
                        || message.method().equals("notifications/message")
                        || message.method().equals("notifications/elicitation/complete");
                LinkedBlockingQueue<Message> call = isOfCall ? answers.get("token") : null;
                (call == null ? events : call).add(message);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private LinkedBlockingQueue<Message> waiting(String id) {
        return answers.computeIfAbsent(id, key -> new LinkedBlockingQueue<>());
    }

    private static String header(HttpExchange exchange, String name) {
        return Objects.toString(exchange.getRequestHeaders().getFirst(name), "-");
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Message message =
                    Message.parse(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            if (message.method().equals("notifications/cancelled")) {
                cancellations.add("POST " + message.method());
            }
            if (message.method().equals("resources/subscribe") && sessions.get() > 1) {
                subscribing.add(header(exchange, "Mcp-Session-Id"));
                mayBegin.await();
            } else if (message.method().equals("resources/unsubscribe")) {
                unsubscribed.add(header(exchange, "Mcp-Session-Id"));
            }
            headers.addAll(exchange.getRequestHeaders().keySet());
            requests.add(exchange.getRequestMethod() + " " + message.method() + " version="
                    + header(exchange, "MCP-Protocol-Version") + " session=" + header(exchange, "Mcp-Session-Id")
                    + " method=" + header(exchange, "Mcp-Method") + " name=" + header(exchange, "Mcp-Name")
                    + " zone=" + header(exchange, "Mcp-Param-Zone")
                    + " last=" + header(exchange, "Last-Event-ID") + " team=" + header(exchange, "X-Team"));
            if (exchange.getRequestMethod().equals("GET")) {
                stream(exchange);
            } else if (exchange.getRequestMethod().equals("DELETE")) {
                exchange.sendResponseHeaders(200, -1);
            } else if (unanswered.equals(message.method())) {
                held.add(message.method());
                closed.await();
            } else {
                post(exchange, message);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void post(HttpExchange exchange, Message message) throws IOException, InterruptedException {
        boolean isLegacy = mode.equals("legacy");
        String session = header(exchange, "Mcp-Session-Id");
        if (mode.equals("closed")) {
            exchange.getResponseHeaders().add("WWW-Authenticate", "Bearer realm=\"x\"");
            exchange.sendResponseHeaders(401, -1);
        } else if (mode.equals("forbidden")) {
            exchange.sendResponseHeaders(403, -1);
        } else if (mode.equals("moved")) {
            exchange.getResponseHeaders().add("Location", "http://localhost:1/elsewhere");
            exchange.sendResponseHeaders(307, -1);
        } else if (mode.equals("down")) {
            exchange.sendResponseHeaders(503, -1);
        } else if (mode.equals("silent")) {
            closed.await();
        } else if (isLegacy && session.equals("-") && !message.method().equals("initialize")) {
            json(
                    exchange,
                    400,
                    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"no session\"}}");
        } else if (isLegacy && !session.equals("-") && !session.equals("s" + sessions.get())) {
            exchange.sendResponseHeaders(404, -1);
        } else if (message.kind() == Message.Kind.REQUEST && !mode.equals("2024")) {
            request(exchange, message, isLegacy);
        } else {
            server.take(message);
            exchange.sendResponseHeaders(202, -1);
        }
    }

    private void request(HttpExchange exchange, Message message, boolean isLegacy)
            throws IOException, InterruptedException {
        String id = String.valueOf(message.id());
        LinkedBlockingQueue<Message> answer = waiting(id);
        boolean isCall = message.method().equals("tools/call");
        if (isCall
                && mode.equals("modern")
                && header(exchange, "Mcp-Param-Region").equals("there")) {
            json(
                    exchange,
                    400,
                    "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":-32020,\"message\":\"no zone\"}}");
            return;
        }
        if (isCall) {
            // Nothing else has progress: a request for the stream of changes may come at any time.
            answers.put("token", answer);
            calls.add(id);
        }
        if (isLegacy && message.method().equals("initialize")) {
            exchange.getResponseHeaders().add("Mcp-Session-Id", "s" + sessions.incrementAndGet());
        }
        server.take(message);
        if (isCall && isLegacy && Members.of(message.params()).text("name", "").equals("content")) {
            // The answer is cut off, and can be had by the id of the event that came last.
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            cut.put("event-" + id, id);
            exchange.getResponseBody()
                    .write(("retry: 10\nid: event-" + id + "\ndata: \n\n").getBytes(StandardCharsets.UTF_8));
        } else if (isCall || message.method().equals("subscriptions/listen")) {
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            LinkedBlockingQueue<Message> from = isCall ? answer : events;
            try {
                write(exchange.getResponseBody(), from, id);
            } catch (IOException e) {
                closed.countDown();
            }
        } else {
            json(exchange, 200, answer.take().raw().toString());
        }
    }

    private static void write(OutputStream out, LinkedBlockingQueue<Message> from, String id)
            throws IOException, InterruptedException {
        out.write(": a comment\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        Message next;
        do {
            next = from.take();
            if (next.equals(BREAK)) {
                return;
            }
            while (next.equals(UNTIL_CLOSED)) {
                // Nothing else shows a server that the other side has closed: it writes until that fails.
                out.write(": still here\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            out.write(("event: message\r\ndata: " + next.raw() + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } while (next.kind() == Message.Kind.NOTIFICATION
                || next.kind() == Message.Kind.REQUEST
                || !String.valueOf(next.id()).equals(id));
    }

    private static void json(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** The stream that belongs to no request; in the transport of 2024, the one for everything. */
    private void stream(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            if (mode.startsWith("http") || mode.equals("2024")) {
                String target = mode.equals("2024") ? "/mcp" : mode;
                out.write(("event: endpoint\ndata: " + target + "\n\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            String id = cut.get(header(exchange, "Last-Event-ID"));
            if (id != null && moreCuts.getAndDecrement() > 0) {
                out.write(("id: event-" + id + "\n\n").getBytes(StandardCharsets.UTF_8));
                return;
            } else if (id == null && shortStreams.getAndDecrement() > 0) {
                out.write("retry: 1\n\n".getBytes(StandardCharsets.UTF_8));
                return;
            }
            write(out, id == null ? events : waiting(id), Objects.toString(id, "none"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private McpServer.Http web() {
        return McpServer.Http.of("web", url("/mcp"), List.of(HttpHeader.of("X-Team", "kanarienvogel-4711")));
    }

    private Session open() throws Exception {
        return connect(McpServers.builder().http().patience(Duration.ofSeconds(50)))
                .newSession(with(web()));
    }

    @Tag("MCX-01")
    @Tag("MCX-21")
    @Tag("MCX-24")
    @Test
    void aServerWithSessionsIsGreetedAndItsSessionIdAndTheDeclaredHeadersAreInEachRequest() throws Exception {
        begin();
        Session session = open();

        assertThat(say(session, "servers")).contains("web (READY) 2025-06-18");
        assertThat(say(session, "call web__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");
        assertThat(say(session, "call web__content")).isEqualTo("one");
        session.close();

        assertThat(requests.getFirst()).startsWith("POST server/discover version=2026-07-28 session=-");
        assertThat(requests).anyMatch(line -> line.startsWith("POST initialize version=- session=-"));
        assertThat(requests).anyMatch(line -> line.startsWith("POST tools/call version=2025-06-18 session=s1"));
        assertThat(requests).anyMatch(line -> line.startsWith("GET "));
        assertThat(requests.getLast()).startsWith("DELETE ").contains("session=s1");
        // Some servers give no answer to a request that would upgrade its connection.
        assertThat(headers).contains("Content-type").doesNotContain("Upgrade", "Http2-settings");
        assertThat(requests).allMatch(line -> line.endsWith("team=kanarienvogel-4711"));
    }

    @Tag("MCX-24")
    @Tag("MCX-25")
    @Test
    void aServerOfTheModernRevisionGetsVersionMethodAndNameInHeadersAndNoHandshake() throws Exception {
        mode = "modern";
        begin("modern");
        Session session = open();

        assertThat(say(session, "servers")).contains("web (READY) 2026-07-28");
        assertThat(say(session, "call web__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");

        assertThat(requests).noneMatch(line -> line.contains("initialize") || line.startsWith("GET"));
        assertThat(requests)
                .anyMatch(
                        line -> line.startsWith(
                                "POST tools/call version=2026-07-28 session=- method=tools/call name=echo zone=- last=- team="));
    }

    @Tag("MCX-25")
    @Test
    void aCallWhoseHeadersAreWrongIsRepeatedOnceWithThoseOfTheToolAsItIsNow() throws Exception {
        mode = "modern";
        begin("modern", "regional");
        Session session = open();

        assertThat(say(session, "tools")).contains("web__place").doesNotContain("web__misplace");
        assertThat(say(session, "call web__place {\"where\":\"there\"}")).isEqualTo("place");
        assertThat(say(session, "call web__place {\"where\":\"Zürich\"}")).isEqualTo("place");

        assertThat(requests.stream().filter(line -> line.startsWith("POST tools/")))
                .satisfiesExactly(
                        list -> assertThat(list).startsWith("POST tools/list"),
                        call -> assertThat(call).contains("tools/call", "zone=- "),
                        list -> assertThat(list).startsWith("POST tools/list"),
                        call -> assertThat(call).contains("tools/call", "zone=there "),
                        call -> assertThat(call).contains("tools/call", "zone==?base64?WsO8cmljaA==?= "));
        assertThat(session.view().notices())
                .singleElement()
                .satisfies(notice -> assertThat(notice.description()).contains("misplace"));
    }

    @Tag("MCX-33")
    @Test
    void aRelayedCallOfAToolThatIsNotListedIsPassedOnAndTheListIsAskedForOnce() throws Exception {
        mode = "modern";
        begin("modern", "unlistable");
        RelayedServer relayed = new RelayedServer(web(), null);
        closing(relayed::close);
        Members call = Members.of(ScriptedServer.json("{'name':'echo','arguments':{'text':'hello'},'_meta':{'"
                + Face.VERSION + "':'" + Link.MODERN + "','" + Face.CAPABILITIES + "':{}}}"));

        for (int i = 0; i < 2; i++) {
            assertThat(relayed.answer("tools/call", call, (method, about) -> {}).toString())
                    .contains("echo: hello");
        }

        assertThat(requests.stream().filter(line -> line.startsWith("POST tools/")))
                .satisfiesExactly(
                        list -> assertThat(list).startsWith("POST tools/list"),
                        one -> assertThat(one).startsWith("POST tools/call"),
                        two -> assertThat(two).startsWith("POST tools/call"));
    }

    @Tag("MCX-25")
    @Tag("MCX-33")
    @Test
    void aRelayedCallHasTheHeadersThatTheToolWants() throws Exception {
        mode = "modern";
        begin("modern", "regional");
        McpBridge bridge = closing(new McpBridge());
        Session session = connect(
                        McpServers.builder().patience(Duration.ofSeconds(50)).asks(tool -> false),
                        client.builder(),
                        transport -> bridge.relay().then(bridge.proxy()).before(transport))
                .newSession(with(web()));

        assertThat(say(session, "call web__place {\"where\":\"there\"}")).isEqualTo("place");
        assertThat(say(session, "call web__place {\"where\":\"Zürich\"}")).isEqualTo("place");

        assertThat(requests.stream().filter(line -> line.startsWith("POST tools/call")))
                .satisfiesExactly(
                        refused -> assertThat(refused).contains("zone=- "),
                        call -> assertThat(call).contains("zone=there "),
                        call -> assertThat(call).contains("zone==?base64?WsO8cmljaA==?= "));
    }

    /** Connects an agent without HTTP, to which the server is relayed over ACP or by a program. */
    private ConnectedAgent relayed(String way, McpServers.Builder mcp, Client.Builder with) throws Exception {
        McpBridge bridge = closing(new McpBridge());
        if (way.equals("acp")) {
            mcp.acp();
        }
        return connect(
                mcp.patience(Duration.ofSeconds(50)),
                with,
                transport -> bridge.relay().then(bridge.proxy()).before(transport));
    }

    @Tag("MCX-33")
    @ParameterizedTest
    @CsvSource({"legacy,acp", "legacy,program", "modern,acp", "modern,program"})
    void aQuestionOfARelayedServerIsAskedAndAnswered(String era, String way) throws Exception {
        mode = era;
        begin(era);
        client.fill(Map.of("account", ElicitationContentValue.of("main")));
        Session session = relayed(way, McpServers.builder(), client.builder()).newSession(with(web()));

        assertThat(say(session, "call web__ask")).startsWith("accept {\"account\":\"main\"}");
        assertThat(say(session, "call web__ask")).startsWith("decline null");
        assertThat(say(session, "call web__ask {\"url\":true}")).startsWith("decline null");
        assertThat(client.elicitations())
                .hasSize(3)
                .allSatisfy(question -> assertThat(question.request().toString())
                        .contains(session.id().value(), "web: "));
    }

    @Tag("MCX-20")
    @Tag("MCX-33")
    @ParameterizedTest
    @CsvSource({"legacy,acp", "legacy,program", "modern,acp", "modern,program"})
    void logMessagesOfARelayedServerReachTheAgentAtItsLevelAndWithoutTheSecretsOfTheHeaders(String era, String way)
            throws Exception {
        mode = era;
        begin(era);
        LinkedBlockingQueue<String> logged = new LinkedBlockingQueue<>();
        McpServers.Builder mcp = McpServers.builder()
                .asks(tool -> false)
                .onLog(LogMessage.Level.WARNING, (of, message) -> logged.add(message.level() + " " + message.text()));
        Session session = relayed(way, mcp, client.builder()).newSession(with(web()));

        assertThat(say(session, "call web__log")).isEqualTo("logged");

        assertThat(logged.take()).startsWith("WARNING nearly full, ").doesNotContain("kanarienvogel");
        assertThat(logged.take()).startsWith("ERROR ").contains("\"full\":true").doesNotContain("12345678");
        assertThat(logged.take()).startsWith("EMERGENCY ");
        assertThat(logged).isEmpty();
    }

    @Tag("MCX-18")
    @ParameterizedTest
    @CsvSource({
        "legacy,http", "legacy,acp", "legacy,program",
        "modern,http", "modern,acp", "modern,program"
    })
    void thatAPageIsCompletedReachesTheClient(String era, String way) throws Exception {
        mode = era;
        begin(era);
        LinkedBlockingQueue<String> completed = new LinkedBlockingQueue<>();
        Client.Builder visitor = Client.builder("visitor", "1").onElicitation(new Client.ElicitationHandler() {
            @Override
            public CreateElicitationResponse elicit(ElicitationQuestion page) {
                return CreateElicitationResponse.accept(Map.of());
            }

            @Override
            public void completed(ConnectedAgent agent, ElicitationId elicitation) {
                completed.add(elicitation.value());
            }
        });
        McpServers.Builder mcp = McpServers.builder().asks(tool -> false).patience(Duration.ofSeconds(50));
        ConnectedAgent agent = way.equals("http") ? connect(mcp.http(), visitor) : relayed(way, mcp, visitor);

        assertThat(say(agent.newSession(with(web())), "call web__ask {\"url\":true}"))
                .startsWith("accept ");

        assertThat(completed.take()).isEqualTo("e1");
    }

    @Tag("MCX-33")
    @ParameterizedTest
    @CsvSource({"legacy,acp", "legacy,program", "modern,acp", "modern,program"})
    void aRelayedServerIsOfferedToAskOnlyIfTheClientCanBeAsked(String era, String way) throws Exception {
        mode = era;
        begin(era);
        Session session = relayed(way, McpServers.builder().asks(tool -> false), Client.builder("plain", "1"))
                .newSession(with(web()));

        String told = say(session, era.equals("legacy") ? "call web__capabilities" : "call web__meta");

        assertThat(told).contains("\"roots\"").doesNotContain("elicitation");
    }

    @Tag("MCX-33")
    @Tag("MCX-15")
    @ParameterizedTest
    @CsvSource({"legacy,acp", "legacy,program", "modern,acp", "modern,program"})
    void changesOfARelayedServerReachTheAgent(String era, String way) throws Exception {
        mode = era;
        begin(era);
        LinkedBlockingQueue<ConnectedServer> changes = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> updates = new LinkedBlockingQueue<>();
        Session session = relayed(
                        way, McpServers.builder().asks(tool -> false).onChange(changes::add), client.builder())
                .newSession(with(web()));
        ConnectedServer connected = changes.take();

        assertThat(say(session, "call web__change")).isEqualTo("changed");
        assertThat(changes.take()).isSameAs(connected);
        assertThat(say(session, "tools")).contains("web__later");

        try (var subscription = connected.subscribe("memo://1", updates::add)) {
            assertThat(subscription).isNotNull();
            assertThat(say(session, "call web__touch")).isEqualTo("touched");
            assertThat(updates.take()).isEqualTo("memo://1/part");
        }
    }

    @Tag("MCX-15")
    @Test
    void anUpdateBeforeASubscriptionIsAcknowledgedComesAfterThat() throws Exception {
        begin();
        RelayedServer relayed = new RelayedServer(web(), null);
        closing(relayed::close);
        String meta = "'_meta':{'" + Face.VERSION + "':'" + Link.MODERN + "','" + Face.CAPABILITIES + "':{}}}";
        Members wanted =
                Members.of(ScriptedServer.json("{'notifications':{'resourceSubscriptions':['memo://1']}," + meta));
        Members touch = Members.of(ScriptedServer.json("{'name':'touch','arguments':{}," + meta));
        LinkedBlockingQueue<String> first = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> second = new LinkedBlockingQueue<>();

        threads.execute(() -> listen(relayed, wanted, (method, about) -> first.add(method)));
        assertThat(first.take()).endsWith("acknowledged");
        threads.execute(() -> listen(relayed, wanted, (method, about) -> {
            if (method.endsWith("acknowledged")) {
                RawJson unused = relayed.answer("tools/call", touch, (noticed, of) -> {});
                second.add(first.take());
            }
            second.add(method);
        }));

        assertThat(second.take()).endsWith("updated");
        assertThat(second.take()).endsWith("acknowledged");
        assertThat(second.take()).endsWith("updated");
    }

    @Tag("MCX-08")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSubscriptionGoesOnAtTheNextConnectionAndEndsThereAlsoIfItWasOverBefore(boolean isOver) throws Exception {
        begin();
        RelayedServer relayed = new RelayedServer(web(), null);
        closing(relayed::close);
        String meta = "'_meta':{'" + Face.VERSION + "':'" + Link.MODERN + "','" + Face.CAPABILITIES + "':{}}}";
        Members wanted =
                Members.of(ScriptedServer.json("{'notifications':{'resourceSubscriptions':['memo://1']}," + meta));
        Members echo = Members.of(ScriptedServer.json("{'name':'echo','arguments':{'text':'a'}," + meta));
        LinkedBlockingQueue<String> reported = new LinkedBlockingQueue<>();
        Thread listening = new Thread(() -> listen(relayed, wanted, (method, about) -> reported.add(method)));
        listening.start();
        assertThat(reported.take()).endsWith("acknowledged");

        // The server has lost its session, which the first request finds out.
        sessions.incrementAndGet();
        assertThatThrownBy(() -> relayed.answer("tools/call", echo, (method, about) -> {}));
        Future<RawJson> again = threads.submit(() -> relayed.answer("tools/call", echo, (method, about) -> {}));
        assertThat(subscribing.take()).isEqualTo("s3");
        if (isOver) {
            listening.interrupt();
            listening.join();
        }
        mayBegin.countDown();

        assertThat(again.get().toString()).contains("echo: a");
        if (!isOver) {
            assertThat(reported.take()).endsWith("updated");
            listening.interrupt();
        }
        assertThat(unsubscribed.take()).isEqualTo("s3");
    }

    private static void listen(RelayedServer relayed, Members wanted, Face.Notices notices) {
        try {
            RawJson unused = relayed.answer("subscriptions/listen", wanted, notices);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Tag("MCX-15")
    @Test
    void aClientWithAHandshakeHasABoundOfSubscriptions() throws Exception {
        begin();
        LinkedBlockingQueue<ConnectedServer> changes = new LinkedBlockingQueue<>();
        Session session = relayed(
                        "program", McpServers.builder().asks(tool -> false).onChange(changes::add), client.builder())
                .newSession(with(web()));
        ConnectedServer connected = changes.take();

        for (int i = 1; i <= 32; i++) {
            var unused = connected.subscribe("note://" + i, uri -> {});
        }

        assertThatThrownBy(() -> connected.subscribe("note://33", uri -> {}))
                .hasMessageContaining("more than 32 subscriptions at once");
        assertThat(say(session, "call web__echo {\"text\":\"a\"}")).isEqualTo("echo: a");
    }

    @Tag("MCX-33")
    @ParameterizedTest
    @CsvSource({"legacy,acp", "legacy,program", "modern,acp", "modern,program"})
    void progressOfARelayedCallIsShownAndCancellingEndsIt(String era, String way) throws Exception {
        mode = era;
        begin(era);
        CountDownLatch shown = new CountDownLatch(1);
        Session session = relayed(
                        way,
                        McpServers.builder().asks(tool -> false),
                        client.builder().onEvent((of, event) -> {
                            if (event instanceof SessionEvent.ToolCallChanged changed
                                    && changed.call().content().toString().contains("3 of 10")) {
                                shown.countDown();
                            }
                        }))
                .newSession(with(web()));

        Turn turn = session.prompt("call web__slow");
        shown.await();
        if (era.equals("modern")) {
            Objects.requireNonNull(answers.get("token")).add(UNTIL_CLOSED);
        }
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        if (era.equals("modern")) {
            closed.await();
        } else {
            String told = cancellations.take();
            assertThat(told).startsWith("POST notifications/cancelled");
        }
    }

    @Tag("MCX-18")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void aQuestionOverHttpIsAskedAndAnswered(String era) throws Exception {
        mode = era;
        begin(era);
        client.fill(Map.of("account", ElicitationContentValue.of("main")));
        Session session = open();

        assertThat(say(session, "call web__ask")).startsWith("accept {\"account\":\"main\"}");
    }

    @Tag("MCX-17")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void aChangeOfTheToolsIsNoticedOverHttp(String era) throws Exception {
        mode = era;
        begin(era);
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        Session session = connect(McpServers.builder().http().onChange(server -> changes.add(server.name())))
                .newSession(with(web()));
        assertThat(changes.take()).isEqualTo("web");

        assertThat(say(session, "call web__change")).isEqualTo("changed");

        assertThat(changes.take()).isEqualTo("web");
        assertThat(say(session, "tools")).contains("web__later");
    }

    @Tag("MCX-11")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void cancellingEndsACallByTheMeansOfItsEra(String era) throws Exception {
        mode = era;
        begin(era);
        CountDownLatch shown = new CountDownLatch(1);
        ConnectedAgent agent = connect(
                McpServers.builder().http().patience(Duration.ofSeconds(50)),
                client.builder().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.ToolCallChanged changed
                            && changed.call().status().equals(ToolCallStatus.IN_PROGRESS)
                            && !changed.call().content().isEmpty()) {
                        shown.countDown();
                    }
                }));
        Session session = agent.newSession(with(web()));

        Turn turn = session.prompt("call web__slow");
        shown.await();
        if (era.equals("modern")) {
            Objects.requireNonNull(answers.get("token")).add(UNTIL_CLOSED);
        }
        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(say(session, "call web__echo {\"text\":\"next\"}")).isEqualTo("echo: next");
        if (era.equals("modern")) {
            closed.await();
        }
        boolean isTold = requests.stream().anyMatch(line -> line.startsWith("POST notifications/cancelled"));
        assertThat(isTold).isEqualTo(era.equals("legacy"));
    }

    @Tag("MCX-10")
    @Test
    void eachProgressBeginsTheTimeOfACallAnew() throws Exception {
        assertThat(slowCall(Duration.ofMinutes(30), 3, 121)).contains("did not answer in time");
    }

    @Tag("MCX-10")
    @Test
    void aCallEndsAtItsMaximumAlthoughItReportsProgress() throws Exception {
        assertThat(slowCall(Duration.ofMinutes(5), 2, 101)).contains("did not answer in time");
    }

    @Tag("MCX-10")
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    void aCallIsNotLateWhileItsServerWaitsForTheUser(String era) throws Exception {
        mode = era;
        begin(era);
        FakeTime time = new FakeTime();
        Client.ElicitationHandler user = question -> {
            time.advance(Duration.ofMinutes(20));
            return CreateElicitationResponse.Decline.of();
        };
        ConnectedAgent agent = connect(
                McpServers.builder()
                        .http()
                        .time(time)
                        .asks(tool -> false)
                        .callTime(Duration.ofMinutes(2), Duration.ofMinutes(30)),
                Client.builder("slow", "1").onElicitation(user));

        assertThat(say(agent.newSession(with(web())), "call web__ask")).startsWith("decline null");
    }

    @Tag("MCX-10")
    @Test
    void aQuestionThatNobodyAnswersIsWaitedForAsLongAsACallMayTake() throws Exception {
        mode = "legacy";
        begin("legacy");
        FakeTime time = new FakeTime();
        CountDownLatch over = new CountDownLatch(1);
        Client.ElicitationHandler user = question -> {
            time.advance(Duration.ofMinutes(33));
            over.await();
            return CreateElicitationResponse.Decline.of();
        };
        ConnectedAgent agent = connect(
                McpServers.builder()
                        .http()
                        .time(time)
                        .asks(tool -> false)
                        .callTime(Duration.ofMinutes(2), Duration.ofMinutes(30)),
                Client.builder("absent", "1").onElicitation(user));

        assertThat(say(agent.newSession(with(web())), "call web__ask")).contains("did not answer in time");
        over.countDown();
    }

    @Tag("MCX-10")
    @Test
    void aServerThatAsksBeforeItIsConnectedAndIsNotAnsweredFailsInTime() throws Exception {
        String inquisitive = """
                read -r line
                echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{}}}'
                sleep 300
                """;
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        ConnectedAgent agent = connect(
                McpServers.builder().startTime(Duration.ofSeconds(2)),
                Client.builder("absent", "1").onElicitation(question -> {
                    asked.countDown();
                    over.await();
                    return CreateElicitationResponse.Decline.of();
                }));
        Session session =
                agent.newSession(with(McpServer.Stdio.of("early", "sh", List.of("-c", inquisitive), List.of())));
        asked.await();

        assertThat(say(session, "servers")).contains("no answer to initialize within");
        over.countDown();
    }

    /** Reports progress every 100 seconds, where a silence of two minutes ends a call, and then is silent. */
    private String slowCall(Duration maximum, int reports, int silence) throws Exception {
        begin();
        FakeTime time = new FakeTime();
        LinkedBlockingQueue<String> shown = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(
                McpServers.builder().http().time(time).callTime(Duration.ofMinutes(2), maximum),
                client.builder().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.ToolCallChanged changed
                            && !changed.call().content().isEmpty()) {
                        shown.add(changed.call().content().toString());
                    }
                }));
        Turn turn = agent.newSession(with(web())).prompt("call web__slow");
        assertThat(shown.take()).contains("3 of 10");
        for (int done = 4; done < 4 + reports; done++) {
            time.advance(Duration.ofSeconds(100));
            report(done);
            assertThat(shown.take()).contains(done + " of 10");
        }
        time.advance(Duration.ofSeconds(silence));
        return turn.text();
    }

    private void report(int done) {
        new Answers()
                .write(Message.notification(
                        "notifications/progress",
                        ScriptedServer.json(
                                "{'progressToken':'" + progressToken + "','progress':" + done + ",'total':10}")));
    }

    @Tag("MCX-12")
    @Test
    void progressThatComesTooFastIsNotShown() throws Exception {
        begin();
        LinkedBlockingQueue<String> shown = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(
                McpServers.builder().http().time(new FakeTime()),
                client.builder().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.ToolCallChanged changed
                            && !changed.call().content().isEmpty()) {
                        shown.add(changed.call().content().toString());
                    }
                }));
        Session session = agent.newSession(with(web()));

        assertThat(say(session, "call web__busy")).isEqualTo("done");

        assertThat(shown)
                .satisfiesExactly(
                        first -> assertThat(first).contains("1 of 20"),
                        last -> assertThat(last).contains("done"));
    }

    @Tag("MCX-21")
    @Test
    void anAnswerThatIsCutOffIsContinuedAfterItsLastEventHoweverOften() throws Exception {
        begin();
        moreCuts.set(6);
        Session session = open();

        assertThat(say(session, "call web__content")).isEqualTo("one");

        assertThat(requests).anyMatch(line -> line.startsWith("GET ") && line.contains(" last=event-"));
        assertThat(requests.stream().filter(line -> line.startsWith("POST tools/call")))
                .hasSize(1);
    }

    @Tag("MCX-21")
    @Test
    void theStreamOfWhatBelongsToNoRequestIsOpenedAgainHoweverOften() throws Exception {
        begin();
        shortStreams.set(7);
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        Session session = connect(McpServers.builder().http().onChange(server -> changes.add(server.name())))
                .newSession(with(web()));
        assertThat(changes.take()).isEqualTo("web");

        assertThat(say(session, "call web__change")).isEqualTo("changed");

        assertThat(changes.take()).isEqualTo("web");
        assertThat(requests.stream().filter(line -> line.startsWith("GET "))).hasSize(8);
    }

    @Tag("MCX-08")
    @Test
    void aSubscriptionWhoseStreamBreaksIsBegunAgainAndWhatItIsForCountsAsChanged() throws Exception {
        mode = "modern";
        begin("modern");
        LinkedBlockingQueue<ConnectedServer> changes = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> updates = new LinkedBlockingQueue<>();
        Session session = connect(McpServers.builder()
                        .http()
                        .asks(tool -> false)
                        .patience(Duration.ofSeconds(50))
                        .onChange(changes::add))
                .newSession(with(web()));
        ConnectedServer server = changes.take();

        events.add(BREAK);
        assertThat(changes.take()).isSameAs(server);
        var subscription = closing(server.subscribe("memo://1", updates::add));
        events.addAll(List.of(BREAK, BREAK));
        assertThat(changes.take()).isSameAs(server);
        assertThat(updates.take()).isEqualTo("memo://1");

        assertThat(subscription).isNotNull();
        assertThat(say(session, "call web__touch")).isEqualTo("touched");
        assertThat(updates.take()).isEqualTo("memo://1/part");
    }

    @Tag("MCX-11")
    @Test
    void aServerThatDoesNotTakeACancellationHoldsUpNoOtherCall() throws Exception {
        begin();
        unanswered = "notifications/cancelled";
        CountDownLatch shown = new CountDownLatch(1);
        ConnectedAgent agent = connect(
                McpServers.builder().http().patience(Duration.ofSeconds(50)),
                client.builder().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.ToolCallChanged changed
                            && !changed.call().content().isEmpty()) {
                        shown.countDown();
                    }
                }));
        Session session = agent.newSession(with(web()));

        Turn turn = session.prompt("call web__slow");
        shown.await();
        turn.cancel();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);

        assertThat(cancellations.take()).isNotEmpty();
        assertThat(say(session, "call web__echo {\"text\":\"next\"}")).isEqualTo("echo: next");
        assertThat(sessions).hasValue(1);
    }

    private static Members relayedCall(String tool, String level) {
        return Members.of(ScriptedServer.json("{'name':'" + tool + "','arguments':{'text':'a'},'_meta':{'"
                + Face.VERSION
                + "':'" + Link.MODERN + "','" + Face.CAPABILITIES + "':{},'" + RunningHandler.LOG_LEVEL + "':'" + level
                + "'}}"));
    }

    @Tag("MCX-20")
    @Tag("MCX-33")
    @Test
    void aRelayedServerIsAskedForTheMostTalkativeLevelOnlyAndEachRequestGetsItsOwn() throws Exception {
        begin();
        RelayedServer relayed = new RelayedServer(web(), null);
        closing(relayed::close);
        List<String> levels = new CopyOnWriteArrayList<>();
        Face.Notices notices = (method, about) -> levels.add(Members.of(about).text("level", ""));

        for (String level : List.of("info", "warning", "info")) {
            RawJson unused = relayed.answer("tools/call", relayedCall("log", level), notices);
            levels.add("-");
        }

        assertThat(requests.stream().filter(line -> line.startsWith("POST logging/setLevel")))
                .hasSize(1);
        assertThat(levels)
                .containsExactly(
                        "info",
                        "warning",
                        "error",
                        "emergency",
                        "-",
                        "warning",
                        "error",
                        "emergency",
                        "-",
                        "info",
                        "warning",
                        "error",
                        "emergency",
                        "-");
    }

    @Tag("MCX-20")
    @Test
    // The level is waited for no longer than a second, a call for minutes.
    @Timeout(30)
    void aRelayedServerThatIgnoresTheLevelOfLogMessagesAnswersItsCalls() throws Exception {
        begin();
        unanswered = "logging/setLevel";
        RelayedServer relayed = new RelayedServer(web(), null);
        closing(relayed::close);

        for (int i = 0; i < 2; i++) {
            assertThat(relayed.answer("tools/call", relayedCall("echo", "debug"), (method, about) -> {})
                            .toString())
                    .contains("echo: a");
        }

        assertThat(requests.stream().filter(line -> line.startsWith("POST logging/setLevel")))
                .hasSize(1);
    }

    @Tag("MCX-25")
    @Tag("MCX-33")
    @Test
    void aToolWhoseMarkCannotBeAHeaderIsNotRelayed() throws Exception {
        mode = "modern";
        begin("modern", "regional");
        RelayedServer relayed = new RelayedServer(web(), null);
        closing(relayed::close);

        assertThat(relayed.answer("tools/list", relayedCall("", "debug"), (method, about) -> {})
                        .toString())
                .contains("\"place\"")
                .doesNotContain("misplace");
        assertThat(relayed.answer("tools/call", relayedCall("misplace", "debug"), (method, about) -> {})
                        .toString())
                .contains("misplace");
    }

    @Tag("MCX-04")
    @Tag("MCX-17")
    @Test
    // A second is waited.
    @Timeout(9)
    void aServerThatReportsChangesLateIsReadyBeforeAndIsListedAgainThen() throws Exception {
        mode = "modern";
        begin("modern", "unacknowledged");
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        Session session = connect(McpServers.builder()
                        .http()
                        .patience(Duration.ofSeconds(50))
                        .onChange(server -> changes.add(server.name())))
                .newSession(with(web()));
        assertThat(changes.take()).isEqualTo("web");

        assertThat(say(session, "call web__change")).isEqualTo("changed");

        assertThat(changes.take()).isEqualTo("web");
        assertThat(say(session, "tools")).contains("web__later");
    }

    @Tag("MCX-17")
    @Test
    void aChangeOfTheToolsIsNotLostWhenListingThemFailsOrIsCancelled() throws Exception {
        begin("forgetful");
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        Session session = connect(McpServers.builder()
                        .http()
                        .patience(Duration.ofSeconds(50))
                        .onChange(server -> changes.add(server.name())))
                .newSession(with(web()));
        assertThat(changes.take()).isEqualTo("web");
        assertThat(say(session, "call web__change")).isEqualTo("changed");
        assertThat(changes.take()).isEqualTo("web");

        assertThat(say(session, "tools")).contains("web__echo").doesNotContain("web__later");
        unanswered = "tools/list";
        Turn turn = session.prompt("tools");
        assertThat(held.take()).isEqualTo("tools/list");
        turn.cancel();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        unanswered = "none";

        assertThat(say(session, "tools")).contains("web__later");
    }

    @Tag("MCX-43")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailureOfTheAgentsOwnListenerIsNoneOfTheServer(boolean isError) throws Exception {
        begin();
        List<String> logged = new CopyOnWriteArrayList<>();
        Logger log = Logger.getLogger("dev.acp4j.mcp");
        log.setFilter(entry -> {
            logged.add(entry.getMessage());
            return false;
        });
        try {
            Session session = connect(McpServers.builder()
                            .http()
                            .patience(Duration.ofSeconds(50))
                            .restarts(2, Duration.ofMillis(1))
                            .onChange(server -> {
                                if (isError) {
                                    throw new AssertionError("mine");
                                }
                                throw new IllegalStateException("mine");
                            }))
                    .newSession(with(web()));

            assertThat(say(session, "servers")).contains("web (READY)");
            assertThat(say(session, "call web__change")).isEqualTo("changed");
            assertThat(say(session, "call web__echo {\"text\":\"a\"}")).isEqualTo("echo: a");
        } finally {
            log.setFilter(null);
        }

        assertThat(sessions).hasValue(1);
        assertThat(logged).contains("onChange of the MCP server web has failed");
    }

    @Tag("MCX-14")
    @Test
    void whatTheUserAllowedAServerForTheSessionIsNotAllowedToOneThatTakesItsPlace() throws Exception {
        begin();
        client.decide(PermissionOptionKind.ALLOW_ALWAYS, PermissionOptionKind.REJECT_ONCE);
        ConnectedAgent agent = connect(McpServers.builder().http().patience(Duration.ofSeconds(50)));
        Session session = agent.newSession(with(web()));
        for (int i = 0; i < 2; i++) {
            assertThat(say(session, "call web__echo {\"text\":\"a\"}")).isEqualTo("echo: a");
        }

        RawJson unused = agent.call(
                "session/resume",
                ScriptedServer.json("{'sessionId':'" + session.id() + "','cwd':'" + folder
                        + "','mcpServers':[{'type':'http','name':'web','url':'" + url("/mcp")
                        + "','headers':[{'name':'X-Team','value':'other'}]}]}"));

        assertThat(say(session, "call web__echo {\"text\":\"a\"}")).contains("did not allow web.echo");
    }

    @Tag("MCX-18")
    @Test
    void theQuestionOfAModernServerIsOfTheCallThatItAnswers() throws Exception {
        mode = "modern";
        begin("modern");
        client.fill(Map.of("account", ElicitationContentValue.of("main")));
        McpServers.Builder mcp = McpServers.builder().http().asks(tool -> false).patience(Duration.ofSeconds(50));
        Agent twoAtOnce = mcp.addTo(Agent.builder("agent", "1").onPrompt(turn -> {
                    McpServers servers = McpServers.of(turn);
                    List<Tool> unused = servers.tools(turn);
                    Future<ToolResult> asking =
                            threads.submit(() -> servers.call(turn, "web__ask", RawJson.parse("{\"after\":true}")));
                    calls.take();
                    Future<ToolResult> slow =
                            threads.submit(() -> servers.call(turn, "web__slow", RawJson.EMPTY_OBJECT));
                    turn.message(asking.get().text());
                    slow.cancel(true);
                }))
                .build();
        Transports ends = closing(Transports.joined());
        closing(twoAtOnce.connect(ends.agent()));
        Session session = closing(client.builder().connect(ends.client())).newSession(with(web()));

        assertThat(say(session, "go")).startsWith("accept ");

        Entry.ToolCall asked = session.view().toolCalls().getFirst();
        assertThat(asked.title()).isEqualTo("web.ask");
        assertThat(client.elicitations().getFirst().request().toString())
                .contains(asked.id().value());
    }

    @Tag("MCX-08")
    @Test
    void aSubscriptionThatIsClosedWhileItsServerIsConnectedAgainIsNotBegunThere() throws Exception {
        begin();
        LinkedBlockingQueue<ConnectedServer> changes = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> updates = new LinkedBlockingQueue<>();
        Session session = connect(McpServers.builder()
                        .http()
                        .asks(tool -> false)
                        .restarts(3, Duration.ofMillis(1))
                        .onChange(changes::add))
                .newSession(with(web()));
        ConnectedServer server = changes.take();
        var first = server.subscribe("memo://1", updates::add);
        var second = server.subscribe("memo://2", updates::add);

        // The server has lost its session, which the first request finds out.
        sessions.incrementAndGet();
        assertThat(say(session, "call web__echo {\"text\":\"lost\"}")).startsWith("error:");
        assertThat(subscribing.take()).isEqualTo("s3");
        second.close();
        mayBegin.countDown();

        assertThat(changes.take()).isSameAs(server);
        assertThat(updates).containsExactly("memo://1");
        assertThat(requests.stream()
                        .filter(line -> line.startsWith("POST resources/subscribe") && line.contains("session=s3")))
                .hasSize(1);
        first.close();
        assertThat(unsubscribed.take()).isEqualTo("s3");
    }

    @Tag("MCX-07")
    @Test
    void theHeadersOfASessionReachNoServerOfAnother() throws Exception {
        begin();
        ConnectedAgent agent =
                connect(McpServers.builder().http().asks(tool -> false).patience(Duration.ofSeconds(50)));
        for (String team : List.of("blue", "green")) {
            Session session = agent.newSession(
                    with(McpServer.Http.of("web", url("/mcp"), List.of(HttpHeader.of("X-Team", team)))));
            // The scripted server has one session at a time, which the declaration begins.
            assertThat(say(session, "call web__echo {\"text\":\"a\"}")).isEqualTo("echo: a");
        }

        assertThat(requests)
                .filteredOn(line -> line.startsWith("POST") && line.contains(" session=s1 "))
                .isNotEmpty()
                .allMatch(line -> line.endsWith(" team=blue"));
        assertThat(requests)
                .filteredOn(line -> line.startsWith("POST") && line.contains(" session=s2 "))
                .isNotEmpty()
                .allMatch(line -> line.endsWith(" team=green"));
    }

    @Tag("MCX-21")
    @Test
    void aSessionThatIsLostIsBegunAgain() throws Exception {
        begin();
        LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        Session session = connect(McpServers.builder()
                        .http()
                        .restarts(3, Duration.ofMillis(10))
                        .onChange(server -> changes.add(server.name())))
                .newSession(with(web()));
        assertThat(changes.take()).isEqualTo("web");
        sessions.incrementAndGet();

        assertThat(say(session, "call web__echo {\"text\":\"lost\"}")).startsWith("error:");
        assertThat(changes.take()).isEqualTo("web");
        assertThat(say(session, "call web__echo {\"text\":\"back\"}")).isEqualTo("echo: back");
    }

    @Tag("MCX-21")
    @Tag("MCX-23")
    @ParameterizedTest
    @CsvSource({
        "closed,wants another header Authorization (Bearer)",
        "forbidden,wants another header Authorization than",
        "moved,redirects are not followed",
        "down,HTTP 503"
    })
    void aRefusalSaysWhatToDoWithoutTheHeaders(String refusal, String told) throws Exception {
        mode = refusal;
        begin();
        Session session = open();

        assertThat(say(session, "servers")).contains("web (FAILED)", told).doesNotContain("kanarienvogel");
        assertThat(requests).allMatch(line -> line.startsWith("POST server/discover"));
    }

    @Tag("MCX-24")
    @Test
    void aServerThatDoesNotAnswerIsOfNoEra() throws Exception {
        mode = "silent";
        begin();
        Session session = connect(McpServers.builder()
                        .http()
                        .startTime(Duration.ofMillis(200))
                        .patience(Duration.ofSeconds(50)))
                .newSession(with(web()));

        assertThat(say(session, "servers")).contains("web (FAILED)", "no answer to server/discover within");
        assertThat(requests).allMatch(line -> line.startsWith("POST server/discover"));
    }

    @Tag("MCX-21")
    @Test
    void theTransportOf2024IsSpokenWhenItIsSwitchedOn() throws Exception {
        mode = "2024";
        server = new ScriptedServer(List.of(), log("web"), new Streamed());
        Session session = connect(McpServers.builder().sse().patience(Duration.ofSeconds(50)))
                .newSession(with(McpServer.Sse.of("web", url("/sse"), List.of())));

        assertThat(say(session, "call web__echo {\"text\":\"hello\"}")).isEqualTo("echo: hello");
    }

    @Tag("MCX-21")
    @Test
    void theTransportOf2024SendsNothingToAnotherOrigin() throws Exception {
        mode = "http://localhost:1/elsewhere";
        begin();
        Session session = connect(McpServers.builder().sse().patience(Duration.ofSeconds(50)))
                .newSession(with(McpServer.Sse.of("web", url("/sse"), List.of())));

        assertThat(say(session, "servers")).contains("web (FAILED)", "another origin");
        assertThat(requests).isEmpty();
    }

    /** In 2024 everything comes on the stream. */
    private final class Streamed implements Transport.Writer {
        @Override
        public void write(Message message) {
            events.add(message);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
