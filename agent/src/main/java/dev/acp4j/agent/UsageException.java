package dev.acp4j.agent;

/** A command was called with invalid arguments. The message is for the user. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}
