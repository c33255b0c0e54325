package dev.acp4j.rpc;

/**
 * A thread waited for something that could not come: the message that brings it cannot be read, because the bound of
 * what may be read ahead is used up by messages that wait for that very thread.
 */
public final class WouldDeadlockException extends RpcException {
    private static final long serialVersionUID = 1L;

    WouldDeadlockException(String waitedFor, long laneBytes) {
        super(
                waitedFor + ": waiting would never end: " + laneBytes
                        + " bytes of messages (Limits.laneBytes) wait for the handler that waits, so nothing more is read",
                null);
    }

    @Override
    public String nextStep() {
        return "Let the handler return and wait on another thread, or raise Limits.laneBytes.";
    }
}
