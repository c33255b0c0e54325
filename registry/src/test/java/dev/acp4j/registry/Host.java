package dev.acp4j.registry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A host of indexes and archives on this machine, which can fail in the ways that hosts do. */
final class Host implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final Map<String, String> redirects = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> heads = new ConcurrentHashMap<>();
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger breaks = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean hasRanges = true;
    private volatile @Nullable String token;

    Host() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    Host file(String path, byte[] content) {
        files.put(path, content);
        return this;
    }

    Host file(String path, String content) {
        return file(path, content.getBytes(StandardCharsets.UTF_8));
    }

    void remove(String path) {
        files.remove(path);
    }

    void redirect(String path, String to) {
        redirects.put(path, to);
    }

    /** The next answers end in the middle. */
    void breakNext(int count) {
        breaks.set(count);
    }

    /** What is asked for at a path is never answered. */
    void hold(String path) {
        held.add(path);
    }

    /** HEAD is answered with a status at a path. */
    void refuseHead(String path, int status) {
        heads.put(path, status);
    }

    /** The next answers are 503. */
    void failNext(int count) {
        failures.set(count);
    }

    void withoutRanges() {
        hasRanges = false;
    }

    void requireToken(String value) {
        token = value;
    }

    /** The requests so far: method, path, and the headers that matter. */
    List<String> requests() {
        return requests;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            String range = exchange.getRequestHeaders().getFirst("Range");
            String tag = exchange.getRequestHeaders().getFirst("If-None-Match");
            requests.add(exchange.getRequestMethod() + " " + path + (authorization == null ? "" : " " + authorization)
                    + (range == null ? "" : " " + range) + (tag == null ? "" : " if-none-match"));
            if (held.contains(path)) {
                awaitClosed();
                return;
            }
            String to = redirects.get(path);
            byte[] content = files.get(path);
            if (to != null) {
                exchange.getResponseHeaders().set("Location", to);
                exchange.sendResponseHeaders(302, -1);
            } else if (token != null && !("Bearer " + token).equals(authorization)) {
                exchange.sendResponseHeaders(401, -1);
            } else if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                exchange.sendResponseHeaders(503, -1);
            } else if (heads.containsKey(path) && exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(heads.get(path), -1);
            } else if (content == null) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                send(exchange, content, range, tag);
            }
        }
    }

    private void awaitClosed() {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(HttpExchange exchange, byte[] content, @Nullable String range, @Nullable String tag)
            throws IOException {
        String etag = "\"" + Integer.toHexString(java.util.Arrays.hashCode(content)) + "\"";
        exchange.getResponseHeaders().set("ETag", etag);
        if (etag.equals(tag)) {
            exchange.sendResponseHeaders(304, -1);
            return;
        }
        int from = 0;
        if (range != null && hasRanges) {
            from = Integer.parseInt(range.substring("bytes=".length(), range.length() - 1));
        }
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(200, -1);
            return;
        }
        exchange.sendResponseHeaders(from > 0 ? 206 : 200, content.length - from);
        int to = breaks.getAndUpdate(left -> Math.max(0, left - 1)) > 0
                ? from + (content.length - from) / 2
                : content.length;
        exchange.getResponseBody().write(content, from, to - from);
        exchange.getResponseBody().flush();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
