package dev.acp4j.http;

import java.io.IOException;
import java.io.OutputStream;

/** Writes in parts. Progress is reported after each part of this size, or a smaller one at the end. */
final class ProgressOutputStream extends OutputStream {
    private static final int PART_BYTES = 64 * 1024;

    private final OutputStream out;
    private final Runnable progress;

    ProgressOutputStream(OutputStream out, Runnable progress) {
        this.out = out;
        this.progress = progress;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        for (int at = 0; at < length; at += PART_BYTES) {
            out.write(bytes, from + at, Math.min(PART_BYTES, length - at));
            progress.run();
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
