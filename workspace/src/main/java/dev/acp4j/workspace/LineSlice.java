package dev.acp4j.workspace;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Some lines of a file, line ends included. A line ends with a line feed, so CR LF is preserved. Lines before are read
 * but not kept, lines after are not read.
 */
final class LineSlice {
    private static final int CHUNK = 64 << 10;

    private final long linesToSkip;
    private final long linesToKeep;
    private final int maxBytes;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private long linesSeen;

    /** @param maxBytes the size limit; the caller must check {@link #exceeded()} */
    LineSlice(long linesToSkip, long linesToKeep, int maxBytes) {
        this.linesToSkip = linesToSkip;
        this.linesToKeep = linesToKeep;
        this.maxBytes = maxBytes;
    }

    void readFrom(ReadableByteChannel channel) throws IOException {
        byte[] chunk = new byte[CHUNK];
        ByteBuffer buffer = ByteBuffer.wrap(chunk);
        while (!isComplete() && channel.read(buffer.clear()) >= 0) {
            add(chunk, buffer.position());
        }
    }

    /** Reads a text that is in memory. */
    void read(ByteBuffer text) {
        byte[] bytes = new byte[text.remaining()];
        text.get(bytes);
        add(bytes, bytes.length);
    }

    private boolean isComplete() {
        return linesSeen - linesToSkip >= linesToKeep || exceeded();
    }

    private void add(byte[] chunk, int length) {
        int from = 0;
        while (from < length && !isComplete()) {
            int end = endOfLine(chunk, from, length);
            if (linesSeen >= linesToSkip) {
                kept.write(chunk, from, Math.min(end - from, maxBytes + 1 - kept.size()));
            }
            if (chunk[end - 1] == '\n') {
                linesSeen++;
            }
            from = end;
        }
    }

    private static int endOfLine(byte[] chunk, int from, int length) {
        for (int i = from; i < length; i++) {
            if (chunk[i] == '\n') {
                return i + 1;
            }
        }
        return length;
    }

    boolean exceeded() {
        return kept.size() > maxBytes;
    }

    byte[] bytes() {
        return kept.toByteArray();
    }
}
