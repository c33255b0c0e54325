package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.AcceptRateLimit;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.ForwardedRequestCustomizer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.TunnelSupport;
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
 * What knows Jetty, beside {@link ProxyProtocol} and {@link AcceptedSockets}: it reads requests, writes answers, and
 * turns both into an {@link Exchange}.
 */
final class JettyFront {
    private static final int THREADS = 8;
    private static final int HEADER_BYTES = 32 * 1024;

    /** At Jetty's 128, the 129th stream of a connection fails, and with it a POST. */
    private static final int STREAMS = 4096;

    /** At Jetty's 128, a client that closes a hundred streams at once loses all others. */
    private static final int CONTROL_FRAMES_A_SECOND = 8192;

    /** What the kernel takes beyond what a client has read counts as sent. */
    private static final int KERNEL_BYTES = 256 * 1024;

    /** Over HTTP/1.1 each stream is one, so there are more than connections of clients. */
    private static final int NETWORK_CONNECTIONS = 16_384;

    private static final int ACCEPTED_A_SECOND = 4096;

    /** All clients come back at once when a network does. One that finds no place tries again after a second. */
    private static final int WAITING_CONNECTIONS = 4096;

    private static final long IDLE_MILLIS = 30_000;

    private final HttpServer configuration;
    private final InetAddress address;
    private final Server server;
    private final ServerConnector connector;
    private final AcceptedSockets sockets;

    /** Null without TLS. Changed by the thread of the clock only. */
    private volatile @Nullable Secured secured;

    /** The certificate in use; {@code problem} is what was wrong with files that have changed since. */
    private record Secured(SslContextFactory.Server context, Tls tls, String problem) {
        Secured(SslContextFactory.Server context, Tls tls) {
            this(context, tls, "");
        }
    }

