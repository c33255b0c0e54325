package dev.acp4j.mcp;

import static dev.acp4j.mcp.HttpPosts.post;
import static dev.acp4j.mcp.HttpPosts.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server of this program reports of its changes, to agents of each kind. */
class ToolServerChangesTest extends McpSession {
    private static final String INITIALIZE = request(1, "initialize", "\"protocolVersion\":\"2025-11-25\"");
    private static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

    /** Lists that were asked for before their changes were reported. */
    private final LinkedBlockingQueue<String> early = new LinkedBlockingQueue<>();

    private final ToolServer own =
            notes().reportsChanges().onRequest(this::asked).build();

    private void asked(ToolServer.Request request) {
        if (request.method().endsWith("/list") && own.listening.isEmpty()) {
            early.add(request.method());
        }
    }

    private static ToolServer.Builder notes() {
        return ToolServer.builder("own", "1.0")
                .tool("first", "Is there", call -> "first")
                .resource(
                        ContentBlock.ResourceLink.builder("notes", "notes://2026")
                                .build(),
                        call -> "notes");
    }

    private static String resource(String method, String uri) {
        return request(2, "resources/" + method, "\"uri\":\"" + uri + "\"");
    }

    @Tag("MCX-32")
    @Tag("MCX-35")
    @ParameterizedTest
    @CsvSource({"ACP,false", "HTTP,false", "PROGRAM,false", "HTTP,true", "PROGRAM,true"})
    void changesReachTheAgentInTheWayThatItCan(ToolServerTest.Way way, boolean isBridged) throws Exception {
        LinkedBlockingQueue<ConnectedServer> changes = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> updates = new LinkedBlockingQueue<>();
        McpServers.Builder mcp = McpServers.builder()
                .asks(tool -> false)
                .patience(Duration.ofSeconds(50))
                .onChange(changes::add);
        McpBridge bridge = closing(new McpBridge());
        ConnectedAgent agent = connect(
                switch (way) {
                    case ACP -> mcp.acp();
                    case HTTP -> mcp.http();
                    case PROGRAM -> mcp;
                },
                ToolServer.addTo(client.builder(), own),
                transport -> isBridged ? bridge.proxy().before(transport) : transport);
        Session session = agent.newSession(with(own.declaration()));
        ConnectedServer server = changes.take();
        var subscription = server.subscribe("notes://2026", updates::add);

        own.updated("notes://2025");
        own.updated("notes://2026/may");
        assertThat(updates.take()).isEqualTo("notes://2026/may");
        own.replaceWith(notes().tool("later", "Came later", call -> "later").build());
        assertThat(changes.take()).isSameAs(server);
        assertThat(say(session, "tools")).isEqualTo("own__first\nown__later");
        assertThat(say(session, "call own.later")).isEqualTo("later");
        own.replaceWith(notes().tool("later", "Came later", call -> "again").build());
        assertThat(say(session, "call own.later")).isEqualTo("again");

        own.replaceWith(ToolServer.builder("own", "1.0").build());
        assertThat(changes.take()).isSameAs(server);
        assertThat(say(session, "tools")).isEmpty();
        assertThat(server.resources()).isEmpty();
        own.replaceWith(notes().build());
        assertThat(changes.take()).isSameAs(server);
        assertThat(say(session, "tools")).isEqualTo("own__first");
        assertThat(server.resources()).hasSize(1);

        subscription.close();
        session.close();
        assertThat(own.listening).isEmpty();
        assertThat(early).isEmpty();
        // Lists that are equal have not changed.
        assertThat(changes).isEmpty();
        assertThat(updates).isEmpty();
    }

    @Tag("MCX-32")
    @Test
    void aServerThatBeginsWithNothingOffersEachListAndRefusesWhatIsNotThere() throws Exception {
        ToolServer empty = ToolServer.builder("own", "1.0").reportsChanges().build();
        McpServer.Http address = closing(empty.listen()).declaration();

        assertThat(post(address, "server/discover", "")).contains("\"tools\":{", "\"prompts\":{", "\"resources\":{");
        assertThat(post(address, "tools/list", "")).contains("\"tools\":[]");
        assertThat(post(address, "prompts/list", "")).contains("\"prompts\":[]");
        assertThat(post(address, "resources/list", "")).contains("\"resources\":[]");
        String session = session(address);
        for (String asked : List.of("tools/call", "prompts/get")) {
            assertThat(post(address, request(2, asked, "\"name\":\"first\""), List.of(session), ""))
                    .contains("-32602");
        }
        assertThat(post(address, resource("read", "notes://2026"), List.of(session), ""))
                .contains("-32002");
    }

