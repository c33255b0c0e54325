package dev.acp4j.cli.command;

/** A command has failed, for a reason that is ready to be shown. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    public CommandFailedException(Failure failure) {
        super(failure.message());
        this.failure = failure;
    }

    Failure failure() {
        return failure;
    }
}
