package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Problem;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Writes problems to the system's log: handlers that fail or are stuck as warnings, what the peer did wrong and what is
 * only good to know as debug messages. The logger is looked up when the first problem comes, because that is slow. A
 * peer that errs without end does not fill the log: of each level there are so many lines in so much time, and the next
 * line says how many were left out.
 */
final class ProblemLog implements Consumer<Problem> {
    private final String name;
    private final Allowance ours = new Allowance();
    private final Allowance theirs = new Allowance();

    ProblemLog(String name) {
        this.name = name;
    }

    @Override
    public void accept(Problem problem) {
        Problem.Kind kind = problem.kind();
        boolean isOurs = kind == Problem.Kind.REQUEST_FAILED
                || kind == Problem.Kind.NOTIFICATION_FAILED
                || kind == Problem.Kind.HANDLER_STUCK;
        System.Logger.Level level = isOurs ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
        System.Logger log = System.getLogger(name);
        if (!log.isLoggable(level)) {
            return;
        }
        long leftOut = (isOurs ? ours : theirs).take();
        if (leftOut >= 0) {
            String more = leftOut == 0 ? "" : " (" + leftOut + " before this were left out)";
            log.log(level, kind + ": " + detail(problem) + more, problem.cause());
        }
    }

    /** What is left of a broken message may be its params, which are for traces. */
    private static String detail(Problem problem) {
        boolean isBroken = problem.kind() == Problem.Kind.NOISE
                && Noise.MESSAGE.matcher(problem.detail()).find();
        return isBroken ? "the line is not JSON and may have a part of a message in it" : problem.detail();
    }

    /** Made when the first noise comes: expressions are slow to load, and the way to the first answer is short. */
    private static final class Noise {
        /** How a message begins, on its own or behind other text, also when that quotes it. */
        static final Pattern MESSAGE = Pattern.compile("\\A\\s*\\{|\\{[\\s\\\\]*+\"");
    }

    /** How many lines may be written. The lock guards the count. */
    private static final class Allowance {
        private static final int LINES = 20;
        private static final long NANOS = TimeUnit.SECONDS.toNanos(10);

        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private long since = System.nanoTime();

        @GuardedBy("lock")
        private int lines;

        @GuardedBy("lock")
        private long leftOut;

        /** Returns how many lines were left out before this one, or -1 when this one is, too. */
        long take() {
            lock.lock();
            try {
                long now = System.nanoTime();
                if (now - since >= NANOS) {
                    since = now;
                    lines = 0;
                }
                if (lines == LINES) {
                    leftOut++;
                    return -1;
                }
                lines++;
                long missed = leftOut;
                leftOut = 0;
                return missed;
            } finally {
                lock.unlock();
            }
        }
    }
}
