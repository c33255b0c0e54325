package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Turn;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Termination;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Handles Ctrl-C: it cancels the turn; the second time, or without a turn, it interrupts the run. SIGTERM and SIGHUP
 * interrupt the run, so that it can report its end.
 *
 * <p>The lock guards the running turn; nothing is called while holding it.
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

    private volatile @Nullable Termination termination;

    /**
     * Creates an interruption of the calling thread.
     *
     * @param onCancel called after a turn was cancelled
     */
    public Interruption(Runnable onCancel) {
        this.onCancel = onCancel;
    }

    /** Returns whether Ctrl-C was pressed. */
    public boolean wasPressed() {
        return wasPressed;
    }

    /** Sets the running turn; null after its end. */
    public void turn(@Nullable Turn current) {
        lock.lock();
        try {
            turn = current;
            hasCancelled = false;
        } finally {
            lock.unlock();
        }
    }

    /** Handles a press of Ctrl-C. */
    public void press() {
        wasPressed = true;
        if (!cancel()) {
            run.interrupt();
            return;
        }
        onCancel.run();
    }

    /** Ends the run and its turn at once. */
    public void leave() {
        hasLeft = true;
        run.interrupt();
    }

    /** From now on SIGTERM and SIGHUP end the run. */
    public void endsOnSignals() {
        termination = Termination.watched();
    }

    /** Returns the end of the run by a signal; null without one. */
    public @Nullable Failure signalled() {
        Termination watched = termination;
        return watched == null ? null : watched.failure();
    }

    /** Returns whether the run was ended at once. */
    public boolean hasLeft() {
        return hasLeft;
    }

    /** Cancels the running turn; returns false if there is none, or it was already cancelled. */
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
