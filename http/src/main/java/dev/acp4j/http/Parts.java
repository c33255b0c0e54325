package dev.acp4j.http;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes something large in parts, so that a client that takes it slowly is seen to take it. A part ends between
 * characters. However soon a part is written, the stack does not grow.
 */
final class Parts {
    private static final int BYTES = 64 * 1024;

    /** Where parts are written. */
    interface Sink {
        /** Begins to write a part; the next one follows when it is done. */
        void write(ByteBuffer part, boolean isFirst, boolean isLast, Consumer<@Nullable Throwable> done);
    }

    private final ByteBuffer bytes;
    private final Sink sink;
    private final Runnable progress;
    private final Consumer<@Nullable Throwable> done;

    /** How many parts may begin; the thread that makes it more than 0 begins them. */
    private final AtomicInteger due = new AtomicInteger();

    private Parts(ByteBuffer bytes, Sink sink, Runnable progress, Consumer<@Nullable Throwable> done) {
        this.bytes = bytes;
        this.sink = sink;
        this.progress = progress;
        this.done = done;
    }

    /**
     * Begins to write.
     *
     * @param progress run when a part was taken that is not the last
     * @param done told once, when the last one was taken, or with what went wrong
     */
    static void write(ByteBuffer bytes, Sink sink, Runnable progress, Consumer<@Nullable Throwable> done) {
        new Parts(bytes, sink, progress, done).next(true);
    }

    private void next(boolean isFirst) {
        if (due.getAndIncrement() > 0) {
            return;
        }
        boolean first = isFirst;
        do {
            ByteBuffer part = part();
            boolean isLast = !bytes.hasRemaining();
            sink.write(part, first, isLast, failure -> written(isLast, failure));
            first = false;
        } while (due.decrementAndGet() > 0);
    }

    private ByteBuffer part() {
        int length = Math.min(bytes.remaining(), BYTES);
        if (length < bytes.remaining()) {
            while (length > BYTES - 4 && (bytes.get(bytes.position() + length) & 0xc0) == 0x80) {
                length--;
            }
        }
        ByteBuffer part = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        return part;
    }

    private void written(boolean isLast, @Nullable Throwable failure) {
        if (failure != null || isLast) {
            done.accept(failure);
        } else {
            progress.run();
            next(false);
        }
    }
}
