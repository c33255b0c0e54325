package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A server without an agent, which does what a test tells it: it takes every message, and says on each stream what the
 * test says there. What servers of other makers do differently is written so.
 */
final class ScriptedServer implements AutoCloseable {
    static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,"
            + "\"agentCapabilities\":{\"loadSession\":true}}}";

    /** Ends a stream. */
    private static final String END = "";

    /** One request, in words: its method and what the message is, or the session whose stream is wanted. */
    record Request(String method, Message message, Map<String, List<String>> headers) {
        String header(String name) {
            return String.join("", headers.getOrDefault(name, List.of()));
        }

        String what() {
            String name = message.kind().isResponse() ? "answer" : message.method();
            String rest = method.equals("POST") ? name : header("Acp-session-id");
            return (method + " " + rest).strip();
        }
    }

    /** An answer; without a status, none is given before the test ends. */
    record Reply(int status, Map<String, String> headers, String body) {
        /** The request is taken, and the connection is cut before any response. */
        static final Reply LOST = status(-1);

        static Reply status(int status) {
            return new Reply(status, Map.of(), "");
        }

        static Reply initialized(String body) {
            return new Reply(200, Map.of("Acp-Connection-Id", "c-1"), body);
        }
    }

    private final HttpServer http;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final List<Request> requests = new ArrayList<>();

    /** What was said on each stream, and was not sent yet. */
    @GuardedBy("lock")
    private final Map<String, ArrayDeque<String>> streams = new HashMap<>();

    /** The last reader of each stream, to whom it goes. */
    @GuardedBy("lock")
    private final Map<String, HttpExchange> readers = new HashMap<>();

    /** The streams to which nothing could be written. */
    @GuardedBy("lock")
    private final Set<String> left = new HashSet<>();

    @GuardedBy("lock")
    private boolean closed;

    /** Decides what a request is answered with; null for the usual. */
    volatile Function<Request, @Nullable Reply> replies = request -> null;

    ScriptedServer() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.createContext("/acp", this::handle);
        http.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/acp");
    }

    /** Says something on the stream of a session, or of the connection. */
    void say(String session, String event) {
        lock.lock();
        try {
            streams.computeIfAbsent(session, name -> new ArrayDeque<>()).add(event);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Writes to a stream until its reader has left, which a server does not notice otherwise. */
    void awaitLeft(String session) throws InterruptedException {
        lock.lock();
        try {
            while (!left.contains(session)) {
                ArrayDeque<String> said = streams.computeIfAbsent(session, name -> new ArrayDeque<>());
                if (said.isEmpty()) {
                    said.add(": still there");
                    changed.signalAll();
                }
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    void endStream(String session) {
        say(session, END);
    }

    /** Waits for the request that is the n-th of its kind. */
    Request await(String what, int count) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                List<Request> found = requests.stream()
                        .filter(request -> request.what().equals(what))
                        .toList();
                if (found.size() >= count) {
                    return found.get(count - 1);
                }
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    Request await(String what) throws InterruptedException {
        return await(what, 1);
    }

    /** Returns the requests of a kind so far. */
    List<Request> all(String what) {
        lock.lock();
        try {
            return requests.stream()
                    .filter(request -> request.what().equals(what))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns what the requests were, in the order in which they came. */
    List<String> requests() {
        lock.lock();
        try {
            return requests.stream().map(Request::what).toList();
        } finally {
            lock.unlock();
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Request request = new Request(
                    exchange.getRequestMethod(),
                    Message.parse(RawJson.wrap(body, 0, body.length)),
                    exchange.getRequestHeaders());
            // Who waits for the request may change the replies for later ones.
            Reply reply = replies.apply(request);
            lock.lock();
            try {
                requests.add(request);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            if (reply == null && request.method().equals("GET")) {
                listen(exchange, request.header("Acp-session-id"));
                return;
            }
            if (reply == null) {
                reply = request.message().method().equals("initialize")
                        ? Reply.initialized(INITIALIZED)
                        : Reply.status(202);
            }
            answer(exchange, reply);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(HttpExchange exchange, Reply reply) throws IOException, InterruptedException {
        if (reply.status() == 0) {
            lock.lock();
            try {
                while (!closed) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
            return;
        }
        if (reply.equals(Reply.LOST)) {
            return;
        }
        byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
        reply.headers().forEach(exchange.getResponseHeaders()::add);
        exchange.getResponseHeaders().add("Content-Type", Wire.JSON);
        exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
    }

    private void listen(HttpExchange exchange, String session) throws IOException, InterruptedException {
        lock.lock();
        try {
            readers.put(session, exchange);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        exchange.getResponseHeaders().add("Content-Type", Wire.EVENTS);
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.write(": ok\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        for (String event = next(exchange, session); !event.equals(END); event = next(exchange, session)) {
            String text = event.startsWith("{") ? "data: " + event : event;
            try {
                out.write((text + "\n\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException e) {
                leaves(session);
                throw e;
            }
        }
    }

    private void leaves(String session) {
        lock.lock();
        try {
            left.add(session);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for what is said next on a stream; its end comes when another one reads it, too. */
    private String next(HttpExchange reader, String session) throws InterruptedException {
        lock.lock();
        try {
            ArrayDeque<String> said = streams.computeIfAbsent(session, name -> new ArrayDeque<>());
            while (said.isEmpty() && reader.equals(readers.get(session)) && !closed) {
                changed.await();
            }
            String next = reader.equals(readers.get(session)) ? said.poll() : END;
            changed.signalAll();
            return next == null ? END : next;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        http.stop(0);
    }
}
