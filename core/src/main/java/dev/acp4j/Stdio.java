package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The standard input and output of this program as a transport; this is how editors speak to agents.
 *
 * <p>From then on {@code System.out} writes to standard error and {@code System.in} is at its end, so that a stray
 * print or a library that reads breaks nothing.
 */
public final class Stdio {
    private static final int PLAIN_CALLS = 2;

    // No AtomicBoolean: it would load method handles before the first message.
    private static final ReentrantLock LOCK = new ReentrantLock();

    @GuardedBy("LOCK")
    private static boolean taken;

    private Stdio() {}

    /**
     * Takes standard input and output for the protocol.
     *
     * @throws IllegalStateException the second time: there is only one of each
     */
    public static Transport system() {
        return system(StreamTransport.STANDARD_MESSAGE_BYTES);
    }

    /**
     * Takes standard input and output for the protocol, with another limit for one message.
     *
     * @param messageBytes the largest message, read or written, in bytes without its line ending; positive
     * @throws IllegalStateException the second time: there is only one of each
     */
    public static Transport system(int messageBytes) {
        StreamTransport transport = StreamTransport.ofPipes(new Input(), new Output(), messageBytes);
        take();
        System.setOut(System.err);
        System.setIn(InputStream.nullInputStream());
        return transport;
    }

    private static void take() {
        LOCK.lock();
        try {
            if (taken) {
                throw new IllegalStateException(
                        "standard input and output are taken already: Stdio.system() works once in a program");
            }
            taken = true;
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Decides between the two ways to use a file descriptor. A plain stream costs nothing at the start, but closing it
     * does not end a blocked call. A channel can be closed at any time, but takes more than a millisecond to load. So
     * the first messages go the plain way, and the channel is loaded when an answer is out and nobody waits. On Windows
     * closing a channel would itself block, so there it stays plain.
     */
    private static boolean isForChannel(int call) {
        return File.separatorChar == '/' && call > PLAIN_CALLS;
    }

    private static final class Input extends InputStream {
        private final FileInputStream plain = new FileInputStream(FileDescriptor.in);
        private int calls;
        private @Nullable FileChannel channel;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (channel != null) {
                return channel.read(ByteBuffer.wrap(bytes, from, length));
            }
            if (isForChannel(++calls)) {
                channel = plain.getChannel();
                return read(bytes, from, length);
            }
            return plain.read(bytes, from, length);
        }

        @Override
        public void close() throws IOException {
            plain.close();
        }
    }

    private static final class Output extends OutputStream {
        private final FileOutputStream plain = new FileOutputStream(FileDescriptor.out);
        private int calls;
        private @Nullable FileChannel channel;

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                writeOut(bytes, from, length);
            } catch (ClosedChannelException e) {
                throw e; // closed here
            } catch (IOException e) {
                throw new IOException("standard output cannot be written: " + e.getMessage(), e);
            }
        }

        private void writeOut(byte[] bytes, int from, int length) throws IOException {
            if (channel == null && isForChannel(++calls)) {
                channel = plain.getChannel();
            }
            if (channel == null) {
                plain.write(bytes, from, length);
                return;
            }
            ByteBuffer rest = ByteBuffer.wrap(bytes, from, length);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        }

        @Override
        public void close() throws IOException {
            plain.close();
        }
    }
}
