package dev.acp4j.bench;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import javax.net.SocketFactory;

/** A client over events on HTTP/1.1. */
final class EventsOfHttp1 implements RemoteClient {
    private static final String DATA = "data:";

    private final SocketFactory sockets;
    private final PostSocket posts;
    private final String ofConnection;
    private final String ofSession;
    private final String session;
    private final int port;
    private Stream own;
    private Stream updates;
    private boolean isUnanswered;

    EventsOfHttp1(int port) throws IOException {
        this(SocketFactory.getDefault(), port, "");
    }

    /**
     * Connects.
     *
     * @param sockets makes connections, in clear text or with TLS
     * @param token the client's token, or the empty string
     */
    EventsOfHttp1(SocketFactory sockets, int port, String token) throws IOException {
        this.sockets = sockets;
        this.port = port;
        String credential = token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
        posts = new PostSocket(sockets, port);
        posts.send(credential, INITIALIZE);
        ofConnection = credential + header(posts.answer());
        own = new Stream(sockets, port, ofConnection, "");
        posts.send(ofConnection, NEW_SESSION);
        posts.answer();
        session = RemoteClient.session(own.next());
        ofSession = ofConnection + "Acp-Session-Id: " + session + "\r\n";
        updates = new Stream(sockets, port, ofSession, "");
    }

    /** Returns the header that names a connection. */
    static String header(String connection) {
        return "Acp-Connection-Id: " + connection + "\r\n";
    }

    @Override
    public void prompt(int id, String text) throws IOException {
        if (isUnanswered) {
            posts.answer();
        }
        posts.send(ofSession, RemoteClient.prompt(session, id, text));
        isUnanswered = true;
    }

    @Override
    public String next() throws IOException {
        return updates.next();
    }

    /** Ends the connection at the server. */
    void end() throws IOException {
        if (isUnanswered) {
            posts.answer();
        }
        posts.delete(ofConnection);
        posts.answer();
    }

    /** Loses both streams. */
    void cut() throws IOException {
        own.close();
        updates.close();
    }

    /** Opens both streams where they were lost. */
    void resume() throws IOException {
        own = new Stream(sockets, port, ofConnection, own.last);
        updates = new Stream(sockets, port, ofSession, updates.last);
    }

    @Override
    public void close() throws IOException {
        own.close();
        updates.close();
        posts.close();
    }

    /** One stream of events. */
    static final class Stream implements Closeable {
        private final Socket socket;
        private final InputStream in;
        private final byte[] buffer = new byte[16 * 1024];
        private final Queue<String> messages = new ArrayDeque<>();
        private final EventLines lines = new EventLines(this::line);

        /** The cursor of the last event. */
        private String last = "";

        /** Opens one, and reads the head of the answer. */
        Stream(SocketFactory sockets, int port, String headers, String after) throws IOException {
            socket = sockets.createSocket(InetAddress.getLoopbackAddress(), port);
            in = socket.getInputStream();
            String request = "GET /acp HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nAccept: text/event-stream\r\n"
                    + headers + (after.isEmpty() ? "" : "Last-Event-ID: " + after + "\r\n")
                    + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            while (!lines.isOpen()) {
                read();
            }
        }

        String next() throws IOException {
            while (messages.isEmpty()) {
                read();
            }
            return messages.remove();
        }

        private void read() throws IOException {
            int count = in.read(buffer);
            if (count < 0) {
                throw new EOFException("the server has ended a stream");
            }
            lines.take(ByteBuffer.wrap(buffer, 0, count));
        }

        private void line(byte[] bytes, int length) {
            int end = length > 0 && bytes[length - 1] == '\r' ? length - 1 : length;
            if (end > 5 && bytes[0] == 'd') {
                messages.add(new String(bytes, DATA.length(), end - DATA.length(), StandardCharsets.UTF_8));
            } else if (end > 3 && bytes[0] == 'i') {
                last = new String(bytes, 3, end - 3, StandardCharsets.UTF_8).strip();
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
