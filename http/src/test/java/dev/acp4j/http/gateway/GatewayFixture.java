package dev.acp4j.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A gateway behind a real server, for the users alice and bob. */
final class GatewayFixture implements AutoCloseable {
    static final String ALICE = "alice-has-this-token-in-tests";
    static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}";

    static final String BOB = "bob-has-that-token-in-tests-";

    final Gateway gateway;
    final RunningServer server;
    private final Path tokens;
    private final LinkedBlockingQueue<GatewayEvent> events;
    private final LinkedBlockingQueue<ServerEvent> serverEvents = new LinkedBlockingQueue<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<ConnectedAgent> clients = new ArrayList<>();

    GatewayFixture(Path folder, Gateway.Builder builder) throws Exception {
        this(folder, builder, server -> server);
    }

    GatewayFixture(Path folder, Gateway.Builder builder, UnaryOperator<HttpServer> configured) throws Exception {
        this(folder, builder, configured, event -> {});
    }

    /** @param listener gets the events of the gateway, too */
    GatewayFixture(
            Path folder, Gateway.Builder builder, UnaryOperator<HttpServer> configured, Consumer<GatewayEvent> listener)
            throws Exception {
        Path tokens = folder.resolve("tokens");
        if (!Files.exists(tokens)) {
            Files.createFile(
                    tokens, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        this.tokens = tokens;
        allow("");
        events = new LinkedBlockingQueue<>();
        gateway = builder.onEvent(event -> {
                    events.add(event);
                    listener.accept(event);
                })
                .build();
        server = configured
                .apply(Http.on(0).probePaths("/health", "/ready").tokens(BearerTokens.read(tokens)))
                .drainTime(Duration.ZERO)
                .pages(gateway.pages())
                .onEvent(event -> {
                    gateway.count(event);
                    serverEvents.add(event);
                })
                .start(gateway);
    }

    /** Writes the file of tokens, with further lines. */
    void allow(String further) throws IOException {
        Path unused = Files.writeString(tokens, "alice " + ALICE + "\nbob " + BOB + "\n" + further);
    }

    /** Begins a request whose answer may take its time. */
    CompletableFuture<HttpResponse<String>> getLater(String path, String token) {
        return http.sendAsync(request(path, token).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Connects as a user. */
    ConnectedAgent connect(String token, UnaryOperator<Client.Builder> client) throws Exception {
        return connect(token, remote -> remote, client);
    }

    ConnectedAgent connect(String token, UnaryOperator<RemoteAgent> way, UnaryOperator<Client.Builder> client)
            throws Exception {
        RemoteAgent remote = Http.to(server.uri()).bearer(() -> token).recovers(false);
        ConnectedAgent agent = client.apply(Client.builder("test", "1")).connect(way.apply(remote));
        clients.add(agent);
        return agent;
    }

    ConnectedAgent connect(String token) throws Exception {
        return connect(token, client -> client);
    }

    /** Returns what the agent says of itself. */
    static JsonObject facts(ConnectedAgent agent) throws Exception {
        return (JsonObject) agent.call("_test/facts", RawJson.EMPTY_OBJECT).value();
    }

    static String pid(ConnectedAgent agent) throws Exception {
        return facts(agent).text("pid").orElseThrow();
    }

    /** Waits for an event of a kind. */
    <E extends GatewayEvent> E await(Class<E> kind) throws Exception {
        E event = poll(kind, Duration.ofSeconds(60));
        if (event == null) {
            throw new AssertionError("no event of " + kind);
        }
        return event;
    }

    /** Waits for an event of a kind; null when there is none for so long. */
    <E extends GatewayEvent> @Nullable E poll(Class<E> kind, Duration time) throws Exception {
        while (true) {
            GatewayEvent event = events.poll(time.toMillis(), TimeUnit.MILLISECONDS);
            if (event == null || kind.isInstance(event)) {
                return event == null ? null : kind.cast(event);
            }
        }
    }

    /** Waits for an event of the server that fits. */
    <E extends ServerEvent> E awaitServer(Class<E> kind, Predicate<E> fits) throws Exception {
        while (true) {
            ServerEvent event = serverEvents.poll(60, TimeUnit.SECONDS);
            if (event == null) {
                throw new AssertionError("no event of " + kind);
            }
            if (kind.isInstance(event) && fits.test(kind.cast(event))) {
                return kind.cast(event);
            }
        }
    }

    /** Begins a connection by hand. Returns its id. */
    String initialize(String token) throws Exception {
        return initialize(token, INITIALIZE);
    }

    String initialize(String token, String message) throws Exception {
        return post("/acp", token, message)
                .headers()
                .firstValue("Acp-Connection-Id")
                .orElseThrow();
    }

    /** Sends a message by hand. */
    HttpResponse<String> call(String token, String connection, String message) throws Exception {
        return send(request("/acp", token)
                .header("Content-Type", "application/json")
                .header("Acp-Connection-Id", connection)
                .POST(HttpRequest.BodyPublishers.ofString(message)));
    }

    /** Reads the stream of a connection until a line has a text. */
    void awaitLine(String token, String connection, String text) throws Exception {
        awaitLine(request("/acp", token).header("Acp-Connection-Id", connection), text);
    }

    /** Reads a stream until a line has a text. */
    void awaitLine(HttpRequest.Builder stream, String text) throws Exception {
        String unused = line(stream, text);
    }

    /** Returns the next line of the stream of a connection that has a text. */
    String line(String token, String connection, String text) throws Exception {
        return line(request("/acp", token).header("Acp-Connection-Id", connection), text);
    }

    /** Returns the next line of a stream that has a text. */
    String line(HttpRequest.Builder stream, String text) throws Exception {
        try (Stream<String> lines = lines(stream)) {
            return lines.filter(line -> line.contains(text)).findFirst().orElseThrow();
        }
    }

    /** Returns the lines of a stream as they come, to be closed by the caller. */
    Stream<String> lines(HttpRequest.Builder stream) throws InterruptedException {
        return read(stream.header("Accept", "text/event-stream").build());
    }

    /** Opens a stream, as soon as the server has noticed that who read it before has left. */
    private Stream<String> read(HttpRequest stream) throws InterruptedException {
        AtomicReference<HttpResponse<Stream<String>>> last = new AtomicReference<>();
        boolean unused = Poll.until(() -> {
            HttpResponse<Stream<String>> before = last.getAndSet(
                    http.sendAsync(stream, HttpResponse.BodyHandlers.ofLines()).join());
            if (before != null) {
                before.body().close();
            }
            return last.get().statusCode() != 409;
        });
        return last.get().body();
    }

    /** Ends a connection by hand. */
    void leave(String token, String connection) throws Exception {
        HttpResponse<String> ended = send(
                request("/acp", token).header("Acp-Connection-Id", connection).DELETE());
        assertThat(ended.statusCode()).isEqualTo(202);
    }

    /** Returns how many agents were started. */
    int started() {
        return Integer.parseInt(gateway.metrics().replaceAll("(?s).*\\nacp_agents_started_total (\\d+)\n.*", "$1"));
    }

    HttpResponse<String> get(String path, String token) throws Exception {
        return send(request(path, token).GET());
    }

    HttpResponse<String> post(String path, String token, String body) throws Exception {
        return send(request(path, token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpRequest.Builder request(String path, String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(path));
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    URI uri() {
        return server.uri();
    }

    @Override
    public void close() {
        clients.forEach(ConnectedAgent::close);
        http.shutdownNow();
        server.close();
        gateway.close();
    }
}
