package dev.acp4j.bench;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import javax.net.SocketFactory;

/** Many clients that are connected and say nothing: what each of them costs the server. */
record RemoteIdle(Way way, int connections, Scale scale, List<Subject> subjects, Certificates certificates)
        implements Workload {
    /** So many come and leave before, after which what is compiled, and how, says little of what one client costs. */
    private static final int WARMING = 2_000;

    private static final int MANY = 5_000;

    /**
     * Creates one.
     *
     * @param connections how many connections of HTTP/2 all clients share; with another way each has its own
     */
    RemoteIdle {
        // A young generation that grows with the heap would be counted as the clients'.
        subjects = subjects.stream().map(subject -> subject.option("-Xmn8m")).toList();
    }

    @Override
    public String name() {
        return "remote, idle, " + way.text + (way == Way.HTTP2 ? ", " + connections + " connections" : "");
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int count = scale.isBrief() ? 20 : MANY;
        try (RemotePeer server = new RemotePeer(subject, way.arguments(certificates), 2 * scale.patience())) {
            open(server.port(), Math.min(count, WARMING)).close();
            double heap = server.heapKibibytes();
            double resident = server.residentKibibytes();
            try (Clients clients = open(server.port(), count)) {
                RemotePeer.State state = server.state();
                sheet.write("heap of each, KiB", (state.heapKibibytes() - heap) / clients.count());
                sheet.write("memory of each, KiB", (server.residentKibibytes() - resident) / clients.count());
                sheet.write("threads", state.threads());
            }
        }
    }

    /** The clients that are connected. */
    private record Clients(int count, List<Closeable> all) implements Closeable {
        @Override
        public void close() throws IOException {
            for (Closeable one : all) {
                one.close();
            }
        }
    }

    private Clients open(int port, int count) throws IOException, InterruptedException {
        List<Closeable> all = new ArrayList<>();
        switch (way) {
            case HTTP1 -> http1(port, count, all);
            case HTTP2 -> http2(port, count, all);
            case WEBSOCKET -> webSockets(port, count, all);
        }
        return new Clients(count, all);
    }

    private static void http1(int port, int count, List<Closeable> all) throws IOException {
        try (PostSocket posts = new PostSocket(SocketFactory.getDefault(), port)) {
            for (int i = 0; i < count; i++) {
                posts.send("", RemoteClient.INITIALIZE);
                String connection = EventsOfHttp1.header(posts.answer());
                all.add(new EventsOfHttp1.Stream(SocketFactory.getDefault(), port, connection, ""));
            }
        }
    }

    private void http2(int port, int count, List<Closeable> all) throws IOException, InterruptedException {
        URI uri = URI.create("https://127.0.0.1:" + port + "/acp");
        HttpClient http = null;
        for (int i = 0; i < count; i++) {
            if (http == null || i % (MANY / connections) == 0) {
                HttpClient another = EventsOfHttp2.http(certificates);
                http = another;
                all.add(another::shutdownNow);
            }
            String connection = EventsOfHttp2.initialize(http, uri);
            HttpResponse<Void> answer =
                    http.send(EventsOfHttp2.streamRequest(uri, connection, ""), head -> new Unread());
            if (answer.statusCode() != 200) {
                throw new IOException("a stream was answered with " + answer);
            }
        }
    }

    private static void webSockets(int port, int count, List<Closeable> all) throws IOException {
        HttpClient http = HttpClient.newHttpClient();
        all.add(http::shutdownNow);
        for (int i = 0; i < count; i++) {
            WebSocket socket = WebSockets.initialized(http, port, new WebSockets.Inbox());
            all.add(socket::abort);
        }
    }

    /** Takes what comes, and is done when the head has come. */
    private static final class Unread implements HttpResponse.BodySubscriber<Void> {
        @Override
        public CompletionStage<Void> getBody() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> item) {}

        @Override
        public void onError(Throwable throwable) {}

        @Override
        public void onComplete() {}
    }
}
