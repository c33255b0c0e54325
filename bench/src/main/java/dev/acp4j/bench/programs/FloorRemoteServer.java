package dev.acp4j.bench.programs;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.jspecify.annotations.Nullable;

/**
 * What a server on Jetty costs at least: it looks for the method of a message, parses nothing, keeps nothing, checks
 * nothing. A prompt of {@code say 3} is answered by three updates of 200 bytes, {@code say 3 50} by one each 50 ms,
 * {@code say 3 50 1000} by longer ones.
 */
final class FloorRemoteServer extends Handler.Abstract {
    private static final String CONNECTION = "Acp-Connection-Id";
    private static final String SESSION = "Acp-Session-Id";

    private final AtomicInteger connections = new AtomicInteger();
    private final Map<String, Out> streams = new ConcurrentHashMap<>();
    private final WebSocketMappings webSockets;

    private FloorRemoteServer(Server server) {
        super(InvocationType.BLOCKING);
        this.webSockets = new WebSocketMappings(WebSocketServerComponents.ensureWebSocketComponents(server));
    }

    /**
     * Serves until the end of standard input.
     *
     * @param args the file of keys for TLS and its password, or nothing
     */
    public static void main(String[] args) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool(16, 4);
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        Server server = new Server(threads);
        ServerConnector connector = args.length == 2 ? secure(server, args) : plain(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new FloorRemoteServer(server));
        server.start();
        Remote.control(connector.getLocalPort(), () -> 0);
        server.stop();
    }

    private static ServerConnector plain(Server server) {
        return new ServerConnector(server, 1, 1, new HttpConnectionFactory(new HttpConfiguration()));
    }

    private static ServerConnector secure(Server server, String[] args) {
        HttpConfiguration http = new HttpConfiguration();
        http.addCustomizer(new SecureRequestCustomizer(false));
        SslContextFactory.Server context = new SslContextFactory.Server();
        context.setKeyStorePath(args[0]);
        context.setKeyStorePassword(args[1]);
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
        HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(http);
        http2.setMaxConcurrentStreams(4096);
        http2.setRateControlFactory(new WindowRateControl.Factory(8192));
        return new ServerConnector(
                server,
                1,
                1,
                new SslConnectionFactory(context, alpn.getProtocol()),
                alpn,
                http2,
                new HttpConnectionFactory(http));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String connection = request.getHeaders().get(CONNECTION);
        String session = request.getHeaders().get(SESSION);
        if (request.getMethod().equals("POST")) {
            post(request, response, callback, connection, session);
        } else if (request.getHeaders().contains("Upgrade", "websocket")) {
            webSockets.upgrade(new Upgrade(), request, response, callback, null);
        } else {
            response.getHeaders().put("Content-Type", "text/event-stream");
            request.addIdleTimeoutListener(timeout -> false);
            Events events = new Events(response);
            streams.put(connection + "/" + session, events);
            events.begin(buffer(": ok\n\n"));
        }
        return true;
    }

    private void post(Request request, Response response, Callback callback, String connection, String session)
            throws Exception {
        String body;
        try (InputStream in = Request.asInputStream(request)) {
            body = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (connection == null) {
            response.getHeaders().put(CONNECTION, "c" + connections.incrementAndGet());
            response.getHeaders().put("Content-Type", "application/json");
            response.write(true, buffer(initialized(body)), callback);
            return;
        }
        response.setStatus(202);
        response.write(true, BufferUtil.EMPTY_BUFFER, callback);
        obey(body, Objects.requireNonNull(streams.get(connection + "/" + session)));
    }

    private static String id(String body) {
        int from = body.indexOf("\"id\":") + 5;
        int to = from;
        while (Character.isDigit(body.charAt(to))) {
            to++;
        }
        return body.substring(from, to);
    }

    private static String initialized(String body) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id(body)
                + ",\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{},\"authMethods\":[]}}";
    }

    private static void obey(String body, Out out) throws InterruptedException {
        String begin = "{\"jsonrpc\":\"2.0\",\"id\":" + id(body) + ",\"result\":";
        if (body.contains("\"session/new\"")) {
            out.say(begin + "{\"sessionId\":\"s1\"}}");
            return;
        }
        String end = begin + "{\"stopReason\":\"end_turn\"}}";
        int from = body.indexOf("\"text\":\"say ") + 8;
        Remote.Task task = Remote.Task.of(body.substring(from, body.indexOf('"', from)));
        if (task.millis() > 0) {
            Remote.paced(task, number -> out.say(update(task.text(number))), () -> out.say(end));
            return;
        }
        for (int i = 0; i < task.updates(); i++) {
            out.say(update(task.text(i)));
        }
        out.say(end);
    }

    private static String update(String text) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\",\"update\":"
                + "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\"}}}}";
    }

    private static ByteBuffer buffer(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** What messages go to, one write at a time. */
    private abstract static class Out {
        private static final int MOST_WAITING = 1000;

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition room = lock.newCondition();
        private final Queue<ByteBuffer> waiting = new ArrayDeque<>();
        private boolean isWriting = beginsByWriting();

        /** Writes something before all messages: what is said meanwhile waits. */
        void begin(ByteBuffer first) {
            write(first, Callback.from(this::next, failure -> {}));
        }

        void say(String message) {
            lock.lock();
            try {
                while (waiting.size() == MOST_WAITING) {
                    room.awaitUninterruptibly();
                }
                waiting.add(frame(message));
                if (isWriting) {
                    return;
                }
                isWriting = true;
            } finally {
                lock.unlock();
            }
            next();
        }

        private void next() {
            ByteBuffer first;
            lock.lock();
            try {
                first = joined();
                isWriting = first != null;
                room.signalAll();
            } finally {
                lock.unlock();
            }
            if (first != null) {
                write(first, Callback.from(this::next, failure -> {}));
            }
        }

        /** Whether {@link #begin} comes first. */
        abstract boolean beginsByWriting();

        /** Returns all that waits in one, if this way can have that. */
        abstract @Nullable ByteBuffer joined();

        @Nullable
        ByteBuffer one() {
            return waiting.poll();
        }

        @Nullable
        ByteBuffer all() {
            int size = waiting.stream().mapToInt(ByteBuffer::remaining).sum();
            if (size == 0) {
                return null;
            }
            ByteBuffer all = ByteBuffer.allocate(size);
            waiting.forEach(all::put);
            waiting.clear();
            return all.flip();
        }

        abstract ByteBuffer frame(String message);

        abstract void write(ByteBuffer bytes, Callback callback);
    }

    private static final class Events extends Out {
        private final Response response;

        Events(Response response) {
            this.response = response;
        }

        @Override
        boolean beginsByWriting() {
            return true;
        }

        @Override
        @Nullable
        ByteBuffer joined() {
            return all();
        }

        @Override
        ByteBuffer frame(String message) {
            return buffer("data: " + message + "\n\n");
        }

        @Override
        void write(ByteBuffer bytes, Callback callback) {
            response.write(false, bytes, callback);
        }
    }

    private static final class Socket extends Out implements FrameHandler {
        private @Nullable CoreSession session;

        private CoreSession session() {
            return Objects.requireNonNull(session);
        }

        @Override
        boolean beginsByWriting() {
            return false;
        }

        @Override
        @Nullable
        ByteBuffer joined() {
            return one();
        }

        @Override
        ByteBuffer frame(String message) {
            return buffer(message);
        }

        @Override
        void write(ByteBuffer bytes, Callback callback) {
            session().sendFrame(new Frame(OpCode.TEXT, bytes), callback, false);
        }

        @Override
        public void onOpen(CoreSession opened, Callback callback) {
            session = opened;
            callback.succeeded();
            opened.demand();
        }

        @Override
        public void onFrame(Frame frame, Callback callback) {
            String body = BufferUtil.toUTF8String(frame.getPayload());
            boolean isText = frame.getOpCode() == OpCode.TEXT;
            callback.succeeded();
            session().demand();
            if (isText && body.contains("\"initialize\"")) {
                say(initialized(body));
            } else if (isText) {
                try {
                    obey(body, this);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void onError(Throwable cause, Callback callback) {
            callback.succeeded();
        }

        @Override
        public void onClosed(CloseStatus status, Callback callback) {
            callback.succeeded();
        }
    }

    private static final class Upgrade implements WebSocketNegotiator {
        @Override
        public FrameHandler negotiate(ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
            response.setExtensions(List.of());
            return new Socket();
        }

        @Override
        public void customize(Configuration socket) {
            socket.setIdleTimeout(Duration.ZERO);
        }
    }
}
