package dev.acp4j.process;

import dev.acp4j.rpc.ConnectionClosedException;
import org.jspecify.annotations.Nullable;

/** An agent could not be started, died or never responded. The message says what happened and what to do. */
public final class ProcessFailedException extends ConnectionClosedException {
    private static final long serialVersionUID = 1L;

    private final transient FailureReport report;

    /**
     * Creates the exception.
     *
     * @param report the known facts about the failure
     * @param method the method whose response was awaited, or null if none was
     * @param cause the underlying failure, or null
     */
    public ProcessFailedException(FailureReport report, @Nullable String method, @Nullable Throwable cause) {
        super(report.summary(), method, cause);
        this.report = report;
    }

    @Override
    public String nextStep() {
        return report.nextStep();
    }

    /** Returns the report of the failure. */
    public FailureReport report() {
        return report;
    }
}
