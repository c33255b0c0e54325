package dev.acp4j.bench;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** A client over events on HTTP/2, as the JDK has it. */
final class EventsOfHttp2 implements RemoteClient {
    private final HttpClient http;
    private final boolean isAlone;
    private final URI uri;
    private final String connection;
    private final String session;
    private final BufferedReader own;
    private final BufferedReader updates;
    private CompletableFuture<HttpResponse<Void>> posted = CompletableFuture.completedFuture(null);

    private EventsOfHttp2(HttpClient http, boolean isAlone, int port) throws IOException, InterruptedException {
        this.http = http;
        this.isAlone = isAlone;
        uri = URI.create("https://127.0.0.1:" + port + "/acp");
        connection = initialize(http, uri);
        own = stream("");
        post(NEW_SESSION, "").join();
        session = RemoteClient.session(next(own));
        updates = stream(session);
    }

    /** Connects a client with an HTTP/2 connection of its own. */
    static EventsOfHttp2 alone(int port, Certificates certificates) throws IOException, InterruptedException {
        return new EventsOfHttp2(http(certificates), true, port);
    }

    /** Connects a client on the HTTP/2 connection that others have, too. */
    static EventsOfHttp2 beside(HttpClient others, int port) throws IOException, InterruptedException {
        return new EventsOfHttp2(others, false, port);
    }

    /** Returns what has one HTTP/2 connection to each server. */
    static HttpClient http(Certificates certificates) throws IOException {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(certificates.trusting())
                .build();
    }

    /** Returns the id of a new connection. */
    static String initialize(HttpClient http, URI uri) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(uri)
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .POST(HttpRequest.BodyPublishers.ofString(INITIALIZE))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200 || answer.version() != HttpClient.Version.HTTP_2) {
            throw new IOException("initialize was answered with " + answer);
        }
        return answer.headers().firstValue("acp-connection-id").orElseThrow();
    }

    static HttpRequest streamRequest(URI uri, String connection, String session) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("Accept", "text/event-stream")
                .header("Acp-Connection-Id", connection);
        return session.isEmpty()
                ? request.build()
                : request.header("Acp-Session-Id", session).build();
    }

    private BufferedReader stream(String of) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer =
                http.send(streamRequest(uri, connection, of), HttpResponse.BodyHandlers.ofInputStream());
        if (answer.statusCode() != 200) {
            throw new IOException("a stream was answered with " + answer);
        }
        return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    private CompletableFuture<HttpResponse<Void>> post(String message, String of) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("Acp-Connection-Id", connection)
                .POST(HttpRequest.BodyPublishers.ofString(message));
        if (!of.isEmpty()) {
            request.header("Acp-Session-Id", of);
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.discarding());
    }

    @Override
    public void prompt(int id, String text) {
        posted.join();
        posted = post(RemoteClient.prompt(session, id, text), session);
    }

    @Override
    public String next() throws IOException {
        return next(updates);
    }

    private static String next(BufferedReader from) throws IOException {
        String line = from.readLine();
        while (line != null && !line.startsWith("data:")) {
            line = from.readLine();
        }
        if (line == null) {
            throw new EOFException("the server has ended a stream");
        }
        return line.substring(5);
    }

    @Override
    public void close() throws IOException {
        if (isAlone) {
            http.shutdownNow();
        }
        own.close();
        updates.close();
    }
}
