package dev.acp4j.agent;

import java.time.Duration;

/**
 * A text that stops a regular expression after a timeout or an interrupt. Otherwise a pattern with nested repetition
 * could run practically forever.
 */
final class GuardedText implements CharSequence {
    /** Thrown out of the matcher when the time is over or the thread was interrupted. */
    static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        StoppedException(String message) {
            super(message, null, false, false);
        }
    }

    /** A function of a guarded text. */
    interface Matching<T> {
        T run();
    }

    private static final int CHECK_EVERY = 4096;

    private final CharSequence text;
    private final long deadline;
    private final Duration allowed;
    private int looks;

    GuardedText(CharSequence text, Duration allowed) {
        this(text, allowed, System.nanoTime() + allowed.toNanos());
    }

    private GuardedText(CharSequence text, Duration allowed, long deadline) {
        this.text = text;
        this.allowed = allowed;
        this.deadline = deadline;
    }

    /**
     * Runs a function of a guarded text.
     *
     * @throws StoppedException when the pattern takes too long, or recurses too deep
     */
    static <T> T run(Matching<T> matching) throws InterruptedException {
        try {
            return matching.run();
        } catch (StackOverflowError e) {
            throw new StoppedException("the pattern is too deep for this text");
        } catch (StoppedException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw e;
        }
    }

    /** Returns another text that the same time is for. */
    GuardedText and(CharSequence other) {
        return new GuardedText(other, allowed, deadline);
    }

    @Override
    public char charAt(int index) {
        if (++looks % CHECK_EVERY == 0) {
            check();
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return new GuardedText(text.subSequence(start, end), allowed, deadline);
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private void check() {
        if (Thread.currentThread().isInterrupted()) {
            throw new StoppedException("interrupted");
        }
        if (System.nanoTime() - deadline > 0) {
            throw new StoppedException("the pattern ran for more than " + allowed.toMillis() + " ms");
        }
    }
}
