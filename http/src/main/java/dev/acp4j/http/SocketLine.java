package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection over WebSocket: each message is a text frame, in both directions. When the socket is cut and the server
 * can resume, another one goes on behind the last message that arrived; what the server did not take before is sent
 * again, by count.
 *
 * <p>One virtual thread sends, as long as the line lasts. Frames are received on threads of the JDK's client, one after
 * another: the next is asked for when there is room for it.
 *
 * <p>The lock guards what waits, what was sent, and the socket. Nothing is sent, called or waited for while it is held.
 */
final class SocketLine implements Line {
    /** What a server without WebSocket answers. */
    private static final Set<Integer> UNSUPPORTED = Set.of(200, 202, 400, 404, 405, 406, 426, 501);

    private static final int MOST_WAITING_BYTES = 8 * 1024 * 1024;
    private static final Duration HANDSHAKE_TIME = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIME = Duration.ofMinutes(2);
    private static final Duration FAREWELL_TIME = Duration.ofSeconds(2);
    private static final Duration PING_INTERVAL = Duration.ofSeconds(15);

    /** With so much unconfirmed, nothing more is sent; after so much more, a pong is asked for. */
    private static final int MOST_UNCONFIRMED_BYTES = 16 * 1024 * 1024;

    private static final int BYTES_BETWEEN_PINGS = 1024 * 1024;
    /**
     * The JDK's client does not notice that the server is gone if that happens while it hands over a frame. What is
     * then written fails, the second time; so something is written when a burst of messages is over.
     */
    private static final int PROBES = 2;

    private static final Duration PROBE_INTERVAL = Duration.ofMillis(500);
    private static final int RECENT = 256;
    private static final String RESUME_ID = "acp4j-resume";

    private final RemoteAgent.Settings settings;
    private final Owner owner;
    private final Requests requests;
    private final URI uri;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Not sent yet. */
    @GuardedBy("lock")
    private final ArrayDeque<Message> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long waitingBytes;

    /** Sent, and not known to have arrived; only if the server can resume. */
    @GuardedBy("lock")
    private final ArrayDeque<Message> unconfirmed = new ArrayDeque<>();

    /** How many messages were sent since {@code initialize}. */
    @GuardedBy("lock")
    private long sent;

    /** The bytes of what is unconfirmed. */
    @GuardedBy("lock")
    private long unconfirmedBytes;

    /** The bytes of it when the last ping was sent. */
    @GuardedBy("lock")
    private long pingedBytes;

    /** Whether a ping is to be sent. */
    @GuardedBy("lock")
    private boolean pings;

    /** How many of them have certainly arrived. */
    @GuardedBy("lock")
    private long confirmed;

    /** The position in each stream; the empty name is that of the connection. */
    @GuardedBy("lock")
    private final Map<String, String> cursors = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final ArrayDeque<String> recent = new ArrayDeque<>();

    /** Requests without an answer. */
    @GuardedBy("lock")
    private final Map<RequestId, Message> asked = new HashMap<>();

    @GuardedBy("lock")
    private @Nullable Socket socket;

    /**
     * The socket whose messages count: the last one whose server was told, or is about to be told, where the streams
     * are.
     */
    @GuardedBy("lock")
    private @Nullable Socket listening;

    @GuardedBy("lock")
    private long heard;

    /** How often the socket is still probed, and when that, or a message, was last. */
    @GuardedBy("lock")
    private int probes;

    @GuardedBy("lock")
    private long probed;

    @GuardedBy("lock")
    private boolean over;

    @GuardedBy("lock")
    private boolean finishing;

    @GuardedBy("lock")
    private boolean isSending;

    private volatile Resumption resumption = Resumption.NONE;
    private final CompletableFuture<Message> initialized = new CompletableFuture<>();
    private volatile @Nullable RequestId initializeId;

    SocketLine(RemoteAgent.Settings settings, Owner owner) {
        this.settings = settings;
        this.owner = owner;
        this.requests = new Requests(settings);
        String text = settings.endpoint.toString();
        this.uri = URI.create(text.startsWith("https") ? "wss" + text.substring(5) : "ws" + text.substring(4));
    }

