package dev.acp4j.process;

import dev.acp4j.rpc.ConnectionClosedException;
import org.jspecify.annotations.Nullable;

/** An agent could not be started, died or never answered. The message says what happened and what to do about it. */
public final class ProcessFailedException extends ConnectionClosedException {
    private static final long serialVersionUID = 1L;

    private final transient FailureReport report;

    /**
     * Creates the exception.
     *
     * @param report what is known of the failure
     * @param method the method that was waiting for its answer, or null when none was
     * @param cause the failure underneath, or null
     */
    public ProcessFailedException(FailureReport report, @Nullable String method, @Nullable Throwable cause) {
        super(report.summary(), method, cause);
        this.report = report;
    }

    @Override
    public String nextStep() {
        return report.nextStep();
    }

    /** Returns all that is known of the failure. */
    public FailureReport report() {
        return report;
    }
}
