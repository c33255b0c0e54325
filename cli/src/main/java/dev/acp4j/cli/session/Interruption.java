package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Turn;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/**
 * Handles Ctrl-C: it cancels the turn; the second time, or without a turn, it interrupts the run. SIGTERM and SIGHUP
 * interrupt the run, so that it can report its end.
 *
 * <p>The lock guards the running turn; nothing is called while holding it.
 */
public final class Interruption {
    /** How long a run may take to report its end after a signal. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(3);

    private final Thread run = Thread.currentThread();
    private final Runnable onCancel;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Turn turn;

    @GuardedBy("lock")
    private boolean hasCancelled;

    private volatile boolean wasPressed;
    private volatile boolean hasLeft;

    /** The exit code for the signal that ended the run; null without one. */
    private volatile @Nullable ExitCode signalled;

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

    /** From now on SIGTERM and SIGHUP end the run; the second time, or when it does not end, they end the process. */
    public void endsOnSignals() {
        Signals.register("TERM", () -> end(ExitCode.TERMINATED));
        Signals.register("HUP", () -> end(ExitCode.HUNG_UP));
    }

    private void end(ExitCode code) {
        boolean again = signalled != null;
        signalled = code;
        run.interrupt();
        Thread.ofPlatform().daemon().name("acp-signal").start(() -> {
            try {
                if (again || !run.join(LAST_WORDS)) {
                    System.exit(code.number());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns the end of the run by a signal; null without one. */
    public @Nullable Failure signalled() {
        ExitCode code = signalled;
        return code == null ? null : new Failure(code.meaning(), List.of(), code);
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
