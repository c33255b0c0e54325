package dev.acp4j.cli.doctor;

import dev.acp4j.http.RemoteAgent;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Checks whether the server has WebSockets, and whether they reach it. */
final class SocketStep {
    private static final Duration HANDSHAKE_TIME = Duration.ofSeconds(5);
    private static final int NORMAL = 1000;

    private SocketStep() {}

    /** Waits for the first message. */
    private static final class Listening implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private final CompletableFuture<Message> first = new CompletableFuture<>();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                first.complete(Message.parse(text.toString()));
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            first.completeExceptionally(
                    new IOException("it was closed with " + code + (reason.isEmpty() ? "" : ": " + reason)));
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            first.completeExceptionally(error);
        }
    }

    static Finding websocket(ExaminedServer server) throws InterruptedException {
        if (server.way.over() == RemoteAgent.Over.EVENTS) {
            return Finding.skipped("not wanted: --over events");
        }
        HttpClient client = null;
        try {
            client = server.way.agent().client(HttpClient.Version.HTTP_1_1);
            WebSocket.Builder builder = client.newWebSocketBuilder().connectTimeout(HANDSHAKE_TIME);
            server.way.agent().headers().forEach(builder::header);
            Listening listening = new Listening();
            String text = server.endpoint().toString();
            URI uri = URI.create(text.replaceFirst("^http", "ws"));
            long begin = System.nanoTime();
            WebSocket socket = ExaminedServer.await(builder.buildAsync(uri, listening), HANDSHAKE_TIME);
            WebSocket unused = ExaminedServer.await(
                    socket.sendText(server.initialize().raw().toString(), true), HANDSHAKE_TIME);
            Message answer = ExaminedServer.await(listening.first, server.patience);
            WebSocket unusedToo = ExaminedServer.await(socket.sendClose(NORMAL, ""), HANDSHAKE_TIME);
            return answer.isError() || !answer.kind().isResponse()
                    ? found(server, "initialize was not answered there as before: " + answer)
                    : Finding.ok("initialize was answered after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
        } catch (WebSocketHandshakeException e) {
            return refused(server, e.getResponse().statusCode());
        } catch (IOException e) {
            return found(server, "no WebSocket: " + e.getMessage())
                    .because("Something on the way does not pass it on.")
                    .next("nginx: proxy_http_version 1.1, and proxy_set_header Upgrade and Connection; "
                            + "acp uses events instead.");
        } finally {
            if (client != null) {
                client.shutdownNow();
            }
        }
    }

    private static Finding refused(ExaminedServer server, int status) {
        Finding finding = found(server, "no WebSocket: the request for one is answered " + status);
        return switch (status) {
            case 401, 403 ->
                Finding.problem("the request for a WebSocket is answered " + status)
                        .because("The credential is refused, or a rule of a proxy for this kind of request.")
                        .next("Check the token; other commands stop here, and do not fall back to events.");
            case 426, 501 ->
                finding.because("The server has none, or a proxy before it removes the header Upgrade.")
                        .next("acp uses events instead.");
            default ->
                finding.because("A proxy on the way takes it for an ordinary request, or the server has none.")
                        .next("nginx: proxy_http_version 1.1, and proxy_set_header Upgrade and Connection; "
                                + "acp uses events instead.");
        };
    }

    /** Without events it is a problem. */
    private static Finding found(ExaminedServer server, String text) {
        return server.way.over() == RemoteAgent.Over.WEBSOCKET ? Finding.problem(text) : Finding.warning(text);
    }
}