    private final ExecutorService virtualThreads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("acp4j-http-", 0).factory());

    JettyFront(HttpServer configuration, InetAddress address) {
        this.configuration = configuration;
        this.address = address;
        int most = Math.max(NETWORK_CONNECTIONS, 4 * configuration.limits().connections());
        int ofAddress = configuration.limits().connectionsOfAddress();
        this.sockets = new AcceptedSockets(
                ofAddress == 0 ? most / 4 : ofAddress, configuration.proxies(), configuration.time());
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 4);
        threads.setName("acp4j-http");
        threads.setDaemon(true);
        threads.setVirtualThreadsExecutor(virtualThreads);
        server = new Server(threads);
        connector =
                new ServerConnector(
                        server,
                        1,
                        1,
                        configuration.hasProxyProtocol()
                                ? ProxyProtocol.before(protocols(), configuration.proxies())
                                : protocols()) {
                    @Override
                    protected void configure(Socket socket) {
                        if (sockets.add(socket.getChannel())) {
                            super.configure(socket);
                        } else {
                            configuration.tell(new ServerEvent.Refused(
                                    0,
                                    "too_many_connections_of_address",
                                    socket.getInetAddress().getHostAddress(),
                                    "",
                                    null,
                                    ""));
                        }
                    }

                    @Override
                    protected SocketChannelEndPoint newEndPoint(
                            SocketChannel channel, ManagedSelector selector, SelectionKey key) {
                        SocketChannelEndPoint endPoint = sockets.new Accepted(channel, selector, key, getScheduler());
                        endPoint.setIdleTimeout(getIdleTimeout());
                        return endPoint;
                    }

                    @Override
                    protected void interruptAcceptors() {
                        // An interrupt would make the JDK lose a socket that it has just accepted.
                        close();
                        setAccepting(true);
                    }
                };
        connector.setHost(address.getHostAddress());
        connector.setPort(configuration.port());
        connector.setIdleTimeout(
                Math.max(IDLE_MILLIS, 2 * configuration.limits().keepAlive().toMillis()));
        connector.setAcceptQueueSize(WAITING_CONNECTIONS);
        connector.setAcceptedSendBufferSize(KERNEL_BYTES);
        connector.addBean(sockets);
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(most, connector));
        server.addBean(new AcceptRateLimit(ACCEPTED_A_SECOND, 1, TimeUnit.SECONDS, connector));
        server.setStopTimeout(0);
    }

    private ConnectionFactory[] protocols() {
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(HEADER_BYTES);
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        http.setRelativeRedirectAllowed(false);
        if (!configuration.proxies().isEmpty()) {
            ForwardedChain chain = new ForwardedChain(configuration.proxies());
            ForwardedRequestCustomizer forwarded = new ForwardedRequestCustomizer();
            http.addCustomizer((request, headers) -> isTrusted(request, configuration.proxies())
                    ? forwarded.customize(chain.customize(request, headers), headers)
                    : request);
        }
        HttpConnectionFactory http1 = new HttpConnectionFactory(http);
        Tls tls = configuration.tls();
        if (tls == null) {
            return new ConnectionFactory[] {http1, tuned(new HTTP2CServerConnectionFactory(http))};
        }
        // Hosts are compared by the endpoint, whose list may have more names than the certificate.
        http.addCustomizer(new SecureRequestCustomizer(false));
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
        alpn.setDefaultProtocol(HttpVersion.HTTP_1_1.asString());
        SslContextFactory.Server context = context(tls);
        secured = new Secured(context, tls);
        return new ConnectionFactory[] {
            new SslConnectionFactory(context, alpn.getProtocol()),
            alpn,
            tuned(new HTTP2ServerConnectionFactory(http)),
            http1
        };
    }

    /** Looks at the clock; to be called about once a second. */
    void tick() {
        sockets.tick();
        renewTls();
    }

    /** Reads the certificate and its key again if their files have changed. New connections use them. */
    private void renewTls() {
        Secured now = secured;
        if (now == null) {
            return;
        }
        try {
            Tls renewed = now.tls.renewed();
            if (renewed != null) {
                now.context.reload(context -> {
                    context.setKeyStore(renewed.keys());
                    context.setKeyStorePassword(renewed.password());
                });
                secured = new Secured(now.context, renewed);
            }
        } catch (Exception e) {
            String problem = String.valueOf(e.getMessage());
            if (!problem.equals(now.problem)) {
                configuration.tell(new ServerEvent.CertificateKept(problem));
                secured = new Secured(now.context, now.tls, problem);
            }
        }
    }

    private static AbstractHTTP2ServerConnectionFactory tuned(AbstractHTTP2ServerConnectionFactory http2) {
        http2.setMaxConcurrentStreams(STREAMS);
        http2.setRateControlFactory(new WindowRateControl.Factory(CONTROL_FRAMES_A_SECOND));
        return http2;
    }

    private static SslContextFactory.Server context(Tls tls) {
        SslContextFactory.Server context = new SslContextFactory.Server();
        context.setKeyStore(tls.keys());
        context.setKeyStorePassword(tls.password());
        context.setSniRequired(false);
        context.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        if (tls.authorities() != null) {
            context.setTrustStore(tls.authorities());
        }
        context.setNeedClientAuth(tls.clients() == Tls.ClientCertificates.REQUIRED);
        context.setWantClientAuth(tls.clients() == Tls.ClientCertificates.OPTIONAL);
        return context;
    }

    private static boolean isTrusted(Request request, Set<InetAddress> proxies) {
        InetAddress from = ProxyProtocol.peer(
                request.getConnectionMetaData().getConnection().getEndPoint());
        return from != null && proxies.contains(from);
    }

    /** Takes the port, at which nobody is answered yet. Returns it. */
    int bind() throws IOException {
        try {
            connector.open();
            return connector.getLocalPort();
        } catch (IOException e) {
            virtualThreads.shutdownNow();
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "cannot listen at " + address.getHostAddress() + ":" + configuration.port() + ": "
                            + cause.getMessage(),
                    e);
        }
    }

    void start(Endpoint endpoint) throws IOException {
        server.setHandler(new Front(
                endpoint, WebSocketServerComponents.ensureWebSocketComponents(server), configuration.time(), sockets));
        try {
            server.start();
        } catch (Exception e) {
            stop();
            throw new IOException("the server cannot be started: " + e.getMessage(), e);
        }
    }

    void stop() {
        try {
            server.stop();
        } catch (Exception e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, "the server did not stop cleanly", e);
        } finally {
            sockets.close();
            virtualThreads.shutdownNow();
        }
    }

    /** Hands every request to the endpoint. */
    private static final class Front extends Handler.Abstract {
        private final Endpoint endpoint;
        private final WebSocketMappings webSockets;
        private final Time time;
        private final AcceptedSockets sockets;

        Front(
                Endpoint endpoint,
                org.eclipse.jetty.websocket.core.WebSocketComponents components,
                Time time,
                AcceptedSockets sockets) {
            super(InvocationType.BLOCKING);
            this.endpoint = endpoint;
            this.webSockets = new WebSocketMappings(components);
            this.time = time;
            this.sockets = sockets;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Connection over = request.getConnectionMetaData().getConnection();
            sockets.requested(over);
            boolean isHttp2 = request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
            Callback done = isHttp2 ? callback : Callback.from(() -> sockets.answered(over), callback);
            try {
                endpoint.handle(new JettyExchange(request, response, done, webSockets, time));
            } catch (RuntimeException | Error e) {
                // Jetty would answer without it being known here.
                done.failed(e);
            }
            return true;
        }
    }

    /** One request. */
    static final class JettyExchange implements Exchange, Exchange.Events {
        private final Request request;
        private final Response response;
        private final Callback callback;
        private final WebSocketMappings webSockets;
        private final AtomicBoolean completed = new AtomicBoolean();

        /** What runs when the client leaves. */
        private final Queue<Runnable> departure = new ConcurrentLinkedQueue<>();

        private final AtomicBoolean isWatched = new AtomicBoolean();
        private volatile boolean hasLeft;

        /** Whether a part of the answer is on its way. */
        private volatile boolean isWriting;

        private volatile boolean isAborted;

        private volatile @Nullable Principal caller;

        private final Body body;

        private static final Pattern CLEARTEXT =
                Pattern.compile("(^|[;,\\s])proto=\"?http\"?([;,\\s]|$)", Pattern.CASE_INSENSITIVE);

        JettyExchange(Request request, Response response, Callback callback, WebSocketMappings webSockets, Time time) {
            this.request = request;
            this.response = response;
            this.callback = callback;
            this.webSockets = webSockets;
            this.body = new Body(() -> Request.asInputStream(request), request.getLength(), time);
        }

        @Override
        public void caller(Principal principal) {
            caller = principal;
        }

        @Override
        public @Nullable Principal caller() {
            return caller;
        }

        @Override
        public String method() {
            return request.getMethod();
        }

        @Override
        public String path() {
            return String.valueOf(request.getHttpURI().getCanonicalPath());
        }

        @Override
        public String query() {
            String query = request.getHttpURI().getQuery();
            return query == null ? "" : query;
        }

        @Override
        public String authority() {
            String authority = request.getHttpURI().getAuthority();
            String host = request.getHeaders().get(HttpHeader.HOST);
            if (host == null && isHttp1()) {
                // HTTP/1.0: the server would name itself.
                return "";
            }
            String named = authority == null ? host : authority;
            // One of another name beside it would be for somebody who checks the other.
            return named == null || (host != null && !host.equalsIgnoreCase(named)) ? "" : named;
        }

        @Override
        public boolean isSecure() {
            return request.isSecure();
        }

        @Override
        public boolean isLocal() {
            // That of the connection; the request has the one that a trusted proxy names.
            InetAddress from = ProxyProtocol.peer(
                    request.getConnectionMetaData().getConnection().getEndPoint());
            return from != null && from.isLoopbackAddress() && !isCleartextByProxy(from);
        }

        /** A trusted proxy here says that a client elsewhere has sent this in clear text. */
        private boolean isCleartextByProxy(InetAddress proxy) {
            boolean isForwarded = !Request.getRemoteAddr(request).equals(proxy.getHostAddress());
            String proto = header("X-Forwarded-Proto");
            String forwarded = header("Forwarded");
            return isForwarded
                    && !request.isSecure()
                    && ("http".equalsIgnoreCase(proto)
                            || (forwarded != null
                                    && CLEARTEXT.matcher(forwarded).find()));
        }

        @Override
        public boolean isUpgrade() {
            TunnelSupport tunnel = request.getTunnelSupport();
            if (tunnel != null && "websocket".equals(tunnel.getProtocol())) {
                // On HTTP/2, by a CONNECT.
                return true;
            }
            return request.getMethod().equals("GET") && request.getHeaders().contains(HttpHeader.UPGRADE, "websocket");
        }

        @Override
        public @Nullable String header(String name) {
            return request.getHeaders().get(name);
        }

        @Override
        public List<X509Certificate> certificates() {
            EndPoint.SslSessionData tls =
                    (EndPoint.SslSessionData) request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE);
            X509Certificate[] chain = tls == null ? null : tls.peerCertificates();
            return chain == null ? List.of() : List.of(chain);
        }

        @Override
        public String address() {
            return Request.getRemoteAddr(request);
        }

        @Override
        public RawJson body(int limit, IntConsumer counted) throws IOException {
            try {
                return body.read(limit, counted);
            } catch (IOException e) {
                // Jetty says no more of a broken chunk than of an end that comes too early.
                if (e instanceof HttpException) {
                    throw new Refusal(400, "invalid_body", "the body ends too early, or is not in the chunks of HTTP");
                }
                throw e;
            }
        }

        @Override
        public void onGone(Runnable action) {
            departure.add(action);
            if (isWatched.compareAndSet(false, true)) {
                request.addFailureListener(failure -> leave());
                // It is the server that takes its time.
                request.addIdleTimeoutListener(timeout -> false);
                if (isHttp1()) {
                    watch();
                }
            }
            if (hasLeft) {
                leave();
            }
        }

        /** The client has left: each action runs once, whenever it was added. */
        private void leave() {
            hasLeft = true;
            for (Runnable action = departure.poll(); action != null; action = departure.poll()) {
                action.run();
            }
        }

        private boolean isHttp1() {
            return request.getConnectionMetaData().getHttpVersion().getVersion() < 20;
        }

        /**
         * On HTTP/1.1 the end of the client shows when its connection is read, which nobody does while it is answered.
         * So the connection is closed behind this answer, as more requests may have been read.
         */
        private void watch() {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
            EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
            boolean unused = endPoint.tryFillInterested(Callback.from(() -> fill(endPoint), failure -> leave()));
        }

        private void fill(EndPoint endPoint) {
            ByteBuffer buffer = BufferUtil.allocate(1024);
            try {
                int count = endPoint.fill(buffer);
                while (count > 0) {
                    BufferUtil.clear(buffer);
                    count = endPoint.fill(buffer);
                }
                if (count < 0) {
                    leave();
                } else {
                    boolean unused =
                            endPoint.tryFillInterested(Callback.from(() -> fill(endPoint), failure -> leave()));
                }
            } catch (IOException e) {
                leave();
            }
        }

        @Override
        public void answer(Answer answer) {
            if (response.isCommitted()) {
                // Nothing may follow what was sent.
                abort();
                return;
            }
            response.setStatus(answer.status());
            answer.headers().forEach((name, value) -> response.getHeaders().put(name, value));
            if (!isHttp1()) {
                // A header of HTTP/1.1 only.
                response.getHeaders().remove(HttpHeader.CONNECTION);
            }
            RawJson content = answer.body();
            if (content != null) {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, answer.type());
            }
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, content == null ? 0 : content.length());
            if (!completed.compareAndSet(false, true)) {
                return;
            }
            send(
                    true,
                    content == null
                            ? BufferUtil.EMPTY_BUFFER
                            : ByteBuffer.wrap(content.bytes(), content.from(), content.length()),
                    body.hasRest(answer, header("Expect")) ? Callback.from(this::discard, callback::failed) : callback);
        }

        private void discard() {
            HttpThreads.start("acp4j-http-rest", () -> {
                try {
                    body.discard();
                } finally {
                    callback.succeeded();
                }
            });
        }

        /** Jetty throws in its own ways when the request is over, as that of a client is that has just left. */
        private void send(boolean isLast, ByteBuffer bytes, Callback written) {
            try {
                response.write(isLast, bytes, written);
            } catch (RuntimeException e) {
                written.failed(e);
            }
        }

        @Override
        public Exchange.Events events(Map<String, String> headers) {
            response.setStatus(200);
            headers.forEach((name, value) -> response.getHeaders().put(name, value));
            // The client gives signs of life by reading, which the streams watch.
            request.addIdleTimeoutListener(timeout -> false);
            if (isHttp1()) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
            return this;
        }

        @Override
        public void write(ByteBuffer bytes, Consumer<@Nullable Throwable> done) {
            isWriting = true;
            send(false, bytes, Callback.from(() -> written(null, done), failure -> written(failure, done)));
        }

        private void written(@Nullable Throwable failure, Consumer<@Nullable Throwable> done) {
            isWriting = false;
            if (isAborted) {
                abandon();
            }
            done.accept(failure);
        }

        @Override
        public void end(Runnable done) {
            isWriting = true;
            Callback written = Callback.from(() -> finish(null, done), failure -> finish(failure, done));
            send(true, BufferUtil.EMPTY_BUFFER, written);
        }

        /** The handling of the request is only over when its end is out, so that it can be aborted until then. */
        private void finish(@Nullable Throwable failure, Runnable done) {
            if (completed.compareAndSet(false, true)) {
                if (failure == null) {
                    callback.succeeded();
                } else {
                    callback.failed(failure);
                }
            }
            done.run();
        }

        /**
         * On HTTP/1.1 a write that is under way is failed by the end of the connection. Jetty would wait for it in a
         * loop, for ever when the write itself has noticed that the client has left, and called this.
         */
        @Override
        public void abort() {
            isAborted = true;
            if (isWriting && isHttp1()) {
                request.getConnectionMetaData().getConnection().getEndPoint().close();
            } else {
                abandon();
            }
        }

        private void abandon() {
            if (completed.compareAndSet(false, true)) {
                // Nothing is logged of it.
                callback.failed(new EofException("the client has left, or takes nothing"));
            }
        }

        @Override
        public void upgrade(Map<String, String> headers, SocketSession session) {
            headers.forEach((name, value) -> response.getHeaders().put(name, value));
            JettySocket socket = new JettySocket(session);
            boolean upgraded = webSockets.upgrade(new Negotiator(socket), request, response, callback, null);
            if (!upgraded) {
                answer(Answer.refusal(400, "invalid_upgrade", "this is no upgrade to WebSocket version 13"));
            }
        }
    }

    /** Accepts an upgrade, without the extensions that a client offers: compression costs memory for each socket. */
    private record Negotiator(FrameHandler handler) implements WebSocketNegotiator {
        @Override
        public FrameHandler negotiate(ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
            response.setExtensions(List.of());
            if (request.getSubProtocols().contains(Wire.SUBPROTOCOL)) {
                // A page that offers a ticket behind it needs an accepted one.
                response.setAcceptedSubProtocol(Wire.SUBPROTOCOL);
            }
            return handler;
        }

        @Override
        public void customize(Configuration socket) {
            // Large frames arrive in parts, of which the handler takes no more than a message may have.
            socket.setAutoFragment(true);
            socket.setMaxFrameSize(0);
            socket.setIdleTimeout(Duration.ZERO);
        }
    }

    /** One WebSocket. Frames come one at a time, each when the one before was taken. */
    private static final class JettySocket implements FrameHandler, Exchange.Link {
        private final SocketSession session;
        private final AtomicBoolean closed = new AtomicBoolean();

        /** The latest ping that is not answered; null when there is none. */
        private final AtomicReference<byte @Nullable []> pinged = new AtomicReference<>();

        private final AtomicBoolean isAnswering = new AtomicBoolean();
        private boolean isText;
        private volatile @Nullable CoreSession socket;

        JettySocket(SocketSession session) {
            this.session = session;
        }

        private CoreSession socket() {
            CoreSession open = socket;
            if (open == null) {
                throw new IllegalStateException("the WebSocket is not open yet");
            }
            return open;
        }

        @Override
        public void onOpen(CoreSession opened, Callback callback) {
            socket = opened;
            session.open(this);
            callback.succeeded();
            opened.demand();
        }

        @Override
        public void onFrame(Frame frame, Callback callback) {
            if (frame.isControlFrame()) {
                session.heard();
                byte[] payload = BufferUtil.toArray(frame.getPayload());
                callback.succeeded();
                if (frame.getOpCode() == OpCode.PONG && payload.length == Long.BYTES) {
                    session.pong(ByteBuffer.wrap(payload).getLong());
                }
                if (frame.getOpCode() == OpCode.PING) {
                    pong(payload);
                } else if (frame.getOpCode() != OpCode.CLOSE) {
                    socket().demand();
                }
                return;
            }
            if (frame.getOpCode() != OpCode.CONTINUATION) {
                isText = frame.getOpCode() == OpCode.TEXT;
            }
            byte[] part = isText ? BufferUtil.toArray(frame.getPayload()) : null;
            callback.succeeded();
            if (part == null) {
                session.heard();
                socket().demand();
                return;
            }
            try {
                session.part(part, frame.isFin(), socket()::demand);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                abort();
            }
        }

        /**
         * While an answer is on its way only the latest ping is answered behind it: so none pile up, and a client that
         * reads nothing is still heard.
         */
        private void pong(byte[] payload) {
            pinged.set(payload);
            answerPing();
            socket().demand();
        }

        private void answerPing() {
            while (pinged.get() != null && isAnswering.compareAndSet(false, true)) {
                byte[] payload = pinged.getAndSet(null);
                if (payload != null) {
                    Callback next = Callback.from(this::answered, failure -> {});
                    socket().sendFrame(new Frame(OpCode.PONG, ByteBuffer.wrap(payload)), next, false);
                    return;
                }
                isAnswering.set(false);
            }
        }

        private void answered() {
            isAnswering.set(false);
            answerPing();
        }

        @Override
        public void onError(Throwable cause, Callback callback) {
            callback.succeeded();
        }

        @Override
        public void onClosed(CloseStatus status, Callback callback) {
            callback.succeeded();
            if (closed.compareAndSet(false, true)) {
                session.closed(status.getCode());
            }
        }

        @Override
        public void send(RawJson message, Runnable progress, Consumer<@Nullable Throwable> done) {
            ByteBuffer bytes = ByteBuffer.wrap(message.bytes(), message.from(), message.length())
                    .slice();
            Parts.write(bytes, this::send, progress, done);
        }

        private void send(ByteBuffer part, boolean isFirst, boolean isLast, Consumer<@Nullable Throwable> done) {
            Frame frame = new Frame(isFirst ? OpCode.TEXT : OpCode.CONTINUATION, part).setFin(isLast);
            socket().sendFrame(frame, Callback.from(() -> done.accept(null), done), false);
        }

        @Override
        public void ping(long number) {
            ByteBuffer payload = ByteBuffer.allocate(Long.BYTES).putLong(0, number);
            socket().sendFrame(new Frame(OpCode.PING, payload), Callback.NOOP, false);
        }

        @Override
        public void close(int code, String reason) {
            socket().close(code, reason, Callback.NOOP);
        }

        @Override
        public void abort() {
            socket().abort();
        }
    }
}
