package dev.acp4j.cli.command;

import java.time.Duration;
import java.util.List;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts a run on SIGTERM and SIGHUP, or on SIGINT, too, so that it can report its end. The second signal, and a
 * run that does not end, end the process.
 */
public final class Termination {
    /** How long a run may take to report its end. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(3);

    private final Thread run = Thread.currentThread();
    private volatile @Nullable ExitCode code;

    private Termination() {}

    /** From now on all three signals interrupt the calling thread. For a run in which SIGINT cancels nothing else. */
    public static Termination watchedWithSigint() {
        Termination termination = watched();
        Signals.register("INT", () -> termination.end(ExitCode.CANCELLED));
        return termination;
    }

    /** From now on SIGTERM and SIGHUP interrupt the calling thread. */
    public static Termination watched() {
        Termination termination = new Termination();
        Signals.register("TERM", () -> termination.end(ExitCode.TERMINATED));
        Signals.register("HUP", () -> termination.end(ExitCode.HUNG_UP));
        return termination;
    }

    /** Returns the end of the run by a signal; null if there was none. */
    public @Nullable Failure failure() {
        ExitCode by = code;
        return by == null ? null : new Failure(by.meaning(), List.of(), by);
    }

    private void end(ExitCode by) {
        boolean again = code != null;
        code = by;
        run.interrupt();
        Thread.ofPlatform().daemon().name("acp-signal").start(() -> {
            try {
                if (again || !run.join(LAST_WORDS)) {
                    System.exit(by.number());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
