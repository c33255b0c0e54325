package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One JSON message a line, over two streams of bytes. This is what ACP calls <a
 * href="https://agentclientprotocol.com/protocol/v1/transports">stdio</a>, over whatever carries bytes.
 *
 * <p>Lines end with LF or CRLF; the last one may end with the stream. If the stream begins with a message and CR alone,
 * its lines end with CR. UTF-16 is reported as soon as it begins. Blank lines and a byte order mark at the start are
 * skipped. A message over the limit is refused as soon as that many bytes have been seen, and the rest of it is skipped
 * without being kept.
 */
public final class StreamTransport implements Transport {
    /** The largest message allowed unless said otherwise: 64 MiB. */
    public static final int STANDARD_MESSAGE_BYTES = 64 * 1024 * 1024;

    /**
     * The smallest pipe holds 4096 bytes: a page where memory for pipes is short, and what the JDK asks for on Windows.
     * The rest is for the line breaks of as many messages.
     */
    private static final int PIPE_BYTES = 3072;

    private final InputStream in;
    private final OutputStream out;
    private final @Nullable Closeable both;
    private final BlockingCall reading = new BlockingCall();
    private final BlockingCall writing = new BlockingCall();
    private final LineReader lines;
    private final Transport.Reader reader;
    private final LineWriter writer;
    private volatile boolean closed;

