package dev.acp4j.testkit;

import java.io.IOException;
import java.io.OutputStream;

/** A stream that ends for its reader after some bytes, and fails for its writer. */
final class DyingStream extends OutputStream {
    private final OutputStream out;
    private long left;

    DyingStream(OutputStream out, long bytes) {
        this.out = out;
        this.left = bytes;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        int count = (int) Math.min(length, left);
        out.write(bytes, from, count);
        left -= count;
        if (left == 0) {
            out.close();
            throw new DeadException();
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    /** The writer has died. */
    static final class DeadException extends IOException {
        private static final long serialVersionUID = 1L;
    }
}
