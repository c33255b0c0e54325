package dev.acp4j.soak;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;

/** Bytes that stop coming at some point, in one of three ways. */
final class FaultyStream extends FilterInputStream {
    /** How they stop. */
    enum Way {
        ENDS,
        FAILS,
        STALLS
    }

    private final Way way;
    private final CountDownLatch stopped;
    private final CountDownLatch closed = new CountDownLatch(1);
    private long left;

    /** Breaks after so many bytes, and counts the latch down then. */
    FaultyStream(InputStream in, Way way, long bytes, CountDownLatch stopped) {
        super(in);
        this.way = way;
        this.left = bytes;
        this.stopped = stopped;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
        if (left == 0) {
            return stop();
        }
        int count = super.read(buffer, from, (int) Math.min(left, length));
        left -= Math.max(0, count);
        return count;
    }

    private int stop() throws IOException {
        stopped.countDown();
        if (way == Way.FAILS) {
            throw new IOException("the line was cut");
        }
        if (way == Way.STALLS) {
            stall();
        }
        return -1;
    }

    private void stall() throws IOException {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        super.close();
    }
}
