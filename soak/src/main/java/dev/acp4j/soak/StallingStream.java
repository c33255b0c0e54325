package dev.acp4j.soak;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;

/** Bytes that come in pieces, and sometimes not for a while. */
final class StallingStream extends FilterInputStream {
    private static final int STALL_EVERY = 500;
    private static final int STALL_MILLIS = 50;
    private static final int LARGEST_PIECE = 16 * 1024;

    private final Random random;

    private StallingStream(InputStream in, Random random) {
        super(in);
        this.random = random;
    }

    static InputStream sometimes(InputStream in, Random random) {
        return new StallingStream(in, random);
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
        if (random.nextInt(STALL_EVERY) == 0) {
            Run.lag(random.nextInt(STALL_MILLIS));
        }
        return super.read(buffer, from, Math.min(length, 1 + random.nextInt(LARGEST_PIECE)));
    }
}