    private StreamTransport(InputStream in, OutputStream out, @Nullable Closeable both, int messageBytes) {
        if (messageBytes <= 0) {
            throw new IllegalArgumentException("the largest message must be positive, not " + messageBytes);
        }
        this.in = in;
        this.out = out;
        this.both = both;
        this.lines = new LineReader(in, messageBytes, reading);
        this.reader = new Transport.Reader() {
            @Override
            public @Nullable Message read() throws IOException, InterruptedException {
                return readUnlessClosed();
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
     * streams in general: a read of a {@link java.io.FileInputStream} on a pipe continues until the other side ends.
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

    /**
     * Returns a transport over two pipes of the operating system: those of a process, or standard input and output. An
     * empty one takes a few kilobytes from a writer at once, so a short message to a peer that has read what was
     * written before needs no thread that may block. What is no pipe may block there: a terminal that its user holds
     * with Ctrl-S stops the thread that reads from the other side of a proxy, as long as it is held.
     *
     * @param messageBytes the largest message, read or written, in bytes without its line ending; positive
     */
    public static StreamTransport ofPipes(InputStream in, OutputStream out, int messageBytes) {
        StreamTransport transport = of(in, out, messageBytes);
        transport.writer.room = PIPE_BYTES;
        return transport;
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
    public Transport.Reader reader() {
        return reader;
    }

    @Override
    public Transport.Writer writer() {
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

    /**
     * Returns how many bytes have been read of a line that has not ended, while the reading thread waits for more of
     * it: to explain why a peer seems to be silent. Zero for a line that is skipped.
     */
    public long unfinishedBytes() {
        return lines.unfinished;
    }

    private @Nullable Message readUnlessClosed() throws IOException, InterruptedException {
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

    /**
     * Splits a stream of bytes into lines. Bytes are read in blocks and every byte is looked at once, however many
     * reads a line spans. A line is copied out of its blocks, so that a message that is kept holds no more than itself.
     */
    private static final class LineReader implements Transport.Reader {
        private static final int BLOCK_BYTES = 64 * 1024;

        /** The blocks of a line that does not fit the first. The launcher has arrays so large made where they stay. */
        private static final int LARGE_BLOCK_BYTES = 256 * 1024;

        private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

        private final InputStream in;
        private final int limit;
        private final BlockingCall call;
        private final MessageParser parser = new MessageParser();

        private byte[] block = new byte[BLOCK_BYTES];
        /** Where the current line begins in the block, or 0 when it began in {@link #full}. */
        private int start;
        /** The bytes of the current line before this index are known to hold no line feed. */
        private int scanned;

        private int end;
        /** Whole blocks of the current line that came before the present block. */
        private final List<byte[]> full = new ArrayList<>();

        private long fullBytes;

        private boolean atStreamStart = true;

        /** Whether it is still to be found out how the stream is written. */
        private boolean isUnknown = true;

        private boolean endsWithReturn;

        /** How many bytes the current line has so far; written before this thread waits for more. */
        volatile long unfinished;

        private boolean skipping;
        private boolean ended;

        LineReader(InputStream in, int limit, BlockingCall call) {
            this.in = in;
            this.limit = limit;
            this.call = call;
        }

        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            while (true) {
                Message first = isUnknown && end > start + 1 ? lookAtBeginning() : null;
                if (first != null) {
                    return first;
                }
                int lineFeed = findLineFeed();
                if (lineFeed >= 0) {
                    isUnknown = false;
                    Message message = finishLine(lineFeed, lineFeed + 1);
                    if (message != null) {
                        return message;
                    }
                } else if (ended) {
                    return finishLine(end, end);
                } else {
                    Message oversized = refuseOversized();
                    if (oversized != null) {
                        return oversized;
                    }
                    ended = !fill();
                }
            }
        }

        /** Looks for what would leave a peer without an answer: UTF-16, and lines that end with CR alone. */
        private @Nullable Message lookAtBeginning() {
            int one = block[start] & 0xff;
            int two = block[start + 1] & 0xff;
            if (one + two == 0xff + 0xfe || (one == 0 && two == '{') || (one == '{' && two == 0)) {
                isUnknown = false;
                return parser.unreadable("the bytes are UTF-16, and messages must be UTF-8");
            }
            int lineBreak = RawJson.lineBreak(block, start, end);
            if (lineBreak < end && block[lineBreak] == '\n') {
                isUnknown = false;
            } else if (lineBreak < end && isCarriageReturn(lineBreak)) {
                isUnknown = false;
                byte[] line = Arrays.copyOfRange(block, start, lineBreak);
                endsWithReturn =
                        parser.parse(RawJson.wrap(line, 0, line.length)).kind() != Message.Kind.NOISE;
            } else if (!full.isEmpty()) {
                isUnknown = false;
            }
            return null;
        }

        /** Whether no line feed follows, as far as that is known. */
        private boolean isCarriageReturn(int at) {
            return at + 1 == end || block[at + 1] != '\n';
        }

        @Override
        public boolean isReady() {
            int lineFeed = findLineFeed();
            while (lineFeed >= 0 && isNothing(lineFeed)) {
                skipping = false;
                start = lineFeed + 1;
                scanned = start;
                lineFeed = findLineFeed();
            }
            return lineFeed >= 0;
        }

        /** Whether the line is blank, or the rest of a message that is skipped. */
        private boolean isNothing(int lineFeed) {
            return skipping || (full.isEmpty() && isBlank(block, start, lineFeed));
        }

        private int findLineFeed() {
            int pos = RawJson.lineBreak(block, scanned, end);
            while (pos < end && block[pos] != '\n' && !endsWithReturn) {
                pos = RawJson.lineBreak(block, pos + 1, end);
            }
            scanned = pos;
            return pos < end ? pos : -1;
        }

        /**
         * Ends the current line before {@code to}; the next begins at {@code next}. Null when there is nothing to hand
         * out.
         */
        private @Nullable Message finishLine(int to, int next) {
            int from = start;
            start = next;
            scanned = next;
            if (skipping) {
                skipping = false;
                return null;
            }
            if (full.isEmpty() && isBlank(block, from, to)) {
                return null;
            }
            byte[] line = full.isEmpty() ? Arrays.copyOfRange(block, from, to) : join(to);
            int length = lengthWithoutCarriageReturn(line);
            if (length > limit) {
                return oversized(line, length);
            }
            return isBlank(line, 0, length) ? null : parser.parse(RawJson.wrap(line, 0, length));
        }

        private static int lengthWithoutCarriageReturn(byte[] line) {
            int length = line.length;
            return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
        }

        private static boolean isBlank(byte[] bytes, int from, int to) {
            for (int i = from; i < to; i++) {
                byte b = bytes[i];
                if (b != ' ' && b != '\t' && b != '\r') {
                    return false;
                }
            }
            return true;
        }

        private byte[] join(int to) {
            byte[] line = new byte[(int) fullBytes + to];
            int at = 0;
            for (byte[] part : full) {
                System.arraycopy(part, 0, line, at, part.length);
                at += part.length;
            }
            System.arraycopy(block, 0, line, at, to);
            forgetFull();
            return line;
        }

        /** Goes back to a small block, which holds what came behind the end of the line: that is part of one read. */
        private void forgetFull() {
            full.clear();
            fullBytes = 0;
            if (block.length > BLOCK_BYTES) {
                block = Arrays.copyOfRange(block, start, start + BLOCK_BYTES);
                end -= start;
                scanned -= start;
                start = 0;
            }
        }

        /** Gives up a line that is too large as soon as that is known, not when its end comes: it might never come. */
        private @Nullable Message refuseOversized() {
            if (skipping) {
                drop();
                return null;
            }
            long seen = fullBytes + end - start;
            boolean mayEndHere = end > start && block[end - 1] == '\r';
            if (seen <= limit || (seen - 1 == limit && mayEndHere)) {
                return null;
            }
            byte[] beginning = full.isEmpty() ? Arrays.copyOfRange(block, start, end) : full.get(0);
            drop();
            skipping = true;
            return oversized(beginning, beginning.length);
        }

        private void drop() {
            start = end;
            scanned = end;
            forgetFull();
        }

        private Message oversized(byte[] line, int length) {
            return parser.oversized(Message.head(RawJson.wrap(line, 0, length)), limit);
        }

        /** Reads more of the current line; false at the end of the stream. */
        private boolean fill() throws IOException, InterruptedException {
            makeRoom();
            unfinished = skipping ? 0 : fullBytes + end - start;
            boolean more = readSome();
            while (more && atStreamStart && startsLikeByteOrderMark()) {
                more = readSome();
            }
            atStreamStart = false;
            return more;
        }

        private void makeRoom() {
            if (start > 0) {
                System.arraycopy(block, start, block, 0, end - start);
                end -= start;
                scanned -= start;
                start = 0;
            }
            if (end == block.length) {
                full.add(block);
                fullBytes += end;
                block = new byte[LARGE_BLOCK_BYTES];
                scanned = 0;
                end = 0;
            }
        }

        private boolean readSome() throws IOException, InterruptedException {
            call.enter();
            int count;
            try {
                count = in.read(block, end, Math.min(block.length - end, BLOCK_BYTES));
            } catch (IOException e) {
                // Not a catch of its own: that would load three classes before the first message.
                if (e instanceof ClosedByInterruptException) {
                    throw (InterruptedException) new InterruptedException("interrupted while reading").initCause(e);
                }
                throw e;
            } finally {
                call.leave();
            }
            if (count > 0) {
                end += count;
            }
            return count >= 0;
        }

        /** Drops a byte order mark; returns whether more bytes are needed to decide. No JSON text begins like one. */
        private boolean startsLikeByteOrderMark() {
            int mark = BYTE_ORDER_MARK.length;
            for (int i = 0; i < Math.min(mark, end); i++) {
                if (block[i] != BYTE_ORDER_MARK[i]) {
                    return false;
                }
            }
            if (end < mark) {
                return true;
            }
            start = mark;
            scanned = mark;
            return false;
        }
    }

    /**
     * Writes messages as lines, through a buffer. What would fill the buffer by itself is not copied, unless it has to
     * be changed.
     */
    private static final class LineWriter implements Transport.Writer {
        private static final int BUFFER_BYTES = 64 * 1024;

        private final OutputStream out;
        private final int limit;
        private final BlockingCall call;
        /** How many bytes the stream takes at once when all that was written has been read. */
        private int room;

        private final byte[] buffer = new byte[BUFFER_BYTES];
        private int used;
        private boolean finished;

        LineWriter(OutputStream out, int limit, BlockingCall call) {
            this.out = out;
            this.limit = limit;
            this.call = call;
        }

        @Override
        public void write(Message whole) throws IOException {
            if (finished) {
                throw new IOException("this direction of the transport is closed");
            }
            RawJson message = whole.raw();
            byte[] bytes = message.bytes();
            int from = message.from();
            int to = message.to();
            if (to - from > limit) {
                throw new MessageTooLargeException(limit, Message.head(message));
            }
            while (from < to) {
                int count = Math.min(to - from, room());
                if (count == BUFFER_BYTES && isOneLine(message, from, from + count)) {
                    writeOut(bytes, from, count);
                } else {
                    append(message, from, count);
                }
                from += count;
            }
            room();
            buffer[used++] = '\n';
        }

        @Override
        public boolean takes(int bytes, long unread) {
            return unread + bytes <= room;
        }

        private static boolean isOneLine(RawJson message, int from, int to) {
            return message.isKnownToBeOneLine() || RawJson.lineBreak(message.bytes(), from, to) == to;
        }

        private int room() throws IOException {
            if (used == BUFFER_BYTES) {
                writeBuffer();
            }
            return BUFFER_BYTES - used;
        }

        /**
         * Copies, with line breaks turned into spaces. In JSON they can only stand between tokens, where a space means
         * the same; and text that is not JSON stays one line, too.
         */
        private void append(RawJson message, int from, int count) {
            byte[] target = buffer;
            int at = used;
            System.arraycopy(message.bytes(), from, target, at, count);
            used = at + count;
            if (message.isKnownToBeOneLine()) {
                return;
            }
            int end = used;
            while ((at = RawJson.lineBreak(target, at, end)) < end) {
                target[at] = ' ';
            }
        }

        private void writeBuffer() throws IOException {
            int count = used;
            used = 0;
            writeOut(buffer, 0, count);
        }

        private void writeOut(byte[] bytes, int from, int count) throws IOException {
            call.enter();
            try {
                out.write(bytes, from, count);
            } finally {
                leave();
            }
        }

        @Override
        public void flush() throws IOException {
            int count = used;
            used = 0;
            call.enter();
            try {
                if (count > 0) {
                    out.write(buffer, 0, count);
                }
                out.flush();
            } finally {
                leave();
            }
        }

        /**
         * Closes the stream if the transport was closed during the write: closing it there could wait for the write.
         */
        private void leave() throws IOException {
            if (call.leave()) {
                finished = true;
                out.close();
            }
        }

        @Override
        public void close() throws IOException {
            if (finished) {
                return;
            }
            finished = true;
            try {
                flush();
            } finally {
                out.close();
            }
        }
    }

    /**
     * Knows which thread is inside a stream's blocking call, so that closing interrupts that call and nothing else the
     * thread does later.
     *
     * <p>The lock guards the thread and what happened to it. It is never held during the call itself.
     */
    private static final class BlockingCall {
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private @Nullable Thread thread;

        @GuardedBy("lock")
        private boolean interrupted;

        @GuardedBy("lock")
        private boolean closed;

        void enter() throws IOException {
            lock.lock();
            try {
                if (closed) {
                    throw new IOException("transport is closed");
                }
                thread = Thread.currentThread();
            } finally {
                lock.unlock();
            }
        }

        /** Leaves the call; returns whether the transport was closed meanwhile. */
        boolean leave() {
            lock.lock();
            try {
                thread = null;
                if (interrupted) {
                    interrupted = false;
                    Thread.interrupted();
                }
                return closed;
            } finally {
                lock.unlock();
            }
        }

        /** Refuses further calls and interrupts the present one; returns whether there is one. */
        boolean close() {
            lock.lock();
            try {
                closed = true;
                if (thread == null) {
                    return false;
                }
                interrupted = true;
                thread.interrupt();
                return true;
            } finally {
                lock.unlock();
            }
        }
    }
}