    @Test
    void aServerThatWasBuiltWithoutItOffersNoSubscriptionsAndReportsNothing() throws Exception {
        ToolServer fixed = notes().build();

        assertThatThrownBy(() -> fixed.updated("notes://2026"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("reportsChanges()");
        assertThatThrownBy(() -> fixed.replaceWith(own)).isInstanceOf(IllegalStateException.class);
        McpServer.Http address = closing(fixed.listen()).declaration();
        assertThat(post(address, "server/discover", ""))
                .contains("\"resources\":{}", "\"tools\":{}", "\"ttlMs\":3600000");
        assertThat(post(address, "subscriptions/listen", "")).startsWith("HTTP/1.1 404");
        assertThat(post(closing(own.listen()).declaration(), "server/discover", ""))
                .contains("\"resources\":{\"subscribe\":true,\"listChanged\":true}", "\"ttlMs\":0");
    }

    // ---- clients with a handshake over HTTP

    /** The stream of a session, as a client reads it. */
    private static final class Stream implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;
        private final String status;

        Stream(McpServer.Http server, String session, String accept) throws IOException {
            URI uri = URI.create(server.url());
            socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort());
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String request = "GET " + uri.getPath() + " HTTP/1.1\r\nHost: " + uri.getAuthority() + "\r\nAuthorization: "
                    + server.headers().getFirst().value() + "\r\n" + session + "\r\nAccept: " + accept + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            status = in.readLine().substring(9, 12);
        }

        static Stream of(McpServer.Http server, String session) throws IOException {
            Stream stream = new Stream(server, session, "text/event-stream");
            assertThat(stream.status).isEqualTo("200");
            // The comment at its beginning.
            for (String line = ""; !line.equals(":"); line = stream.in.readLine()) {
                assertThat(line).isNotNull();
            }
            return stream;
        }

        /** Returns the next event; null at the end. */
        @Nullable
        String next() throws IOException {
            String line = in.readLine();
            for (int comments = 0; line != null && !line.startsWith("data: "); comments += ":".equals(line) ? 1 : 0) {
                assertThat(comments).as("half seconds without an event").isLessThan(40);
                if (line.equals("0")) {
                    // The end of chunked contents.
                    return null;
                }
                line = in.readLine();
            }
            return line;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static String session(McpServer.Http server) throws IOException {
        String session = post(server, INITIALIZE, List.of(), "")
                .lines()
                .filter(line -> line.regionMatches(true, 0, "mcp-session-id:", 0, 15))
                .findFirst()
                .orElseThrow();
        assertThat(post(server, INITIALIZED, List.of(session), "")).startsWith("HTTP/1.1 202");
        return session;
    }

    private static void delete(McpServer.Http server, String session) throws IOException {
        URI uri = URI.create(server.url());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort())) {
            String request = "DELETE " + uri.getPath() + " HTTP/1.1\r\nHost: " + uri.getAuthority()
                    + "\r\nAuthorization: " + server.headers().getFirst().value() + "\r\n" + session
                    + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
        }
    }

