package dev.acp4j.cli.command;

/** The command line is invalid; the message gives the problem in one line. */
public class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
