package dev.acp4j.rpc;

/**
 * A thread waited for something that could not come: the message that brings it cannot be read, because the bound of
 * what may be read ahead is used up by messages that wait for that very thread.
 */
public final class WouldDeadlockException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final String nextStep;

    WouldDeadlockException(String waitedFor, long laneBytes) {
        this(
                waitedFor + ": waiting would never end: " + laneBytes
                        + " bytes of messages (Limits.laneBytes) wait for the handler that waits, so nothing more is read",
                "Let the handler return and wait on another thread, or raise Limits.laneBytes.");
    }

    private WouldDeadlockException(String message, String nextStep) {
        super(message, null);
        this.nextStep = nextStep;
    }

    /** Returns the exception for an interceptor of incoming messages, which waits for one of them. */
    static WouldDeadlockException inInterceptor(String waitedFor) {
        return new WouldDeadlockException(
                waitedFor + ": waiting would never end: the messages that bring it wait for the interceptor that waits",
                "Pass the message on and wait on another thread.");
    }

    @Override
    public String nextStep() {
        return nextStep;
    }
}
