package dev.acp4j.cli.command;

/** The command line asks for something that cannot be; the message says what, in one line. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