    /** Returns the threads that wait for reports. */
    private static Set<Thread> subscriptions() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(one -> one.getName().equals("acp4j-mcp-subscription"))
                .collect(Collectors.toSet());
    }

    /** Returns the address of the server, also behind a bridge. */
    private McpServer.Http address(boolean isBridged) throws Exception {
        if (!isBridged) {
            return closing(own.listen()).declaration();
        }
        LinkedBlockingQueue<McpServer> declared = new LinkedBlockingQueue<>();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        closing(Agent.builder("agent", "1")
                .supports(Feature.MCP_HTTP)
                .onPrompt(turn -> {})
                .onSessionOpening(session -> declared.addAll(session.setup().mcpServers()))
                .build()
                .connect(pair.right()));
        McpBridge bridge = closing(new McpBridge());
        ConnectedAgent agent = closing(
                ToolServer.addTo(client.builder(), own).connect(bridge.proxy().before(pair.left())));
        Session unused = agent.newSession(with(own.declaration()));
        return (McpServer.Http) declared.take();
    }

    @Tag("MCX-35")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientWithAHandshakeGetsChangesOnTheStreamOfItsSession(boolean isBridged) throws Exception {
        McpServer.Http server = address(isBridged);
        String session = session(server);
        String other = session(server);
        try (Stream stream = Stream.of(server, session);
                Stream second = Stream.of(server, other)) {
            assertThat(post(server, resource("subscribe", "notes://2026"), List.of(session), ""))
                    .startsWith("HTTP/1.1 200")
                    .contains("\"result\":{}");

            own.updated("notes://2026/may");
            assertThat(stream.next())
                    .isEqualTo("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
                            + "\"params\":{\"uri\":\"notes://2026/may\"}}");
            assertThat(post(server, resource("unsubscribe", "notes://2026"), List.of(session), ""))
                    .contains("\"result\":{}");
            own.updated("notes://2026");
            own.replaceWith(notes().tool("later", "Came later", call -> "").build());

            String changed =
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}";
            assertThat(stream.next()).isEqualTo(changed);
            assertThat(second.next()).isEqualTo(changed);
        }
    }

    @Tag("MCX-35")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noNumberOfSessionsUsesUpTheRequestsOfAServer(boolean isBridged) throws Exception {
        McpServer.Http server = address(isBridged);
        String last = "";
        for (int i = 0; i < 70; i++) {
            last = session(server);
            assertThat(post(server, resource("subscribe", "notes://2026"), List.of(last), ""))
                    .contains("\"result\":{}");
        }

        assertThat(own.listening).hasSize(2);
        assertThat(post(server, request(3, "tools/call", "\"name\":\"first\""), List.of(last), ""))
                .contains("\"text\":\"first\"");
    }

    @Tag("MCP-29")
    @Test
    void aSessionThatNobodyUsesEndsAndOneThatIsReadDoesNot() throws Exception {
        HttpEndpoint http = closing(new HttpEndpoint(Duration.ofSeconds(1)));
        McpServer.Http server = http.add(own.declaration(), own.provider(null));
        String read = session(server);
        try (Stream stream = Stream.of(server, read)) {
            String left = session(server);
            Set<Thread> ofLists = subscriptions();
            assertThat(post(server, resource("subscribe", "notes://2026"), List.of(left), ""))
                    .contains("\"result\":{}");

            for (Thread one : subscriptions()) {
                if (!ofLists.contains(one)) {
                    one.join();
                }
            }

            assertThat(post(server, resource("list", ""), List.of(left), "")).startsWith("HTTP/1.1 404");
            own.replaceWith(notes().tool("later", "Came later", call -> "").build());
            assertThat(stream.next()).contains("notifications/tools/list_changed");
        }
    }

    @Tag("MCX-35")
    @Test
    void whatIsReportedWhileNobodyReadsComesOnceToTheNextReaderAndTheLastOneReads() throws Exception {
        McpServer.Http server = address(false);
        String session = session(server);
        String another = session(server);
        for (String each : List.of(session, another)) {
            assertThat(post(server, resource("subscribe", "notes://2026"), List.of(each), ""))
                    .contains("\"result\":{}");
        }
        try (Stream witness = Stream.of(server, another)) {
            for (int i = 0; i < 2; i++) {
                own.updated("notes://2026/a");
                // What this session gets, the one that has subscribed before it has got.
                assertThat(witness.next()).contains("notes://2026/a");
            }
        }
        delete(server, another);
        try (Stream first = Stream.of(server, session)) {
            assertThat(first.next()).contains("notes://2026/a");
            own.updated("notes://2026/b");
            assertThat(first.next()).contains("notes://2026/b");
            try (Stream last = Stream.of(server, session)) {
                assertThat(first.next()).isNull();
                own.updated("notes://2026/c");
                assertThat(last.next()).contains("notes://2026/c");

                delete(server, session);

                assertThat(last.next()).isNull();
            }
        }
        for (Thread one : subscriptions()) {
            // The end of a session does not wait for it.
            one.join();
        }
        assertThat(own.listening).isEmpty();
    }

    @Tag("MCX-35")
    @Test
    void aClientThatDoesNotReadIsNotWaitedForAndMissesTheOldestUpdatesButNoChangeOfAList() {
        SessionStream stream = new SessionStream();
        stream.send("notifications/tools/list_changed", RawJson.EMPTY_OBJECT);
        for (int i = 0; i < 5_000; i++) {
            stream.send("notifications/resources/updated", RawJson.parse("{\"uri\":\"notes://" + i + "\"}"));
        }

        ByteArrayOutputStream read = new ByteArrayOutputStream();
        OutputStream leaving = new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("events come as a whole");
            }

            @Override
            public void write(byte[] event, int from, int length) throws IOException {
                read.write(event, from, length);
                if (new String(event, StandardCharsets.UTF_8).contains("notes://4999")) {
                    throw new IOException("the client has left");
                }
            }
        };
        assertThatThrownBy(() -> stream.write(leaving, 1_000_000_000)).hasMessage("the client has left");
        assertThat(read.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.startsWith("data: "))
                        .toList())
                .hasSize(1_000)
                .satisfies(events -> {
                    assertThat(events.get(0)).contains("tools/list_changed");
                    assertThat(events.get(1)).contains("notes://4001\"");
                });
    }

    @Tag("MCX-35")
    @Test
    void partsOfAResourceThatNobodyReadsOfAreReportedAsTheResource() throws Exception {
        Members wanted = Members.of(RawJson.parse("{\"resourceSubscriptions\":[\"notes://2026\"]}"));
        Listening listening = new Listening(wanted, list -> false, true);
        for (int i = 0; i < 5_000; i++) {
            listening.updated("notes://2026/" + i);
        }

        List<String> reported = new ArrayList<>();
        RawJson unused = listening.report((method, params) -> {
            reported.add(Members.of(params).text("uri", ""));
            if (reported.getLast().equals("notes://2026")) {
                listening.end();
            }
        });

        assertThat(reported).hasSize(258).startsWith("", "notes://2026/0").endsWith("notes://2026/255", "notes://2026");
    }

    @Tag("MCP-29")
    @Test
    void aStreamNeedsASessionAndAClientThatReadsEvents() throws Exception {
        McpServer.Http server = address(false);
        String session = session(server);

        try (Stream none = new Stream(server, "X: y", "text/event-stream");
                Stream unknown = new Stream(server, "Mcp-Session-Id: x", "text/event-stream");
                Stream other = new Stream(server, session, "application/json")) {
            assertThat(List.of(none.status, unknown.status, other.status)).containsExactly("405", "404", "406");
        }
    }
}
