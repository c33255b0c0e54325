package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Protocol;
import dev.acp4j.cli.connect.Way;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.AgentMethods;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A server that is examined, and what the steps have found out so far. */
final class ExaminedServer implements AutoCloseable {
    static final String CONNECTION_ID = "Acp-Connection-Id";

    final Way way;

    /** How long a step waits for the server. */
    final Duration patience;

    /** How long an idle stream is watched; null for not at all. */
    final @Nullable Duration idle;

    private final Protocol protocol;

    /** Where the first TCP connection goes: to the server, or the proxy before it. */
    @Nullable
    InetSocketAddress first;

    boolean isReached;
    boolean isSecured;

    /** The answer to {@code initialize}, whatever it is. */
    @Nullable
    HttpResponse<byte[]> answer;

    /** The version of HTTP that {@code initialize} failed with; null when it did not. */
    HttpClient.@Nullable Version failed;

    /** The result of {@code initialize}. */
    @Nullable
    JsonObject initialized;

    @Nullable
    ServerStream stream;

    private @Nullable HttpClient client;
    private HttpClient.Version http;
    private String connectionId = "";
    private boolean isEnded;

    ExaminedServer(Way way, Protocol protocol, Duration patience, @Nullable Duration idle) {
        this.way = way;
        this.protocol = protocol;
        this.patience = patience;
        this.idle = idle;
        // In clear text, a client that asks for HTTP/2 confuses some servers.
        this.http = isTls() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
    }

    URI endpoint() {
        return way.endpoint();
    }

    boolean isTls() {
        return endpoint().getScheme().equals("https");
    }

    String host() {
        return endpoint().getHost();
    }

    int port() {
        return endpoint().getPort() >= 0 ? endpoint().getPort() : isTls() ? 443 : 80;
    }

    String place() {
        return host() + ":" + port();
    }

    boolean isInitialized() {
        return initialized != null;
    }

    boolean hasStream() {
        ServerStream known = stream;
        return known != null && known.end() == null;
    }

    /** Returns the request with which a connection begins. */
    Message initialize() {
        return Message.request(
                RequestId.of("doctor-initialize"),
                "initialize",
                RawJson.encode(
                        StartSteps.request(protocol.versions()[protocol.versions().length - 1].number(), protocol),
                        AgentMethods.INITIALIZE.params()));
    }

    /** Returns a request that no agent knows, so that each answers it, and nothing happens. */
    static Message question(String id) {
        return Message.request(RequestId.of(id), "_acp4j/doctor", RawJson.EMPTY_OBJECT);
    }

    HttpRequest.Builder request(Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint());
        headers.forEach(request::setHeader);
        if (!connectionId.isEmpty()) {
            request.setHeader(CONNECTION_ID, connectionId);
        }
        return request;
    }

    HttpResponse<byte[]> post(Message message) throws IOException, InterruptedException {
        RawJson raw = message.raw();
        return send(request(way.agent().headers())
                .setHeader("Content-Type", "application/json")
                .setHeader("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofByteArray(raw.bytes(), raw.from(), raw.length())));
    }

    /** Sends a request without credential, connection or consequence, and returns the status of the answer. */
    int anonymous(Duration limit) throws IOException, InterruptedException {
        HttpRequest.Builder get = HttpRequest.newBuilder(endpoint())
                .setHeader("Accept", "text/event-stream")
                .GET();
        HttpClient own = newClient();
        try {
            // Whatever answers, its body may have no end.
            return await(own.sendAsync(get.build(), HttpResponse.BodyHandlers.ofInputStream()), limit)
                    .statusCode();
        } finally {
            own.shutdownNow();
        }
    }

    HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return await(client().sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray()), patience);
    }

    /** Uses HTTP/1.1 from here on. */
    void useHttp1() {
        failed = http;
        http = HttpClient.Version.HTTP_1_1;
        close(client);
        client = null;
    }

    /** The requests that follow belong to this connection. */
    void belongTo(String id) {
        connectionId = id;
    }

    /**
     * Opens the stream of the connection.
     *
     * @param position where to go on; empty for a new stream
     * @throws TimeoutException when not even the headers of the response came
     */
    HttpResponse<InputStream> open(HttpClient own, String position, Duration limit)
            throws IOException, InterruptedException, TimeoutException {
        HttpRequest.Builder get = request(way.agent().headers())
                .setHeader("Accept", "text/event-stream")
                .GET();
        if (!position.isEmpty()) {
            get.setHeader("Last-Event-ID", position);
        }
        return response(own.sendAsync(get.build(), HttpResponse.BodyHandlers.ofInputStream()), limit);
    }

    HttpClient newClient() throws IOException {
        return way.agent().client(http);
    }

    private HttpClient client() throws IOException {
        if (client == null) {
            client = newClient();
        }
        return Objects.requireNonNull(client);
    }

    static <T> T await(CompletableFuture<T> coming, Duration limit) throws IOException, InterruptedException {
        try {
            return response(coming, limit);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + limit.toSeconds() + " s", e);
        }
    }

    private static <T> T response(CompletableFuture<T> coming, Duration limit)
            throws IOException, InterruptedException, TimeoutException {
        try {
            return coming.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(String.valueOf(e.getCause()), e);
        } finally {
            if (!coming.isDone()) {
                boolean unused = coming.cancel(true);
            }
        }
    }

    /** Asks the server to end the connection; returns the status. */
    int end() throws IOException, InterruptedException {
        isEnded = true;
        return send(request(way.agent().headers()).DELETE()).statusCode();
    }

    @Override
    public void close() {
        if (!connectionId.isEmpty() && !isEnded) {
            try {
                int unused = end();
            } catch (IOException e) {
                // The grace of the server ends it.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (stream != null) {
            stream.close();
        }
        close(client);
    }

    private static void close(@Nullable HttpClient one) {
        if (one != null) {
            one.shutdownNow();
        }
    }
}
