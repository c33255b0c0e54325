package dev.acp4j.lsp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.Transport;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Messages with a header that has their length, as language servers read and write them; and their notification by
 * which a request is cancelled, which has another name and another member than ours.
 *
 * <p>Lines that are no header are skipped, so a server that prints something else is understood from the next message
 * on.
 *
 * @see <a
 *     href="https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#baseProtocol">Base
 *     protocol</a>
 */
final class BaseProtocol implements Transport {
    private static final String LENGTH = "content-length:";
    private static final int LONGEST_LINE = 8 * 1024;
    private static final int HEAD_BYTES = 1024;
    private static final int BUFFER_BYTES = 64 * 1024;

    private static final String OUR_CANCEL = "$/cancel_request";
    private static final String OUR_ID = "requestId";
    private static final String THEIR_CANCEL = "$/cancelRequest";
    private static final String THEIR_ID = "id";

    private final InputStream source;
    private final OutputStream sink;
    private final BufferedInputStream in;
    private final BufferedOutputStream out;
    private final int messageBytes;
    private final Reader reader = this::read;
    private final Writer writer = new FramedWriter();
    private volatile boolean closed;

    BaseProtocol(InputStream in, OutputStream out, int messageBytes) {
        this.source = in;
        this.sink = out;
        this.in = new BufferedInputStream(in, BUFFER_BYTES);
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
        this.messageBytes = messageBytes;
    }

    @Override
    public Reader reader() {
        return reader;
    }

    @Override
    public Writer writer() {
        return writer;
    }

    // ---- reading

    private @Nullable Message read() throws IOException {
        try {
            long length = length();
            return length < 0 || closed ? null : message(length);
        } catch (IOException e) {
            if (closed) {
                return null;
            }
            throw e;
        }
    }

    private @Nullable Message message(long length) throws IOException {
        if (length > messageBytes) {
            byte[] head = in.readNBytes(HEAD_BYTES);
            in.skipNBytes(length - head.length);
            return Message.oversized(head, messageBytes);
        }
        byte[] body = in.readNBytes((int) length);
        if (body.length < length && body.length == 0) {
            return null;
        }
        return renamed(Message.parse(RawJson.wrap(body, 0, body.length)), THEIR_CANCEL, THEIR_ID, OUR_CANCEL, OUR_ID);
    }

    /** Reads a header. Returns the length of the message behind it; -1 at the end. */
    private long length() throws IOException {
        long length = -1;
        while (true) {
            String line = line();
            if (line == null) {
                return -1;
            }
            if (line.isEmpty() && length >= 0) {
                return length;
            }
            if (line.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
                length = number(line.substring(LENGTH.length()).strip());
            }
        }
    }

    private static long number(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            return -1; // No header, so it is skipped like other lines.
        }
    }

    /** Reads a line of a header; what is longer than any is cut off. */
    private @Nullable String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            if (next != '\r' && line.length() < LONGEST_LINE) {
                line.append((char) next);
            }
            next = in.read();
        }
        return line.toString();
    }

    // ---- writing

    private final class FramedWriter implements Writer {
        private boolean finished;

        @Override
        public void write(Message message) throws IOException {
            if (finished) {
                throw new IOException("this direction of the transport is closed");
            }
            RawJson sent =
                    renamed(message, OUR_CANCEL, OUR_ID, THEIR_CANCEL, THEIR_ID).raw();
            if (sent.length() > messageBytes) {
                int head = sent.from() + Math.min(HEAD_BYTES, sent.length());
                throw new MessageTooLargeException(messageBytes, Arrays.copyOfRange(sent.bytes(), sent.from(), head));
            }
            out.write(("Content-Length: " + sent.length() + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            out.write(sent.bytes(), sent.from(), sent.length());
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            if (!finished) {
                finished = true;
                out.close();
            }
        }
    }

    private static Message renamed(Message message, String from, String idFrom, String to, String idTo) {
        RawJson params = message.params();
        if (message.kind() != Message.Kind.NOTIFICATION
                || params == null
                || !message.method().equals(from)) {
            return message;
        }
        RawJson id = RawJson.NULL;
        JsonReader in = params.reader();
        in.beginObject();
        while (in.nextMember()) {
            if (in.name().equals(idFrom)) {
                id = in.raw();
            } else {
                in.skip();
            }
        }
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name(idTo);
        out.raw(id);
        out.endObject();
        return Message.notification(to, out.toRawJson());
    }

    @Override
    public void close() {
        closed = true;
        // Not the buffers: a write that is blocked holds theirs.
        try (source;
                sink) {
            // Both are closed, whether or not one of them fails.
        } catch (IOException e) {
            // Nothing is left to be done with them.
        }
    }
}
