package dev.acp4j.rpc;

import java.time.Duration;

/**
 * Limits of one connection. Every queue is bounded; a full queue applies back-pressure.
 *
 * @param messageBytes the largest message, read or written, in bytes without its line ending; a larger one is refused
 *     with an error and the connection goes on
 * @param laneBytes how much memory read messages may take that wait for their handlers in one lane before reading
 *     pauses: their bytes and {@value #BYTES_BESIDE} more each. Four times as much for all lanes together, and for one
 *     while a thread waits for an answer that has not been read
 * @param outboxBytes how many bytes of messages may wait to be written before senders block
 * @param incomingRequests how many requests of the peer may be in flight; one more is refused with an error
 * @param incomingBytes how many bytes the peer's requests in flight may have together; one more is refused with an
 *     error, unless it is the only one
 * @param outgoingRequests how many of our requests may be in flight; one more fails with {@link IllegalStateException}
 * @param requestTimeout the default timeout of a call; zero means no timeout
 * @param drainTime how long handlers may go on after the peer closed its side or {@link Connection#close()} was called;
 *     then they are interrupted
 * @param barrierPatience how long an answer waits for one earlier handler that does not return; after that it is
 *     delivered out of order, which is reported
 */
public record Limits(
        int messageBytes,
        long laneBytes,
        long outboxBytes,
        int incomingRequests,
        long incomingBytes,
        int outgoingRequests,
        Duration requestTimeout,
        Duration drainTime,
        Duration barrierPatience) {
    /** What a small message takes in memory beside its bytes. */
    static final int BYTES_BESIDE = 128;

    private static final int MIB = 1024 * 1024;

    /** Longer than anybody waits, and short enough to be added to a clock. */
    private static final Duration LONG = Duration.ofDays(36_500);

    /** A full queue applies back-pressure instead of exhausting the heap. */
    private static final long HEAP = Runtime.getRuntime().maxMemory();

    /**
     * 64 MiB a message; 64 MiB a lane, but at most a sixteenth of the heap; 64 MiB an outbox, but at most an eighth;
     * 1,024 requests each way, and of the peer's 256 MiB, but at most an eighth of the heap; 60 s a call, 5 s to drain,
     * 30 s of patience.
     *
     * <p>The bound of a message does not follow the heap, so that what is understood on one machine is understood on
     * all. A request that does not fit into the heap is answered with an internal error, and the connection goes on.
     */
    public static final Limits STANDARD = new Limits(
            64 * MIB,
            Math.min(64L * MIB, HEAP / 16),
            Math.min(64L * MIB, HEAP / 8),
            1024,
            Math.min(256L * MIB, HEAP / 8),
            1024,
            Duration.ofSeconds(60),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30));

    /** Checks that every number is positive, and that no time is negative. */
    public Limits {
        requirePositive("messageBytes", messageBytes);
        requirePositive("laneBytes", laneBytes);
        requirePositive("outboxBytes", outboxBytes);
        requirePositive("incomingRequests", incomingRequests);
        requirePositive("incomingBytes", incomingBytes);
        requirePositive("outgoingRequests", outgoingRequests);
        requireNotNegative("requestTimeout", requestTimeout);
        requireNotNegative("drainTime", drainTime);
        requireNotNegative("barrierPatience", barrierPatience);
    }

    /** Returns a time in nanoseconds; one that nobody lives to see may be cut. */
    static long nanos(Duration time) {
        requireNotNegative("a time to wait", time);
        return (time.compareTo(LONG) > 0 ? LONG : time).toNanos();
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }

    private static void requireNotNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + value);
        }
    }

    /** Returns these limits with another bound for one message. */
    public Limits withMessageBytes(int bytes) {
        return new Limits(
                bytes,
                laneBytes,
                outboxBytes,
                incomingRequests,
                incomingBytes,
                outgoingRequests,
                requestTimeout,
                drainTime,
                barrierPatience);
    }

    /** Returns these limits with other bounds for what waits to be handled and to be written. */
    public Limits withQueueBytes(long lane, long outbox) {
        return new Limits(
                messageBytes,
                lane,
                outbox,
                incomingRequests,
                incomingBytes,
                outgoingRequests,
                requestTimeout,
                drainTime,
                barrierPatience);
    }

    /** Returns these limits with other bounds for requests in flight. */
    public Limits withRequests(int incoming, int outgoing) {
        return new Limits(
                messageBytes,
                laneBytes,
                outboxBytes,
                incoming,
                incomingBytes,
                outgoing,
                requestTimeout,
                drainTime,
                barrierPatience);
    }

    /** Returns these limits with another bound for the bytes of the peer's requests in flight. */
    public Limits withIncomingBytes(long bytes) {
        return new Limits(
                messageBytes,
                laneBytes,
                outboxBytes,
                incomingRequests,
                bytes,
                outgoingRequests,
                requestTimeout,
                drainTime,
                barrierPatience);
    }

    /** Returns these limits with another default time for a call; zero means for ever. */
    public Limits withRequestTimeout(Duration timeout) {
        return new Limits(
                messageBytes,
                laneBytes,
                outboxBytes,
                incomingRequests,
                incomingBytes,
                outgoingRequests,
                timeout,
                drainTime,
                barrierPatience);
    }

    /** Returns these limits with another time for handlers to finish when the connection ends. */
    public Limits withDrainTime(Duration time) {
        return new Limits(
                messageBytes,
                laneBytes,
                outboxBytes,
                incomingRequests,
                incomingBytes,
                outgoingRequests,
                requestTimeout,
                time,
                barrierPatience);
    }

    /** Returns these limits with another patience for handlers that hold an answer back. */
    public Limits withBarrierPatience(Duration patience) {
        return new Limits(
                messageBytes,
                laneBytes,
                outboxBytes,
                incomingRequests,
                incomingBytes,
                outgoingRequests,
                requestTimeout,
                drainTime,
                patience);
    }
}
