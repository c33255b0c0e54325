package dev.acp4j.rpc;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * One JSON message a line, over two streams of bytes. This is what ACP calls <a
 * href="https://agentclientprotocol.com/protocol/v1/transports">stdio</a>, over whatever carries bytes.
 *
 * <p>Lines end with LF or CRLF; the last one may end with the stream. Blank lines and a byte order mark at the start
 * are skipped. A message over the limit is refused as soon as that many bytes have been seen, and the rest of it is
 * skipped without being kept.
 */
public final class StreamTransport implements Transport {
    /** The largest message allowed unless said otherwise: 64 MiB. */
    public static final int STANDARD_MESSAGE_BYTES = 64 * 1024 * 1024;

    private final InputStream in;
    private final OutputStream out;
    private final @Nullable Closeable both;
    private final BlockingCall reading = new BlockingCall();
    private final BlockingCall writing = new BlockingCall();
    private final MessageReader reader;
    private final MessageWriter writer;
    private volatile boolean closed;

    private StreamTransport(InputStream in, OutputStream out, @Nullable Closeable both, int messageBytes) {
        if (messageBytes <= 0) {
            throw new IllegalArgumentException("the largest message must be positive, not " + messageBytes);
        }
        this.in = in;
        this.out = out;
        this.both = both;
        LineReader lines = new LineReader(in, messageBytes, reading);
        this.reader = new MessageReader() {
            @Override
            public @Nullable Message read() throws IOException, InterruptedException {
                return readUnlessClosed(lines);
            }

            @Override
            public boolean isReady() {
                return lines.isReady();
            }
        };
        this.writer = new LineWriter(out, messageBytes, writing);
    }

    /**
     * Returns a transport over two streams, which it owns from now on. They need no buffer of their own.
     *
     * <p>{@link #close()} closes both and interrupts a thread that is blocked in them. That is all there is to do for
     * streams in general: a read of a {@link java.io.FileInputStream} on a pipe goes on until the other side ends.
     */
    public static StreamTransport of(InputStream in, OutputStream out) {
        return of(in, out, STANDARD_MESSAGE_BYTES);
    }

    /**
     * Returns a transport over two streams with another limit.
     *
     * @param messageBytes the largest message, read or written, in bytes without its line ending; positive
     */
    public static StreamTransport of(InputStream in, OutputStream out, int messageBytes) {
        return new StreamTransport(in, out, null, messageBytes);
    }

    /** Returns a transport over a connected socket, TCP or Unix domain, in blocking mode. It owns the channel. */
    public static StreamTransport of(SocketChannel channel) {
        return of(channel, STANDARD_MESSAGE_BYTES);
    }

    /**
     * Returns a transport over a connected socket with another limit.
     *
     * @param messageBytes the largest message, read or written, in bytes without its line ending; positive
     */
    public static StreamTransport of(SocketChannel channel, int messageBytes) {
        OutputStream out = new OutputStream() {
            private final OutputStream stream = Channels.newOutputStream(channel);

            @Override
            public void write(int b) throws IOException {
                stream.write(b);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                stream.write(bytes, from, length);
            }

            @Override
            public void close() throws IOException {
                if (channel.isOpen()) {
                    channel.shutdownOutput();
                }
            }
        };
        return new StreamTransport(Channels.newInputStream(channel), out, channel, messageBytes);
    }

    @Override
    public MessageReader reader() {
        return reader;
    }

    @Override
    public MessageWriter writer() {
        return writer;
    }

    @Override
    public void close() {
        closed = true;
        reading.close();
        boolean writerIsBusy = writing.close();
        if (both != null) {
            closeQuietly(both);
        }
        closeQuietly(in);
        if (!writerIsBusy) {
            closeQuietly(out);
        }
    }

    private @Nullable Message readUnlessClosed(LineReader lines) throws IOException, InterruptedException {
        if (closed) {
            return null;
        }
        try {
            Message message = lines.read();
            return closed ? null : message;
        } catch (IOException | InterruptedException e) {
            if (closed) {
                return null;
            }
            throw e;
        }
    }

    private static void closeQuietly(Closeable stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // Nothing is left to be done with it, and the other streams still want to be closed.
        }
    }
}
