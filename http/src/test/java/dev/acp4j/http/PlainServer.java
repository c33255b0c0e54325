package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.acp4j.Agent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A server of Streamable HTTP that is not ours: the simplest that the draft allows, over HTTP/1.1 and without
 * resumption unless a test switches it on. Each connection has an agent in memory. Tests cut its streams and make it
 * forget connections.
 */
final class PlainServer implements AutoCloseable {
    /** What was said on one stream, and which reader gets it. */
    private static final class Log {
        final List<byte[]> events = new ArrayList<>();
        int written;
        int reader;
    }

    private static final class Open {
        final Transport transport;
        final ConnectedClient client;
        final Map<String, Log> logs = new HashMap<>();
        final Map<RequestId, String> asked = new HashMap<>();
        boolean ended;

        Open(Transport transport, ConnectedClient client) {
            this.transport = transport;
            this.client = client;
        }
    }

    private final Agent agent;
    private final HttpServer http;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final List<String> requests = new ArrayList<>();

    @GuardedBy("lock")
    private final Map<String, Open> connections = new HashMap<>();

    @GuardedBy("lock")
    private int ids;

    /** Answers a request in the place of the server: with a status, or null to let it go on. */
    volatile Function<HttpExchange, @Nullable Integer> before = exchange -> null;

    /** The status that a message is answered with in the place of the server, by its method; null to let it go on. */
    volatile Function<String, @Nullable Integer> refuses = method -> null;

    /** Whether a message is taken, and the response to its POST lost, by its method. */
    volatile Predicate<String> losesResponse = method -> false;

    volatile boolean isResumable;

    PlainServer(Agent agent) throws IOException {
        this.agent = agent;
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.createContext("/acp", this::handle);
        http.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/acp");
    }

    /** Returns what each request was, in the order in which they came. */
    List<String> requests() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    /** Ends every stream; the log of what was said stays. */
    void cutStreams() {
        lock.lock();
        try {
            connections.values().forEach(open -> open.logs.values().forEach(log -> log.reader++));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Loses all connections, as a server does that is started again. */
    void forget() {
        List<Open> lost;
        lock.lock();
        try {
            lost = List.copyOf(connections.values());
            connections.clear();
            lost.forEach(open -> open.ended = true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        lost.forEach(open -> open.client.close());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Message message = Message.parse(RawJson.wrap(body, 0, body.length));
            note(exchange.getRequestMethod() + " "
                    + (body.length == 0 ? header(exchange, Wire.SESSION_ID) : what(message)));
            Integer refused = before.apply(exchange);
            if (refused != null) {
                exchange.sendResponseHeaders(refused, -1);
                return;
            }
            switch (exchange.getRequestMethod()) {
                case "POST" -> post(exchange, message);
                case "GET" -> get(exchange);
                default -> delete(exchange);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String what(Message message) {
        return message.kind().isResponse() ? "answer" : message.method();
    }

    private void note(String request) {
        lock.lock();
        try {
            requests.add(request.strip());
        } finally {
            lock.unlock();
        }
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    private void post(HttpExchange exchange, Message message) throws IOException, InterruptedException {
        if (message.method().equals("initialize")) {
            initialize(exchange, message);
            return;
        }
        Integer refused = refuses.apply(message.method());
        if (refused != null) {
            exchange.sendResponseHeaders(refused, -1);
            return;
        }
        Open open = open(exchange);
        if (open == null) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        RequestId id = message.id();
        if (message.kind() == Message.Kind.REQUEST && id != null) {
            lock.lock();
            try {
                open.asked.put(id, message.method().equals("session/load") ? "" : message.session());
            } finally {
                lock.unlock();
            }
        }
        open.transport.writer().write(message);
        open.transport.writer().flush();
        if (!losesResponse.test(message.method())) {
            exchange.sendResponseHeaders(202, -1);
        }
    }

    private void initialize(HttpExchange exchange, Message message) throws IOException, InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Open open = new Open(pair.left(), agent.connect(pair.right()));
        pair.left().writer().write(message);
        pair.left().writer().flush();
        Message answer = pair.left().reader().read();
        if (answer == null) {
            exchange.sendResponseHeaders(500, -1);
            return;
        }
        String id;
        lock.lock();
        try {
            ids++;
            id = "connection-" + ids;
            connections.put(id, open);
        } finally {
            lock.unlock();
        }
        Thread unused = Thread.ofVirtual().start(() -> pump(open));
        String text = answer.raw().toString();
        if (isResumable) {
            text = text.replace(
                    "\"agentCapabilities\":{",
                    "\"agentCapabilities\":{\"transport\":{\"resumable\":{\"retentionSeconds\":60}},");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add(Wire.CONNECTION_ID, id);
        exchange.getResponseHeaders().add("Content-Type", Wire.JSON);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void pump(Open open) {
        try {
            for (Message next = open.transport.reader().read();
                    next != null;
                    next = open.transport.reader().read()) {
                lock.lock();
                try {
                    String asked = next.kind().isResponse() ? open.asked.remove(next.id()) : next.session();
                    log(open, asked == null ? "" : asked)
                            .events
                            .add(next.raw().toString().getBytes(StandardCharsets.UTF_8));
                    changed.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        } catch (IOException e) {
            note("the connection of the agent failed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            open.ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static Log log(Open open, String stream) {
        return open.logs.computeIfAbsent(stream, name -> new Log());
    }

    private void get(HttpExchange exchange) throws IOException, InterruptedException {
        Open open = open(exchange);
        if (open == null) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        int reader;
        Log log;
        lock.lock();
        try {
            log = log(open, header(exchange, Wire.SESSION_ID));
            String last = header(exchange, Wire.LAST_EVENT_ID);
            log.written = last.isEmpty() ? log.written : Integer.parseInt(last);
            log.reader++;
            reader = log.reader;
        } finally {
            lock.unlock();
        }
        exchange.getResponseHeaders().add("Content-Type", Wire.EVENTS);
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.write(": ok\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        byte[] event = next(open, log, reader);
        while (event.length > 0) {
            out.write(event);
            out.flush();
            event = next(open, log, reader);
        }
    }

    /** Waits for the next event of a stream; empty when this reader has to go. */
    private byte[] next(Open open, Log log, int reader) throws InterruptedException {
        lock.lock();
        try {
            while (log.reader == reader && log.written == log.events.size() && !open.ended) {
                changed.await();
            }
            if (log.reader != reader || log.written == log.events.size()) {
                return new byte[0];
            }
            byte[] data = log.events.get(log.written);
            log.written++;
            String id = isResumable ? "id: " + log.written + "\n" : "";
            return (id + "data: " + new String(data, StandardCharsets.UTF_8) + "\n\n").getBytes(StandardCharsets.UTF_8);
        } finally {
            lock.unlock();
        }
    }

    private void delete(HttpExchange exchange) throws IOException {
        Open open = open(exchange);
        exchange.sendResponseHeaders(open == null ? 404 : 202, -1);
        if (open != null) {
            lock.lock();
            try {
                boolean unused = connections.values().remove(open);
                open.ended = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            open.client.close();
        }
    }

    private @Nullable Open open(HttpExchange exchange) {
        lock.lock();
        try {
            return connections.get(header(exchange, Wire.CONNECTION_ID));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        forget();
        http.stop(0);
    }
}