    /** Returns whether a failure only says that the server has no WebSocket. */
    static boolean isUnsupported(HttpFailure failure) {
        return UNSUPPORTED.contains(failure.status());
    }

    // ---- sockets

    /** One socket and the client that it belongs to, which is not used for another one. */
    private final class Socket implements WebSocket.Listener {
        private final HttpClient client;
        private final StringBuilder text = new StringBuilder();
        private boolean isTooLarge;
        private volatile @Nullable WebSocket socket;
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();

        /** The frame that answers {@code stream/resume}. */
        private final CompletableFuture<Message> resumed = new CompletableFuture<>();

        Socket() throws HttpFailure {
            client = requests.newClient(HttpClient.Version.HTTP_1_1);
        }

        void connect(String connectionId, boolean again) throws HttpFailure, InterruptedException {
            WebSocket.Builder builder = client.newWebSocketBuilder().connectTimeout(settings.connectTime);
            Map<String, String> headers = settings.userHeaders();
            if (isOver()) {
                // Closed while they were asked for.
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
            }
            headers.forEach(builder::header);
            if (!connectionId.isEmpty()) {
                builder.header(Wire.CONNECTION_ID, connectionId);
            }
            try {
                socket = builder.buildAsync(uri, this)
                        .get(HANDSHAKE_TIME.plus(settings.connectTime).toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                throw new HttpFailure(
                        HttpFailure.Kind.REFUSED, "the server did not answer the request for a WebSocket", 426, "", 0);
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                if (cause instanceof WebSocketHandshakeException refused) {
                    int status = refused.getResponse().statusCode();
                    if (status == 401) {
                        settings.onRefused.accept(headers.get("Authorization"));
                    }
                    if (status == 401 && again) {
                        connect(connectionId, false);
                        return;
                    }
                    throw refusal(refused.getResponse());
                }
                throw cause instanceof IOException io
                        ? requests.failure(io)
                        : new HttpFailure(HttpFailure.Kind.UNKNOWN, "no WebSocket: " + cause, cause);
            }
        }

        private HttpFailure refusal(HttpResponse<?> response) {
            HttpFailure why = requests.refusal("the request for a WebSocket", response, "");
            // A WebSocket that is refused otherwise is refused always.
            return why.kind() == HttpFailure.Kind.REFUSED && why.status() < 500 && why.status() != 409
                    ? why.as(HttpFailure.Kind.FINAL)
                    : why;
        }

        void send(Message message) throws IOException, InterruptedException {
            RawJson raw = message.raw();
            send(open().sendText(new String(raw.bytes(), raw.from(), raw.length(), StandardCharsets.UTF_8), true));
        }

        void ping(long count) throws IOException, InterruptedException {
            send(open().sendPing(ByteBuffer.allocate(8).putLong(count).flip()));
        }

        private WebSocket open() throws IOException {
            WebSocket known = socket;
            if (known == null) {
                throw new IOException("the WebSocket is not open");
            }
            return known;
        }

        private void send(CompletableFuture<WebSocket> sending) throws IOException, InterruptedException {
            try {
                WebSocket unused = sending.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            }
        }

        void cut() {
            WebSocket known = socket;
            if (known != null) {
                known.abort();
            }
            client.shutdownNow();
        }

        @Override
        public void onOpen(WebSocket webSocket) {
            socket = webSocket;
            webSocket.request(1);
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            hears();
            willBeProbed();
            if (text.length() + (long) data.length() > settings.messageBytes) {
                isTooLarge = true;
            } else {
                text.append(data);
            }
            if (!last) {
                webSocket.request(1);
                return null;
            }
            String whole = text.toString();
            boolean tooLarge = isTooLarge;
            text.setLength(0);
            text.trimToSize();
            isTooLarge = false;
            byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
            Message message = tooLarge || bytes.length > settings.messageBytes
                    ? Message.oversized(Arrays.copyOf(bytes, Math.min(1024, bytes.length)), settings.messageBytes)
                    : Message.parse(RawJson.wrap(bytes, 0, bytes.length));
            receive(this, message, () -> webSocket.request(1));
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
            hears();
            owner.problem("the server sent a binary frame, which is ignored", new IOException("binary frame"));
            webSocket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket webSocket, ByteBuffer message) {
            hears();
            webSocket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPong(WebSocket webSocket, ByteBuffer message) {
            hears();
            if (message.remaining() == 8) {
                confirm(message.getLong());
            }
            webSocket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
            boolean unused = ended.complete(code);
            String why = "the server closed the WebSocket with " + code + (reason.isEmpty() ? "" : ": " + reason);
            HttpFailure.Kind kind = switch (code) {
                case 1002, 1003, 1007, 1009, 1010 -> HttpFailure.Kind.FINAL;
                case 1008 -> HttpFailure.Kind.GONE;
                default -> HttpFailure.Kind.UNKNOWN;
            };
            HttpFailure failure = new HttpFailure(kind, why, null);
            resumed.completeExceptionally(failure);
            closed(this, code, failure);
            return null;
        }

        @Override
        public void onError(WebSocket webSocket, Throwable error) {
            boolean unused = ended.complete(1006);
            HttpFailure failure = error instanceof IOException io
                    ? requests.failure(io)
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, "the WebSocket failed: " + error, error);
            resumed.completeExceptionally(failure);
            closed(this, 1006, failure);
        }

        private void willBeProbed() {
            lock.lock();
            try {
                boolean wakes = probes == 0;
                probes = PROBES;
                probed = settings.time.nanoTime();
                if (wakes) {
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        private void hears() {
            lock.lock();
            try {
                heard = settings.time.nanoTime();
            } finally {
                lock.unlock();
            }
        }
    }

    // ---- the beginning

    @Override
    public Message initialize(Message request) throws HttpFailure, InterruptedException {
        initializeId = request.id();
        Socket first = new Socket();
        lock.lock();
        try {
            if (over) {
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
            }
            socket = first;
            listening = first;
        } finally {
            lock.unlock();
        }
        first.connect("", true);
        Message answer;
        try {
            first.send(request);
            answer = initialized.get(ANSWER_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            throw requests.failure(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HttpFailure known
                    ? known
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, "no answer to initialize: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new HttpFailure(
                    HttpFailure.Kind.FINAL,
                    settings.endpoint + " did not answer initialize within " + ANSWER_TIME.toSeconds() + " s",
                    e);
        }
        if (!answer.isError()) {
            lock.lock();
            try {
                // What the server counts begins behind initialize.
                heard = settings.time.nanoTime();
            } finally {
                lock.unlock();
            }
            start("acp4j-http-send", this::run);
            start("acp4j-http-watch", this::watch);
        }
        return answer;
    }

    /** Starts a thread of the line, which is lost if the thread fails. */
    private void start(String name, Runnable body) {
        HttpThreads.start(name, body, this::lose);
    }

    // ---- receiving

    private void receive(Socket from, Message message, Runnable next) {
        RequestId id = message.id();
        if (message.kind().isResponse() && id != null) {
            if (!initialized.isDone() && id.equals(initializeId)) {
                // Known before anything else arrives, or the socket is cut.
                resumption = message.isError() || requests.receivedConnectionId() == null
                        ? Resumption.NONE
                        : Resumption.of(message.result());
                boolean unused = initialized.complete(message);
                next.run();
                return;
            }
            if (id.isString() && id.value().equals(RESUME_ID)) {
                boolean unused = from.resumed.complete(message);
                next.run();
                return;
            }
        }
        if (message.kind() == Message.Kind.NOTIFICATION && message.method().equals(Wire.RESUME_FAILED)) {
            resumeFailed(from, message);
            next.run();
            return;
        }
        Message call;
        lock.lock();
        try {
            if (listening != from) {
                // What it still hands over comes once more on the socket that has taken its place.
                return;
            }
            call = message.kind().isResponse() && id != null ? asked.remove(id) : null;
            passes(message, call == null ? message.session() : streamOf(call));
        } finally {
            lock.unlock();
        }
        // One socket has one order, so no answer can come before the replay that it stands behind.
        owner.arrived(message, call == null ? message.session() : call.session(), next);
    }

    /** Returns the stream that the answer to a request belongs to: that of an opening to that of the connection. */
    private static String streamOf(Message call) {
        return switch (call.method()) {
            case "session/load", "session/resume" -> "";
            default -> call.session();
        };
    }

    private void resumeFailed(Socket from, Message message) {
        String session = Raw.text(message.params(), "sessionId");
        String reason = Raw.text(message.params(), "reason");
        HttpFailure why = new HttpFailure(
                HttpFailure.Kind.GONE,
                "the server does not continue the stream of "
                        + (session.isEmpty() ? "the connection" : "session " + session) + ": " + reason,
                null);
        boolean unused = from.resumed.completeExceptionally(why);
        lose(why);
    }

    @GuardedBy("lock")
    private void passes(Message message, String stream) {
        if (!resumption.isOffered()) {
            return;
        }
        RawJson body = message.kind().isResponse() ? message.result() : message.params();
        String cursor = Raw.text(body, "_meta", Wire.CURSOR);
        if (cursor.isEmpty()) {
            return;
        }
        cursors.put(stream, cursor);
        recent.add(cursor);
        if (recent.size() > RECENT) {
            String unused = recent.poll();
        }
    }

    private void confirm(long count) {
        lock.lock();
        try {
            confirmUpTo(count);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void confirmUpTo(long count) {
        while (confirmed < count && !unconfirmed.isEmpty()) {
            unconfirmedBytes -= unconfirmed.remove().length();
            confirmed++;
        }
        pingedBytes = Math.min(pingedBytes, unconfirmedBytes);
    }

    // ---- sending

    @Override
    public boolean send(Message message) {
        lock.lock();
        try {
            if (over) {
                return true;
            }
            if (message.kind() == Message.Kind.REQUEST
                    && waitingBytes > 0
                    && waitingBytes + message.length() > MOST_WAITING_BYTES) {
                return false;
            }
            waiting.add(message);
            waitingBytes += message.length();
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Sends messages and pings, one after another, so that a ping has the count of what was sent before it. */
    private void run() {
        try {
            while (true) {
                Message next = null;
                Socket to;
                long count;
                lock.lock();
                try {
                    while (!over && (socket == null || !(pings || maySend()))) {
                        changed.await();
                    }
                    to = socket;
                    if (over || to == null) {
                        return;
                    }
                    count = sent;
                    if (pings) {
                        pings = false;
                        pingedBytes = unconfirmedBytes;
                    } else {
                        next = take();
                    }
                    isSending = true;
                } finally {
                    lock.unlock();
                }
                if (next == null) {
                    ping(to, count);
                } else {
                    send(to, next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @GuardedBy("lock")
    private boolean maySend() {
        return !waiting.isEmpty() && unconfirmedBytes < MOST_UNCONFIRMED_BYTES;
    }

    @GuardedBy("lock")
    private Message take() {
        Message next = waiting.remove();
        waitingBytes -= next.length();
        sent++;
        if (resumption.isOffered()) {
            unconfirmed.add(next);
            unconfirmedBytes += next.length();
            pings = unconfirmedBytes - pingedBytes > BYTES_BETWEEN_PINGS;
        }
        if (next.kind() == Message.Kind.REQUEST && next.id() != null) {
            asked.put(next.id(), next);
        }
        return next;
    }

    private void send(Socket to, Message message) throws InterruptedException {
        try {
            to.send(message);
        } catch (IOException e) {
            HttpFailure why = requests.failure(e);
            if (!resumption.isOffered()) {
                owner.undelivered(message, why);
            }
            closed(to, 1006, why);
        } finally {
            sentLast();
        }
    }

    private void sentLast() {
        lock.lock();
        try {
            isSending = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- cuts

    /**
     * A socket has ended; another one takes its place if the server can go on, and there is something to go on with.
     */
    private void closed(Socket which, int code, HttpFailure why) {
        boolean unused = initialized.completeExceptionally(why);
        boolean ends;
        boolean resumes;
        lock.lock();
        try {
            if (socket != which || over) {
                return;
            }
            ends = finishing || code == WebSocket.NORMAL_CLOSURE;
            resumes = !ends
                    && initialized.isDone()
                    && !initialized.isCompletedExceptionally()
                    && resumption.isOffered()
                    && why.kind() == HttpFailure.Kind.UNKNOWN;
            socket = null;
            pings = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        which.cut();
        if (ends) {
            // Not on this thread, which is one of the JDK's.
            start("acp4j-http-farewell", this::end);
        } else if (resumes) {
            start("acp4j-http-resume", () -> resume(why));
        } else {
            lose(why);
        }
    }

    private void resume(HttpFailure first) {
        owner.isDown(true);
        Duration retention = resumption.retention();
        Duration patience =
                retention.isZero() || retention.compareTo(settings.patience) > 0 ? settings.patience : retention;
        long deadline = settings.time.nanoTime() + patience.toNanos();
        Backoff backoff = new Backoff(settings.random);
        HttpFailure last = first;
        try {
            while (pause(backoff.nextNanos(last.retryNanos()), deadline)) {
                try {
                    resumeOnce();
                    owner.isDown(false);
                    return;
                } catch (HttpFailure e) {
                    last = e;
                    if (e.kind() == HttpFailure.Kind.FINAL || e.kind() == HttpFailure.Kind.GONE) {
                        break;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lose(
                last.kind() == HttpFailure.Kind.FINAL
                        ? last
                        : new HttpFailure(HttpFailure.Kind.GONE, String.valueOf(last.getMessage()), last));
    }

    private void resumeOnce() throws HttpFailure, InterruptedException {
        Socket next = new Socket();
        try {
            resume(next);
        } catch (HttpFailure e) {
            next.cut();
            throw e;
        }
    }

    private void resume(Socket next) throws HttpFailure, InterruptedException {
        String id = String.valueOf(requests.receivedConnectionId());
        next.connect(id, true);
        try {
            next.send(Message.request(RequestId.of(RESUME_ID), Wire.RESUME, resumeParams(id, next)));
            Message answer = next.resumed.get(settings.connectTime.toMillis(), TimeUnit.MILLISECONDS);
            if (answer.isError()) {
                throw new HttpFailure(
                        HttpFailure.Kind.GONE, "the server does not resume the connection: " + answer.error(), null);
            }
            goOn(next, Raw.number(answer.result(), 0, "received"));
        } catch (IOException e) {
            throw requests.failure(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HttpFailure known
                    ? known
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, "the connection was not resumed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new HttpFailure(HttpFailure.Kind.UNKNOWN, "the server did not answer stream/resume", e);
        }
    }

    /** From here on only what comes on the next socket counts. */
    private RawJson resumeParams(String id, Socket next) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("connectionId");
        out.string(id);
        out.name("cursors");
        out.beginObject();
        lock.lock();
        try {
            listening = next;
            cursors.forEach((stream, cursor) -> {
                out.name(stream);
                out.string(cursor);
            });
        } finally {
            lock.unlock();
        }
        out.endObject();
        out.endObject();
        return out.toRawJson();
    }

    /** What the server has not received goes out again, before everything else and in its order. */
    private void goOn(Socket next, long arrived) throws HttpFailure {
        lock.lock();
        try {
            if (over) {
                // Closed while it was connecting: nobody else knows this socket.
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
            }
            confirmUpTo(arrived);
            Iterator<Message> again = unconfirmed.descendingIterator();
            while (again.hasNext()) {
                Message message = again.next();
                waiting.addFirst(message);
                waitingBytes += message.length();
                sent--;
            }
            unconfirmed.clear();
            unconfirmedBytes = 0;
            pingedBytes = 0;
            socket = next;
            heard = settings.time.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean pause(long nanos, long deadline) throws InterruptedException {
        lock.lock();
        try {
            long until = settings.time.nanoTime() + nanos;
            while (!over) {
                long left = until - settings.time.nanoTime();
                if (left <= 0) {
                    return deadline - settings.time.nanoTime() > 0;
                }
                settings.time.await(lock, changed, left);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Pings, and cuts a socket that has been silent for too long. */
    private void watch() {
        Duration interval = resumption.keepAlive().isZero() ? PING_INTERVAL : resumption.keepAlive();
        long silence = interval.multipliedBy(5).toNanos();
        Wakefulness wakefulness = new Wakefulness(settings);
        long pinged = settings.time.nanoTime();
        try {
            while (true) {
                Socket current;
                boolean isDead;
                lock.lock();
                try {
                    if (!over) {
                        long tick = Math.min(interval.toNanos(), Wakefulness.TICK_NANOS);
                        settings.time.await(
                                lock, changed, probes > 0 ? Math.min(tick, PROBE_INTERVAL.toNanos()) : tick);
                    }
                    if (over) {
                        return;
                    }
                    long now = settings.time.nanoTime();
                    current = socket;
                    boolean slept = wakefulness.hasSlept();
                    isDead = wakefulness.deadBefore(slept, resumption.isOffered(), silence) - heard >= 0;
                    boolean probing = probes > 0 && now - probed >= PROBE_INTERVAL.toNanos();
                    if ((probing || now - pinged >= interval.toNanos()) && current != null) {
                        pinged = now;
                        probed = now;
                        probes -= probing ? 1 : 0;
                        pings = true;
                        changed.signalAll();
                    }
                } finally {
                    lock.unlock();
                }
                if (isDead && current != null) {
                    closed(
                            current,
                            1006,
                            new HttpFailure(HttpFailure.Kind.UNKNOWN, "the server gives no sign of life", null));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ping(Socket current, long count) throws InterruptedException {
        try {
            current.ping(count);
        } catch (IOException e) {
            closed(current, 1006, requests.failure(e));
        } finally {
            sentLast();
        }
    }

    // ---- the rest of a line

    @Override
    public void opened(String session) {
        // Everything comes on one socket.
    }

    @Override
    public void closed(String session) {
        lock.lock();
        try {
            cursors.remove(session);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasPassed(String stream, String cursor) {
        lock.lock();
        try {
            return recent.contains(cursor);
        } finally {
            lock.unlock();
        }
    }

    private void lose(HttpFailure why) {
        if (!isOver()) {
            owner.lost(why);
        }
    }

    @Override
    public boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void finish() throws InterruptedException {
        Socket last;
        lock.lock();
        try {
            while (!over && (!waiting.isEmpty() || isSending)) {
                changed.await();
            }
            finishing = true;
            last = socket;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            sendClose(last);
            // Also when the server does not answer it.
            closed(
                    last,
                    WebSocket.NORMAL_CLOSURE,
                    new HttpFailure(HttpFailure.Kind.UNKNOWN, "closed by this side", null));
        }
    }

    /** The socket has ended as this side or the server wanted. */
    private void end() {
        try {
            endConnection();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        owner.ended();
    }

    /** Says goodbye, and waits until the server has read all that was sent before, which its own close says. */
    private static void sendClose(Socket last) throws InterruptedException {
        WebSocket open = last.socket;
        if (open == null || open.isOutputClosed()) {
            return;
        }
        try {
            WebSocket unused =
                    open.sendClose(WebSocket.NORMAL_CLOSURE, "").get(FAREWELL_TIME.toMillis(), TimeUnit.MILLISECONDS);
            Integer unusedToo = last.ended.get(FAREWELL_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // It is cut then.
            open.abort();
        }
    }

    /**
     * A connection that can be gone on with outlives its sockets, so it is ended by itself. That it has ended already
     * is an answer, too.
     */
    private void endConnection() throws InterruptedException {
        String id = requests.receivedConnectionId();
        if (id == null || !resumption.isOffered()) {
            return;
        }
        requests.belongTo(id, "");
        try {
            requests.endConnection();
        } catch (HttpFailure e) {
            owner.problem("the server could not be asked to end the connection, which it does by itself later", e);
        }
    }

    @Override
    public void close(boolean farewell) {
        Socket last;
        boolean isFirst;
        lock.lock();
        try {
            isFirst = !over;
            over = true;
            last = socket;
            socket = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (farewell && isFirst) {
            try {
                if (last != null) {
                    sendClose(last);
                }
                endConnection();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (last != null) {
            last.cut();
        }
        requests.close();
    }
}
