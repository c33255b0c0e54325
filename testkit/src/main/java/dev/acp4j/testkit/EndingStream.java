package dev.acp4j.testkit;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A stream that ends or fails after some bytes. */
final class EndingStream extends InputStream {
    private final InputStream in;
    private final @Nullable String failure;
    private long left;

    EndingStream(InputStream in, long bytes, @Nullable String failure) {
        this.in = in;
        this.left = bytes;
        this.failure = failure;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
        if (left == 0) {
            // The writer is notified, too.
            in.close();
            if (failure != null) {
                throw new IOException(failure);
            }
            return -1;
        }
        int count = in.read(buffer, from, (int) Math.min(length, left));
        left -= Math.max(count, 0);
        return count;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
