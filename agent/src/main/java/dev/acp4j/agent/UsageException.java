package dev.acp4j.agent;

/** A command was called in a way it does not understand. The message says what is wrong; it is for the user. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}
