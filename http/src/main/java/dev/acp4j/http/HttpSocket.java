package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket of a client, and the HTTP client that it belongs to, which is not used for another one. It is read on
 * threads of the JDK, one after another: the next frame is asked for when there is room for it. One thread sends.
 */
final class HttpSocket implements ClientSocket, WebSocket.Listener {
    /** The JDK sends a text of 64 MiB so that its server takes pieces of it for frames; in parts it does not. */
    private static final int PART_CHARACTERS = 1 << 20;

    private static final Duration HANDSHAKE_TIME = Duration.ofSeconds(5);
    private final RemoteAgent.Settings settings;
    private final Requests requests;
    private final Owner owner;
    private final HttpClient client;
    private final StringBuilder text = new StringBuilder();
    private boolean isTooLarge;
    private volatile @Nullable WebSocket socket;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();

    private final CompletableFuture<Message> resumed = new CompletableFuture<>();

    HttpSocket(RemoteAgent.Settings settings, Requests requests, Owner owner) throws HttpFailure {
        this.settings = settings;
        this.requests = requests;
        this.owner = owner;
        this.client = requests.newClient(HttpClient.Version.HTTP_1_1);
    }

    @Override
    public CompletableFuture<Message> resumed() {
        return resumed;
    }

    @Override
    public @Nullable String connectionId() {
        return requests.receivedConnectionId();
    }

    private URI uri() {
        // http becomes ws, and https wss.
        return URI.create("ws" + settings.endpoint.toString().substring(4));
    }

    @Override
    public void connect(String connectionId, boolean again) throws HttpFailure, InterruptedException {
        WebSocket.Builder builder = client.newWebSocketBuilder().connectTimeout(settings.connectTime);
        Map<String, String> headers = settings.userHeaders();
        if (owner.isOver()) {
            // Closed while they were asked for.
            throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
        }
        headers.forEach(builder::header);
        if (!connectionId.isEmpty()) {
            builder.header(Wire.CONNECTION_ID, connectionId);
        }
        try {
            socket = builder.buildAsync(uri(), this)
                    .get(HANDSHAKE_TIME.plus(settings.connectTime).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw silence();
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
            if (cause instanceof HttpTimeoutException && !(cause instanceof HttpConnectTimeoutException)) {
                throw silence();
            }
            throw cause instanceof IOException io
                    ? requests.failure(io)
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, "no WebSocket: " + cause, cause);
        }
    }

    private static HttpFailure silence() {
        String why = "the server did not answer the request for a WebSocket";
        return new HttpFailure(HttpFailure.Kind.REFUSED, why, 426, "", 0);
    }

    private HttpFailure refusal(HttpResponse<?> response) {
        HttpFailure why = requests.refusal("the request for a WebSocket", response, "");
        // A WebSocket that is refused otherwise is refused always.
        return why.kind() == HttpFailure.Kind.REFUSED && why.status() < 500 && why.status() != 409
                ? why.as(HttpFailure.Kind.FINAL)
                : why;
    }

    @Override
    public void send(Message message) throws IOException, InterruptedException {
        RawJson raw = message.raw();
        String text = new String(raw.bytes(), raw.from(), raw.length(), StandardCharsets.UTF_8);
        WebSocket open = open();
        int from = 0;
        try {
            while (text.length() - from > PART_CHARACTERS) {
                int end = from + PART_CHARACTERS;
                int to = Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end;
                send(open.sendText(text.substring(from, to), false));
                from = to;
            }
            send(open.sendText(text.substring(from), true));
            from = text.length();
        } finally {
            // What followed would be taken for the rest of a message that has only begun.
            if (from > 0 && from < text.length()) {
                open.abort();
            }
        }
    }

    @Override
    public void ping(long count) throws IOException, InterruptedException {
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

    @Override
    public void cut() {
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
        owner.hears(true);
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
        owner.received(this, message, () -> webSocket.request(1));
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
        owner.hears(false);
        owner.problem("the server sent a binary frame, which is ignored", new IOException("binary frame"));
        webSocket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket webSocket, ByteBuffer message) {
        owner.hears(false);
        webSocket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket webSocket, ByteBuffer message) {
        owner.hears(false);
        if (message.remaining() == 8) {
            owner.confirmed(message.getLong());
        }
        webSocket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
        boolean unused = ended.complete(code);
        HttpFailure failure = ClientSocket.ended(code, reason);
        resumed.completeExceptionally(failure);
        owner.closed(this, code, failure);
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        boolean unused = ended.complete(1006);
        HttpFailure failure = error instanceof IOException io
                ? requests.failure(io)
                : new HttpFailure(HttpFailure.Kind.UNKNOWN, "the WebSocket failed: " + error, error);
        resumed.completeExceptionally(failure);
        owner.closed(this, 1006, failure);
    }

    @Override
    public void sendClose(int code) throws InterruptedException {
        WebSocket open = socket;
        if (open == null || open.isOutputClosed()) {
            return;
        }
        try {
            Integer unused = open.sendClose(code, "")
                    .thenCombine(ended, (sent, answer) -> answer)
                    .get(CLOSE_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // It is cut then.
            open.abort();
        }
    }
}
