package dev.acp4j.agent;

/**
 * A request for permission was answered with <em>cancelled</em>: the client has cancelled the turn. This answer may
 * arrive before the cancellation itself, which would interrupt the thread.
 */
final class WithdrawnException extends RuntimeException {
    private static final long serialVersionUID = 1;

    WithdrawnException() {
        super("the client cancelled the turn", null, false, false);
    }
}
