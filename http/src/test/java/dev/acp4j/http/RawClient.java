package dev.acp4j.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A client that knows nothing of the protocol but what the test tells it: one request at a time, as it is written. */
final class RawClient implements AutoCloseable {
    static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}";

    /** One event: its id, empty when it has none, and its data. Comments have a data of {@code :}. */
    record Event(String id, String data) {}

    final HttpClient http;
    final URI uri;
    private final List<String> headers = new ArrayList<>();
    private final List<Events> streams = new ArrayList<>();

    RawClient(URI uri, HttpClient.Version version, String token) {
        this(uri, token, HttpClient.newBuilder().version(version).build());
    }

    RawClient(URI uri, HttpClient.Version version, String token, SSLContext ssl) {
        this(
                uri,
                token,
                HttpClient.newBuilder().version(version).sslContext(ssl).build());
    }

    private RawClient(URI uri, String token, HttpClient http) {
        this.uri = uri;
        this.http = http;
        if (!token.isEmpty()) {
            with("Authorization", "Bearer " + token);
        }
    }

    RawClient(RunningServer server) {
        this(server.uri(), HttpClient.Version.HTTP_1_1, server.token().orElse(""));
    }

    RawClient with(String name, String value) {
        headers.add(name);
        headers.add(value);
        return this;
    }

    Map<String, String> headers() {
        Map<String, String> all = new LinkedHashMap<>();
        for (int i = 0; i < headers.size(); i += 2) {
            all.put(headers.get(i), headers.get(i + 1));
        }
        return all;
    }

    HttpRequest.Builder request(String... more) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(uri);
        for (int i = 0; i < headers.size(); i += 2) {
            builder.setHeader(headers.get(i), headers.get(i + 1));
        }
        for (int i = 0; i < more.length; i += 2) {
            builder.setHeader(more[i], more[i + 1]);
        }
        return builder;
    }

    HttpResponse<String> post(String body, String... more) throws Exception {
        return http.send(
                request(more)
                        .setHeader("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Initializes, and sends the id of the connection from now on. */
    String initialize() throws Exception {
        HttpResponse<String> answer = post(INITIALIZE);
        String id = answer.headers().firstValue("Acp-Connection-Id").orElseThrow();
        with("Acp-Connection-Id", id);
        return answer.body();
    }

    HttpResponse<String> delete(String... more) throws Exception {
        return http.send(request(more).DELETE().build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the status of another path of the server. */
    int get(String path) throws Exception {
        return http.send(request().uri(uri.resolve(path)).GET().build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    /** Opens a stream. */
    Events stream(String... more) throws Exception {
        HttpResponse<InputStream> answer = http.send(
                request(more).setHeader("Accept", "text/event-stream").GET().build(),
                HttpResponse.BodyHandlers.ofInputStream());
        Events events = new Events(answer);
        streams.add(events);
        return events;
    }

    @Override
    public void close() {
        streams.forEach(Events::close);
        http.shutdownNow();
    }

    /** A stream of events. */
    static final class Events implements AutoCloseable {
        private static final Event END = new Event("", "end");
        final HttpResponse<InputStream> answer;
        private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();

        Events(HttpResponse<InputStream> answer) {
            this.answer = answer;
            Thread.ofVirtual().start(this::read);
        }

        int status() {
            return answer.statusCode();
        }

        private void read() {
            try (var in = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
                String id = "";
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.startsWith("id: ")) {
                        id = line.substring(4);
                    } else if (line.startsWith("data: ")) {
                        events.add(new Event(id, line.substring(6)));
                        id = "";
                    } else if (line.startsWith(":")) {
                        events.add(new Event("", line));
                    } else if (line.isEmpty()) {
                        id = "";
                    } else if (status() != 200) {
                        events.add(new Event("", line));
                    }
                }
            } catch (IOException e) {
                // The test sees that it has ended.
            } finally {
                events.add(END);
            }
        }

        /** Returns the next event that is no comment; null at the end. */
        @Nullable
        Event next() throws InterruptedException {
            while (true) {
                Event event = any();
                if (event == null || !event.data().startsWith(":")) {
                    return event;
                }
            }
        }

        /** Returns the next event or comment; null at the end. */
        @Nullable
        Event any() throws InterruptedException {
            Event event = events.poll(60, TimeUnit.SECONDS);
            if (event == null) {
                throw new AssertionError("no event within 60 s");
            }
            if (event.equals(END)) {
                events.add(END);
                return null;
            }
            return event;
        }

        /** Returns the data of the next event. */
        String data() throws InterruptedException {
            Event event = next();
            return event == null ? "end" : event.data();
        }

        /** Returns the data of the first event that contains a text. */
        String until(String text) throws InterruptedException {
            while (true) {
                String data = data();
                if (data.contains(text) || data.equals("end")) {
                    return data;
                }
            }
        }

        @Override
        public void close() {
            try {
                answer.body().close();
            } catch (IOException e) {
                // It is over anyway.
            }
        }
    }
}
