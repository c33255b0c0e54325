package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.HttpHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * MCP over HTTP as a transport: each message that is written is a POST, and what the server answers, as JSON or as
 * events, is read in the order in which it arrives. Speaks the revision with sessions, the one without, and, if it is
 * asked to, the transport of 2024 whose answers come on one stream of events.
 *
 * <p>Nothing is sent to another origin than that of the declared address: redirects are not followed.
 *
 * <p>The lock guards which answers of a modern server are open; nothing is sent or waited for while it is held.
 */
final class HttpTransport implements Transport, Transport.Reader, Transport.Writer {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");

    /** In the data of an error that HTTP is the reason for: the status. */
    static final String STATUS = "httpStatus";

    private static final Duration CONNECT_TIME = Duration.ofSeconds(20);
    private static final Duration DELIVERY_TIME = Duration.ofSeconds(30);
    private static final Duration FAREWELL_TIME = Duration.ofSeconds(2);
    private static final int MOST_ERROR_BYTES = 64 * 1024;
    private static final int MOST_QUEUED = 64;
    private static final int MOST_RECONNECTS = 5;
    private static final String EVENTS = "text/event-stream";

    /** Wakes the thread that reads when the transport is closed or has failed. */
    private static final Object END = new Object();

    private final URI address;
    private final List<HttpHeader> headers;
    private final boolean is2024;
    private final int mostBytes;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            task -> Thread.ofPlatform().daemon().name("acp4j-mcp-http").unstarted(task));
    private final HttpClient http;
    private final LinkedBlockingQueue<Object> inbox = new LinkedBlockingQueue<>(MOST_QUEUED);
    private final CompletableFuture<URI> endpoint = new CompletableFuture<>();

    /** More headers of single requests, until they are sent. */
    private final Map<RequestId, Map<String, String>> parameters = new ConcurrentHashMap<>();

    private volatile @Nullable IOException failure;
    private volatile boolean closed;
    private volatile String version = "";
    private volatile boolean modern;
    private volatile @Nullable String session;
    private volatile Duration reconnectPause = Duration.ofSeconds(1);

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<RequestId, Exchange> open = new HashMap<>();

    /** @param is2024 whether the address is that of the only stream of events, as in 2024 */
    HttpTransport(URI address, List<HttpHeader> headers, boolean is2024, int mostBytes) {
        this.address = address;
        this.headers = List.copyOf(headers);
        this.is2024 = is2024;
        this.mostBytes = mostBytes;
        // On clear text HTTP/2 begins with an upgrade, to which some servers give no answer at all.
        boolean isSecure = "https".equalsIgnoreCase(address.getScheme());
        this.http = HttpClient.newBuilder()
                .version(isSecure ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_TIME)
                .executor(threads)
                .build();
        if (is2024) {
            listen(new Exchange(null), null);
        } else {
            endpoint.complete(address);
        }
    }

    /** From here on requests are of this revision. */
    void speak(String revision, boolean isModern) {
        version = revision;
        modern = isModern;
    }

    /** Returns whether this is the transport of 2024, which has a handshake only. */
    boolean is2024() {
        return is2024;
    }

    /** Opens the stream on which a server with sessions sends what belongs to no request, if it has one. */
    void listen() {
        if (!is2024 && !modern) {
            listen(new Exchange(null), null);
        }
    }

    /** Sets headers of a request that is sent later. */
    void parameters(RequestId id, Map<String, String> values) {
        parameters.put(id, values);
    }

    @Override
    public Reader reader() {
        return this;
    }

    @Override
    public Writer writer() {
        return this;
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        Object next = closed ? END : inbox.take();
        IOException why = failure;
        if (why != null && !closed) {
            throw why;
        }
        return !closed && next instanceof Message message ? message : null;
    }

    /** Wakes the thread that reads. If there is no room for the mark, there is something else that wakes it. */
    private void end() {
        boolean unused = inbox.offer(END);
    }

    private void fail(String why) {
        IOException e = new IOException(why);
        failure = e;
        boolean unused = endpoint.completeExceptionally(e);
        end();
    }

    // ---- writing

    @Override
    public void write(Message message) throws IOException {
        if (message.kind() == Message.Kind.NOTIFICATION && message.method().equals(McpCancellation.THEIRS)) {
            Exchange cancelled = take(idOf(message));
            if (cancelled != null) {
                cancelled.cancel();
            }
            if (!modern) {
                announce(message);
            }
            return;
        }
        if (message.kind() == Message.Kind.REQUEST) {
            request(message);
        } else {
            deliver(message);
        }
    }

    private static @Nullable RequestId idOf(Message cancellation) {
        RawJson id = Members.of(cancellation.params()).raw("requestId");
        return id == null ? null : id.decode(RequestId.CODEC);
    }

    private void request(Message message) throws IOException {
        Exchange exchange = new Exchange(message);
        if (modern) {
            // Only there is closing the answer what cancels a request.
            lock.lock();
            try {
                open.put(exchange.id(), exchange);
            } finally {
                lock.unlock();
            }
        }
        var unused = http.sendAsync(post(message).build(), exchange).whenComplete((response, e) -> exchange.over(e));
    }

    /** Sends a cancellation without waiting for it: often the server hangs, which must hold up no other message. */
    private void announce(Message cancellation) throws IOException {
        var unused = http.sendAsync(
                post(cancellation).timeout(DELIVERY_TIME).build(), HttpResponse.BodyHandlers.discarding());
    }

    /** Sends what has no answer, and waits until the server has it: what follows may depend on it. */
    private void deliver(Message message) throws IOException {
        try {
            HttpResponse<Void> response =
                    http.send(post(message).timeout(DELIVERY_TIME).build(), HttpResponse.BodyHandlers.discarding());
            if (response.statusCode() == 404 && session != null) {
                fail("the server has ended its MCP session");
            } else if (response.statusCode() >= 400) {
                LOG.log(
                        System.Logger.Level.INFO,
                        () -> name() + " did not take a message: HTTP " + response.statusCode());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Returns the server's name for people. */
    private String name() {
        return address.getHost() + (address.getPort() < 0 ? "" : ":" + address.getPort());
    }

    private HttpRequest.Builder post(Message message) throws IOException {
        RawJson raw = message.raw();
        HttpRequest.Builder post = begin(endpoint())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, " + EVENTS)
                .POST(HttpRequest.BodyPublishers.ofByteArray(raw.bytes(), raw.from(), raw.length()));
        if (modern) {
            post.header("Mcp-Method", message.method());
            Members params = Members.of(message.params());
            String name = params.text(message.method().equals("resources/read") ? "uri" : "name");
            if (name != null) {
                post.header("Mcp-Name", headerValue(name));
            }
            Map<String, String> more = message.id() == null ? null : parameters.remove(message.id());
            if (more != null) {
                more.forEach((key, value) -> post.header(key, headerValue(value)));
            }
        }
        return post;
    }

    private URI endpoint() throws IOException {
        try {
            return endpoint.get(CONNECT_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            IOException why = failure;
            throw why != null ? why : new IOException("the server has not named the address for messages", e);
        }
    }

    /** Begins a request with what all have. */
    private HttpRequest.Builder begin(URI uri) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        for (HttpHeader header : headers) {
            request.header(header.name(), header.value());
        }
        if (!version.isEmpty()) {
            request.header("MCP-Protocol-Version", version);
        }
        String known = session;
        if (known != null) {
            request.header("Mcp-Session-Id", known);
        }
        return request;
    }

    /** Returns a value as a header can carry it. */
    static String headerValue(String value) {
        boolean isPlain = value.equals(value.strip())
                && value.chars().allMatch(c -> c >= 0x20 && c < 0x7f)
                && !(value.startsWith("=?base64?") && value.endsWith("?="));
        return isPlain
                ? value
                : "=?base64?" + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)) + "?=";
    }

    private void listen(Exchange exchange, @Nullable String lastEvent) {
        exchange.begun = System.nanoTime();
        HttpRequest.Builder get = begin(address).header("Accept", EVENTS).GET();
        if (lastEvent != null) {
            get.header("Last-Event-ID", lastEvent);
        }
        var unused = http.sendAsync(get.build(), exchange).whenComplete((response, e) -> exchange.over(e));
    }

    private void listenAfter(long nanos, Exchange exchange, String lastEvent) {
        var unused = CompletableFuture.runAsync(
                () -> {
                    if (!closed) {
                        listen(exchange, lastEvent.isEmpty() ? null : lastEvent);
                    }
                },
                CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS));
    }

    private @Nullable Exchange take(@Nullable RequestId id) {
        lock.lock();
        try {
            return id == null ? null : open.remove(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        String known = session;
        if (known != null && failure == null) {
            try {
                var unused = http.send(
                        begin(address).timeout(FAREWELL_TIME).DELETE().build(), HttpResponse.BodyHandlers.discarding());
            } catch (IOException e) {
                // It ends without us.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        http.shutdownNow();
        threads.shutdownNow();
        endpoint.cancel(true);
        end();
    }

    // ---- reading

    /**
     * The answer to one request, or a stream of what belongs to none. What comes is read by one thread at a time, in
     * order.
     */
    private final class Exchange implements HttpResponse.BodyHandler<Void>, Flow.Subscriber<List<ByteBuffer>> {
        private final @Nullable Message request;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private @Nullable EventStream events;
        private int status;
        private String lastEvent = "";
        private int reconnects;
        private final Backoff backoff = new Backoff();
        private volatile long begun;
        private boolean hasStreamed;
        private boolean answered;
        private String wanted = "";
        private volatile Flow.@Nullable Subscription subscription;
        private volatile boolean cancelled;

        Exchange(@Nullable Message request) {
            this.request = request;
        }

        RequestId id() {
            return request == null || request.id() == null ? RequestId.NULL : request.id();
        }

        @Override
        public HttpResponse.BodySubscriber<Void> apply(HttpResponse.ResponseInfo info) {
            status = info.statusCode();
            wanted = info.headers().firstValue("WWW-Authenticate").orElse("");
            body.reset();
            String type = info.headers().firstValue("Content-Type").orElse("").toLowerCase(Locale.ROOT);
            boolean isStream = status == 200 && type.startsWith(EVENTS);
            events = isStream ? new EventStream(mostBytes, new Events()) : null;
            hasStreamed |= isStream;
            if (request != null && request.method().equals("initialize") && status == 200) {
                session = info.headers().firstValue("Mcp-Session-Id").orElse(null);
            }
            return HttpResponse.BodySubscribers.fromSubscriber(this);
        }

        @Override
        public void onSubscribe(Flow.Subscription value) {
            subscription = value;
            if (cancelled) {
                value.cancel();
            } else {
                value.request(1);
            }
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                while (buffer.hasRemaining()) {
                    take(buffer.get());
                }
            }
            Flow.Subscription more = subscription;
            if (more != null) {
                more.request(1);
            }
        }

        private void take(byte b) {
            if (events != null) {
                events.take(b);
                return;
            }
            body.write(b);
            if (body.size() > (status == 200 ? mostBytes : MOST_ERROR_BYTES)) {
                throw new IllegalStateException("the answer has more than " + (body.size() - 1) + " bytes");
            }
        }

        @Override
        public void onError(Throwable e) {
            // Reported by what sent the request.
        }

        @Override
        public void onComplete() {
            if (events == null && request != null && !isAnsweredElsewhere()) {
                if (status == 200 && body.size() > 0) {
                    received(Message.parse(RawJson.wrap(body.toByteArray(), 0, body.size())));
                } else {
                    refused();
                }
            }
        }

        /** In 2024 answers came on the stream of events. */
        private boolean isAnsweredElsewhere() {
            return is2024 && request != null && status >= 200 && status < 300;
        }

        void cancel() {
            cancelled = true;
            Flow.Subscription running = subscription;
            if (running != null) {
                running.cancel();
            }
        }

        /** The response has ended. */
        void over(@Nullable Throwable e) {
            if (closed || cancelled || answered || isAnsweredElsewhere()) {
                return;
            }
            boolean isContinued = events != null && !lastEvent.isEmpty() && !modern && !is2024;
            if (request == null) {
                streamEnded(e);
            } else if (isContinued && reconnects < MOST_RECONNECTS) {
                reconnects++;
                listenAfter(reconnectPause.toNanos(), this, lastEvent);
            } else {
                String why = e == null ? "the answer ended without a result" : reason(e);
                answer(new RpcError(RpcError.INTERNAL_ERROR, why, status(0)));
            }
        }

        /** The stream of what belongs to no request has ended: it is opened again, however often, if there is one. */
        private void streamEnded(@Nullable Throwable e) {
            if (is2024) {
                fail(e == null ? "the stream of events has ended, HTTP " + status : reason(e));
            } else if (hasStreamed && failure == null && (e != null || status == 200 || status >= 500)) {
                listenAfter(backoff.next(reconnectPause, System.nanoTime() - begun), this, lastEvent);
            }
        }

        private static String reason(Throwable e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String text = cause.getMessage();
            return text == null ? "cannot be reached: " + cause.getClass().getSimpleName() : text;
        }

        /** The answer is no success. */
        private void refused() {
            String name = name();
            if (status == 404 && session != null) {
                answer(new RpcError(RpcError.INTERNAL_ERROR, "the server has ended its MCP session", status(status)));
                fail("the server has ended its MCP session");
            } else if (status == 401 || status == 403) {
                String header = wanted.isEmpty() ? "Authorization" : "Authorization (" + scheme(wanted) + ")";
                answer(new RpcError(
                        RpcError.INTERNAL_ERROR,
                        name + " answered HTTP " + status + ": it wants another header " + header
                                + " than was declared; no browser is opened",
                        status(status)));
            } else if (status >= 300 && status < 400) {
                answer(new RpcError(
                        RpcError.INTERNAL_ERROR,
                        name + " answered HTTP " + status + ": redirects are not followed; declare the final address",
                        status(status)));
            } else {
                Members said = error();
                Double code = said.number("code");
                if (code != null && status < 500) {
                    answer(new RpcError(code.intValue(), said.text("message", "HTTP " + status), said.raw("data")));
                } else {
                    answer(new RpcError(RpcError.INTERNAL_ERROR, name + " answered HTTP " + status, status(status)));
                }
            }
        }

        /** Returns the error of MCP in the body; without members if that is a page for people. */
        private Members error() {
            try {
                return body.size() == 0
                        ? Members.NONE
                        : Members.of(RawJson.parse(body.toByteArray())).object("error");
            } catch (JsonException e) {
                return Members.NONE;
            }
        }

        private static String scheme(String header) {
            int space = header.indexOf(' ');
            return space < 0 ? header : header.substring(0, space);
        }

        private void answer(RpcError error) {
            received(Message.error(id(), error));
        }

        private void received(Message message) {
            if (request != null && message.id() != null && message.id().equals(id())) {
                answered = true;
                Exchange unused = HttpTransport.this.take(id());
            }
            try {
                inbox.put(message);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private final class Events implements EventStream.Listener {
            @Override
            public void event(String type, String id, String data) {
                lastEvent = id;
                // Also without data: a server that has a long call polled says by it that it goes on.
                reconnects = 0;
                if (type.equals("endpoint") && is2024) {
                    named(data);
                } else if (type.equals("message") && !data.isEmpty()) {
                    received(Message.parse(data));
                }
            }

            @Override
            public void reconnectAfter(long millis) {
                reconnectPause = Duration.ofMillis(Math.clamp(millis, 1, 60_000));
            }
        }

        private void named(String uri) {
            URI target = address.resolve(uri);
            if (origin(target).equals(origin(address))) {
                endpoint.complete(target);
            } else {
                fail("the server names an address for messages at another origin, " + origin(target));
            }
        }
    }

    private static String origin(URI uri) {
        return uri.getScheme() + "://" + uri.getRawAuthority();
    }

    private static RawJson status(int status) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name(STATUS);
        out.int64(status);
        out.endObject();
        return out.toRawJson();
    }

    /** Returns why an address cannot be one of a server, or null. */
    static @Nullable String problem(String url) {
        try {
            URI uri = URI.create(url);
            boolean isHttp = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            return isHttp && uri.getHost() != null ? null : "expected an address that begins with http:// or https://";
        } catch (IllegalArgumentException e) {
            return "not an address";
        }
    }
}
