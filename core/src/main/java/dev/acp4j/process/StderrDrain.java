package dev.acp4j.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a process's standard error to its end, so that the process never blocks on a full pipe. Keeps the last 64 KiB
 * and passes lines to a listener.
 *
 * <p>The lock guards the kept bytes. The listener is called without holding it.
 */
final class StderrDrain implements Runnable {
    static final int TAIL_BYTES = 64 * 1024;
    static final int LINE_BYTES = 8 * 1024;
    private static final int FIRST_TAIL_BYTES = 1024;

    private final InputStream in;
    private @Nullable Consumer<String> listener;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();

    /** The last bytes; a ring buffer once it has its full size. */
    @GuardedBy("lock")
    private byte[] tail = new byte[FIRST_TAIL_BYTES];

    @GuardedBy("lock")
    private long total;

    private final byte[] line = new byte[LINE_BYTES];
    private long lineLength;

    StderrDrain(InputStream in, String name, @Nullable Consumer<String> listener) {
        this.in = in;
        this.listener = listener;
        // A platform thread: reading a pipe would pin the carrier of a virtual one.
        this.thread = Thread.ofPlatform().daemon().name("acp4j-stderr-" + name).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Waits until everything was read, for at most the given time: a remaining descendant may hold the pipe open. */
    void awaitEnd(Duration time) throws InterruptedException {
        thread.join(time);
    }

    @Override
    public void run() {
        byte[] block = new byte[LINE_BYTES];
        try {
            int count = in.read(block);
            while (count >= 0) {
                keep(block, count);
                split(block, count);
                count = in.read(block);
            }
        } catch (IOException e) {
            // The pipe is gone. The bytes read so far are kept; the process is handled elsewhere.
        }
        if (lineLength > 0) {
            emit();
        }
    }

    private void keep(byte[] block, int count) {
        lock.lock();
        try {
            if (total + count > tail.length && tail.length < TAIL_BYTES) {
                // Not a ring yet, so the bytes are in order from the start.
                tail = Arrays.copyOf(tail, TAIL_BYTES);
            }
            int at = (int) (total % tail.length);
            int first = Math.min(count, tail.length - at);
            System.arraycopy(block, 0, tail, at, first);
            System.arraycopy(block, first, tail, 0, count - first);
            total += count;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the end of the output, starting with a whole line if there is one. */
    String tail() {
        byte[] bytes;
        boolean cut;
        lock.lock();
        try {
            int kept = (int) Math.min(total, tail.length);
            cut = total > kept;
            bytes = new byte[kept];
            int at = cut ? (int) (total % tail.length) : 0;
            System.arraycopy(tail, at, bytes, 0, Math.min(kept, tail.length - at));
            if (cut) {
                System.arraycopy(tail, 0, bytes, tail.length - at, at);
            }
        } finally {
            lock.unlock();
        }
        int from = cut ? firstWhole(bytes) : 0;
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }

    private static int firstWhole(byte[] bytes) {
        for (int i = 0; i < bytes.length - 1; i++) {
            if (bytes[i] == '\n') {
                return i + 1;
            }
        }
        int from = 0;
        while (from < bytes.length && isContinuation(bytes[from])) {
            from++;
        }
        return from;
    }

    private static boolean isContinuation(byte b) {
        return (b & 0xC0) == 0x80;
    }

    private void split(byte[] block, int count) {
        if (listener == null) {
            return;
        }
        for (int i = 0; i < count; i++) {
            if (block[i] == '\n') {
                emit();
            } else {
                if (lineLength < LINE_BYTES) {
                    line[(int) lineLength] = block[i];
                }
                lineLength++;
            }
        }
    }

    private void emit() {
        int length = (int) Math.min(lineLength, LINE_BYTES);
        String cut = "";
        if (lineLength > LINE_BYTES) {
            length = endOfLastCharacter(length);
            cut = " … [" + (lineLength - length) + " more bytes]";
        } else if (length > 0 && line[length - 1] == '\r') {
            length--;
        }
        lineLength = 0;
        tell(new String(line, 0, length, StandardCharsets.UTF_8) + cut);
    }

    private void tell(String text) {
        Consumer<String> to = listener;
        if (to == null) {
            return;
        }
        try {
            to.accept(text);
        } catch (RuntimeException e) {
            // Draining continues; otherwise a failing listener would block the process on a full pipe.
            listener = null;
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        }
    }

    /** Drops an incomplete character at the end of the line. */
    private int endOfLastCharacter(int length) {
        int lead = length - 1;
        while (lead > length - 4 && isContinuation(line[lead])) {
            lead--;
        }
        int size = Integer.numberOfLeadingZeros(~(line[lead] << 24));
        return size > length - lead ? lead : length;
    }
}
