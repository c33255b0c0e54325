package dev.acp4j.http;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server without an agent that speaks WebSocket, one connection after another, as a test tells it. */
final class ScriptedSocket implements AutoCloseable {
    private static final int TEXT = 1;
    private static final int CLOSE = 8;

    private final ServerSocket listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final List<Connection> accepted = new CopyOnWriteArrayList<>();

    ScriptedSocket() throws IOException {}

    URI uri() {
        return URI.create("ws://127.0.0.1:" + listening.getLocalPort() + "/acp");
    }

    /** Waits for a connection, and for the request that it begins with. */
    Connection accept() throws IOException {
        Connection next = new Connection(listening.accept());
        accepted.add(next);
        return next;
    }

    /** Returns whether somebody connects within a time. */
    boolean isAsked(Duration within) throws IOException {
        listening.setSoTimeout((int) within.toMillis());
        try (Socket next = listening.accept()) {
            return next.isConnected();
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    static final class Connection implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final OutputStream out;

        /** The headers of the request for a WebSocket. */
        final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

        private Connection(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new DataInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
            for (String line = line(); !line.isEmpty(); line = line()) {
                int colon = line.indexOf(": ");
                if (colon > 0) {
                    headers.put(line.substring(0, colon), line.substring(colon + 2));
                }
            }
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new EOFException("the request has ended: " + line);
                }
                line.append((char) next);
            }
            return line.toString().strip();
        }

        /** Agrees, with more headers. */
        Connection upgrade(String... more) throws Exception {
            byte[] key = (headers.get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                    .getBytes(StandardCharsets.US_ASCII);
            String accept = Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-1").digest(key));
            String head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: " + accept + "\r\n"
                    + String.join("", more)
                    + "\r\n";
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            return this;
        }

        void say(String text) throws IOException {
            frame(TEXT, text.getBytes(StandardCharsets.UTF_8));
        }

        void close(int code, String reason) throws IOException {
            byte[] text = reason.getBytes(StandardCharsets.UTF_8);
            frame(
                    CLOSE,
                    ByteBuffer.allocate(2 + text.length)
                            .putShort((short) code)
                            .put(text)
                            .array());
        }

        private void frame(int kind, byte[] body) throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(4 + body.length).put((byte) (0x80 | kind));
            if (body.length < 126) {
                frame.put((byte) body.length);
            } else {
                frame.put((byte) 126).putShort((short) body.length);
            }
            out.write(frame.put(body).array(), 0, frame.position());
            out.flush();
        }

        /** Returns the next text, or {@code closed} and the code; what else comes is of no interest. */
        String hear() throws IOException {
            while (true) {
                int kind = in.readUnsignedByte() & 0x0f;
                int length = in.readUnsignedByte() & 0x7f;
                if (length == 126) {
                    length = in.readUnsignedShort();
                }
                byte[] mask = in.readNBytes(4);
                byte[] body = in.readNBytes(length);
                for (int i = 0; i < body.length; i++) {
                    body[i] ^= mask[i % 4];
                }
                if (kind == TEXT) {
                    return new String(body, StandardCharsets.UTF_8);
                }
                if (kind == CLOSE) {
                    return String.format(
                            Locale.ROOT, "closed %d", ByteBuffer.wrap(body).getShort());
                }
            }
        }

        /** Cuts the connection. */
        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Connection each : accepted) {
            each.close();
        }
    }
}
