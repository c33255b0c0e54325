package dev.acp4j.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client over a WebSocket, as the JDK has it. */
final class WebSockets implements RemoteClient {
    private static final int PATIENCE = 30;

    private final Inbox inbox = new Inbox();
    private final WebSocket socket;
    private final String session;

    WebSockets(HttpClient http, int port) throws IOException {
        socket = initialized(http, port, inbox);
        socket.sendText(NEW_SESSION, true).join();
        session = RemoteClient.session(inbox.next());
    }

    /** Returns a WebSocket on which {@code initialize} was answered. */
    static WebSocket initialized(HttpClient http, int port, Inbox inbox) throws IOException {
        WebSocket socket = http.newWebSocketBuilder()
                .buildAsync(URI.create("ws://127.0.0.1:" + port + "/acp"), inbox)
                .join();
        socket.sendText(INITIALIZE, true).join();
        String answer = inbox.next();
        if (!answer.contains("\"protocolVersion\"")) {
            throw new IOException("initialize was answered with " + answer);
        }
        return socket;
    }

    @Override
    public void prompt(int id, String text) {
        socket.sendText(RemoteClient.prompt(session, id, text), true).join();
    }

    @Override
    public String next() throws IOException {
        return inbox.next();
    }

    @Override
    public void close() {
        socket.abort();
    }

    /** What came. */
    static final class Inbox implements WebSocket.Listener {
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                messages.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        String next() throws IOException {
            try {
                String message = messages.poll(PATIENCE, TimeUnit.SECONDS);
                if (message == null) {
                    throw new IOException("the server says nothing");
                }
                return message;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
