package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes messages as lines, through a buffer. What would fill the buffer by itself is not copied, unless it has to be
 * changed.
 */
final class LineWriter implements MessageWriter {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final OutputStream out;
    private final int limit;
    private final BlockingCall call;
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
            throw new MessageTooLargeException(limit, LineReader.head(message));
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
     * Copies, with line breaks turned into spaces. In JSON they can only stand between tokens, where a space means the
     * same; and text that is not JSON stays one line, too.
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
        if (used > 0) {
            writeBuffer();
        }
        call.enter();
        try {
            out.flush();
        } finally {
            leave();
        }
    }

    /** Whoever closes the transport during a write leaves the stream to us: its own close could wait for our write. */
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
