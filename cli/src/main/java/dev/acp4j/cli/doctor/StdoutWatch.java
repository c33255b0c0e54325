package dev.acp4j.cli.doctor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Inspects the bytes of an agent's standard output for anomalies that acp skips and other clients may reject.
 *
 * <p>The lock guards the anomalies seen; nothing is called while holding it.
 */
final class StdoutWatch implements Consumer<byte[]> {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private long bytes;

    /** The number of initial bytes that match a byte order mark. */
    @GuardedBy("lock")
    private int markBytes;

    @GuardedBy("lock")
    private long lineLength;

    @GuardedBy("lock")
    private byte last;

    @GuardedBy("lock")
    private long blankLines;

    @GuardedBy("lock")
    private long carriageReturns;

    @Override
    public void accept(byte[] block) {
        lock.lock();
        try {
            for (byte b : block) {
                if (bytes < BYTE_ORDER_MARK.length && b == BYTE_ORDER_MARK[(int) bytes]) {
                    markBytes++;
                }
                bytes++;
                if (b == '\n') {
                    boolean returned = last == '\r' && lineLength > 0;
                    carriageReturns += returned ? 1 : 0;
                    blankLines += lineLength == (returned ? 1 : 0) ? 1 : 0;
                    lineLength = 0;
                } else {
                    lineLength++;
                }
                last = b;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the anomalies, a phrase for each. */
    List<String> oddities() {
        lock.lock();
        try {
            List<String> found = new ArrayList<>();
            if (markBytes == BYTE_ORDER_MARK.length) {
                found.add("a byte order mark at the start");
            }
            if (blankLines > 0) {
                found.add(Finding.count(blankLines, "blank line"));
            }
            if (carriageReturns > 0) {
                found.add("CR LF at the end of " + Finding.count(carriageReturns, "line"));
            }
            if (bytes > 0 && lineLength > 0) {
                found.add("a last line without an end");
            }
            return found;
        } finally {
            lock.unlock();
        }
    }
}
