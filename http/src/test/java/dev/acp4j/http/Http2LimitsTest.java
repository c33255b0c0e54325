package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection of HTTP/2 that is written by hand, since no client of ours does what other clients may. */
@Timeout(60)
@Tag("HST-43")
class Http2LimitsTest {
    private static final int PINGS = 500;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int CONTINUATION = 9;

    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    /** The largest frame that a server takes. */
    private static final int FRAME_BYTES = 16 * 1024;

    /** A frame; what it carries is a character for each byte. */
    private record Frame(int type, int flags, int stream, String payload) {
        static Frame read(DataInputStream in) throws IOException {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            return new Frame(type, flags, stream, new String(in.readNBytes(length), StandardCharsets.ISO_8859_1));
        }

        byte[] bytes() {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            int length = payload.length();
            out.writeBytes(new byte[] {(byte) (length >> 16), (byte) (length >> 8), (byte) length});
            out.writeBytes(new byte[] {(byte) type, (byte) flags, 0, 0, 0, (byte) stream});
            out.writeBytes(payload.getBytes(StandardCharsets.ISO_8859_1));
            return out.toByteArray();
        }
    }

    /** A connection to an agent, in the name of another client. */
    private static final class ByHand implements AutoCloseable {
        private final RawClient client;
        private final Socket socket;
        private final OutputStream out;
        private final DataInputStream in;

        ByHand(RawClient client) throws Exception {
            this.client = client;
            client.initialize();
            socket = new Socket(InetAddress.getLoopbackAddress(), client.uri.getPort());
            out = socket.getOutputStream();
            in = new DataInputStream(socket.getInputStream());
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(new Frame(SETTINGS, 0, 0, "").bytes());
            listen(1, Map.of());
        }

        /** Opens a stream of events with more headers, and waits for its beginning. */
        void listen(int stream, Map<String, String> more) throws IOException {
            Map<String, String> headers = new LinkedHashMap<>();
            URI uri = client.uri;
            headers.put(":method", "GET");
            headers.put(":scheme", uri.getScheme());
            headers.put(":authority", uri.getAuthority());
            headers.put(":path", uri.getPath());
            headers.put("accept", Wire.EVENTS);
            client.headers().forEach((known, same) -> headers.put(known.toLowerCase(Locale.ROOT), same));
            headers.putAll(more);
            String block = packed(headers);
            for (int from = 0; from < block.length(); from += FRAME_BYTES) {
                int to = Math.min(block.length(), from + FRAME_BYTES);
                int flags = (from == 0 ? END_STREAM : 0) | (to == block.length() ? END_HEADERS : 0);
                int type = from == 0 ? HEADERS : CONTINUATION;
                out.write(new Frame(type, flags, stream, block.substring(from, to)).bytes());
            }
            until(frame -> frame.type == DATA && frame.stream == stream);
        }

        void send(byte[] frames) throws IOException {
            out.write(frames);
        }

        /** Reads until something fits; the connection goes on as long as the server does not say otherwise. */
        void until(Predicate<Frame> fits) throws IOException {
            Frame frame = Frame.read(in);
            while (!fits.test(frame)) {
                assertThat(frame.type()).isNotEqualTo(GOAWAY);
                frame = Frame.read(in);
            }
        }

        /** The first stream hears what the agent answers. */
        void requireThatTheFirstStreamLives() throws Exception {
            client.post("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"session/list\",\"params\":{}}");
            until(frame -> frame.stream == 1 && frame.payload.contains("\"id\":7"));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Writes headers as literals without an index and without a code, the simplest of HPACK. */
    private static String packed(Map<String, String> headers) {
        StringBuilder out = new StringBuilder();
        headers.forEach((name, value) -> {
            out.append('\0');
            text(out, name);
            text(out, value);
        });
        return out.toString();
    }

    private static void text(StringBuilder out, String text) {
        int rest = text.length() - 127;
        out.append((char) Math.min(text.length(), 127));
        if (rest >= 0) {
            for (; rest >= 128; rest /= 128) {
                out.append((char) (rest % 128 + 128));
            }
            out.append((char) rest);
        }
        out.append(text);
    }

    private static RunningServer serve() throws Exception {
        Agent agent = Agent.builder("quiet", "1.0").onPrompt(turn -> {}).build();
        return Http.on(0).drainTime(Duration.ZERO).start(agent::connect);
    }

    private static RawClient client(RunningServer server) {
        return new RawClient(
                server.uri(), HttpClient.Version.HTTP_1_1, server.token().orElseThrow());
    }

    @Test
    void fiveHundredPingsAtOnceEndNoStream() throws Exception {
        try (RunningServer server = serve();
                RawClient client = client(server);
                ByHand hand = new ByHand(client)) {
            ByteArrayOutputStream pings = new ByteArrayOutputStream();
            for (int i = 0; i < PINGS; i++) {
                pings.writeBytes(new Frame(PING, 0, 0, "8 bytes.").bytes());
            }
            hand.send(pings.toByteArray());
            for (int i = 0; i < PINGS; i++) {
                hand.until(frame -> frame.type == PING && frame.flags == ACK);
            }

            hand.requireThatTheFirstStreamLives();
        }
    }

    @Test
    void headersOfThirtyKilobytesAreTaken() throws Exception {
        try (RunningServer server = serve();
                RawClient client = client(server);
                ByHand hand = new ByHand(client)) {
            hand.listen(3, Map.of("acp-session-id", "s", "x-padding", "x".repeat(30_000)));

            hand.requireThatTheFirstStreamLives();
        }
    }
}
