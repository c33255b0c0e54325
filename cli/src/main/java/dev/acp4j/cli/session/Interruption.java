package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Turn;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What Ctrl-C does: it cancels the turn; the second time, or when no turn runs, it interrupts the run.
 *
 * <p>The lock guards which turn runs; nothing is called while it is held.
 */
public final class Interruption {
    private final Thread run = Thread.currentThread();
    private final Runnable onCancel;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Turn turn;

    @GuardedBy("lock")
    private boolean hasCancelled;

    private volatile boolean wasPressed;
    private volatile boolean hasLeft;

    /**
     * Concerns the calling thread.
     *
     * @param onCancel called after a turn was asked to end
     */
    public Interruption(Runnable onCancel) {
        this.onCancel = onCancel;
    }

    /** Whether Ctrl-C was pressed at all. */
    public boolean wasPressed() {
        return wasPressed;
    }

    /** A turn begins, or, with null, has ended. */
    public void turn(@Nullable Turn current) {
        lock.lock();
        try {
            turn = current;
            hasCancelled = false;
        } finally {
            lock.unlock();
        }
    }

    /** Ctrl-C was pressed. */
    public void press() {
        wasPressed = true;
        if (!cancel()) {
            run.interrupt();
            return;
        }
        onCancel.run();
    }

    /** Ends the run at once, and with it the turn. */
    public void leave() {
        hasLeft = true;
        run.interrupt();
    }

    /** Whether the run was ended at once. */
    public boolean hasLeft() {
        return hasLeft;
    }

    /** Cancels the turn that runs; false if there is none, or it was cancelled before. */
    public boolean cancel() {
        Turn running;
        lock.lock();
        try {
            running = hasCancelled ? null : turn;
            hasCancelled = true;
        } finally {
            lock.unlock();
        }
        if (running != null) {
            running.cancel();
        }
        return running != null;
    }
}
