package dev.acp4j.rpc;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Limits of one connection. Every queue is bounded; a full queue applies back-pressure. Immutable: begin with
 * {@link #STANDARD} and change what must differ.
 */
public final class Limits {
    /** What a small message takes in memory beside its bytes. */
    static final int BYTES_BESIDE = 128;

    private static final int MIB = 1024 * 1024;

    /** Longer than anybody waits, and short enough to be added to a clock. */
    private static final Duration LONG = Duration.ofDays(36_500);

    private static final long HEAP = Runtime.getRuntime().maxMemory();

    /**
     * The standard limits: 64 MiB for a message; 64 MiB for a lane, but at most a sixteenth of the heap; 64 MiB for the
     * outgoing queue, but at most an eighth of the heap; 1,024 requests each way, and 128 MiB of the peer's requests,
     * but at most an eighth of the heap; 96 MiB for the view of a session, but at most an eighth of the heap; 60 s for
     * a call, 5 s to drain, 30 s of patience.
     *
     * <p>The limit of a message does not depend on the heap, so that a message that one machine accepts is accepted by
     * all. A request that does not fit into the heap is answered with an internal error, and the connection stays open.
     */
    public static final Limits STANDARD = new Limits(new Values());

    /** What a set of limits is made of, while it is being made. */
    private static final class Values {
        int messageBytes = 64 * MIB;
        long laneBytes = Math.min(64L * MIB, HEAP / 16);
        long outboxBytes = Math.min(64L * MIB, HEAP / 8);
        int incomingRequests = 1024;
        long incomingBytes = Math.min(128L * MIB, HEAP / 8);
        int outgoingRequests = 1024;
        long viewBytes = Math.min(96L * MIB, HEAP / 8);
        Duration requestTimeout = Duration.ofSeconds(60);
        Duration drainTime = Duration.ofSeconds(5);
        Duration barrierPatience = Duration.ofSeconds(30);
    }

    private final Values values;

    private Limits(Values values) {
        positive("messageBytes", values.messageBytes);
        positive("laneBytes", values.laneBytes);
        positive("outboxBytes", values.outboxBytes);
        positive("incomingRequests", values.incomingRequests);
        positive("incomingBytes", values.incomingBytes);
        positive("outgoingRequests", values.outgoingRequests);
        positive("viewBytes", values.viewBytes);
        notNegative("requestTimeout", values.requestTimeout);
        notNegative("drainTime", values.drainTime);
        notNegative("barrierPatience", values.barrierPatience);
        this.values = values;
    }

    private Limits with(Consumer<Values> change) {
        Values copy = new Values();
        copy.messageBytes = values.messageBytes;
        copy.laneBytes = values.laneBytes;
        copy.outboxBytes = values.outboxBytes;
        copy.incomingRequests = values.incomingRequests;
        copy.incomingBytes = values.incomingBytes;
        copy.outgoingRequests = values.outgoingRequests;
        copy.viewBytes = values.viewBytes;
        copy.requestTimeout = values.requestTimeout;
        copy.drainTime = values.drainTime;
        copy.barrierPatience = values.barrierPatience;
        change.accept(copy);
        return new Limits(copy);
    }

    /** Returns a time in nanoseconds; one that nobody lives to see may be cut. */
    static long nanos(Duration time) {
        notNegative("a time to wait", time);
        return (time.compareTo(LONG) > 0 ? LONG : time).toNanos();
    }

    private static void positive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }

    private static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + value);
        }
    }

    /**
     * Returns the largest message, read or written, in bytes without its line ending. A larger one is refused with an
     * error, and the connection stays open.
     */
    public int messageBytes() {
        return values.messageBytes;
    }

    /** Returns these limits with another limit for one message, in bytes; positive. */
    public Limits withMessageBytes(int bytes) {
        return with(copy -> copy.messageBytes = bytes);
    }

    /**
     * Returns how much memory read messages may take that wait for their handlers in one lane before reading pauses:
     * their bytes and {@value #BYTES_BESIDE} more each. Four times as much for all lanes together, and for one while a
     * thread waits for an answer that has not been read.
     */
    public long laneBytes() {
        return values.laneBytes;
    }

    /** Returns how many bytes of messages may wait to be written before senders block. */
    public long outboxBytes() {
        return values.outboxBytes;
    }

    /** Returns these limits with other limits for messages that wait to be handled and to be written; positive. */
    public Limits withQueueBytes(long lane, long outbox) {
        return with(copy -> {
            copy.laneBytes = lane;
            copy.outboxBytes = outbox;
        });
    }

    /** Returns how many requests of the peer may be in flight. One more is refused with an error. */
    public int incomingRequests() {
        return values.incomingRequests;
    }

    /** Returns how many of our requests may be in flight. One more fails with {@link IllegalStateException}. */
    public int outgoingRequests() {
        return values.outgoingRequests;
    }

    /** Returns these limits with other limits for requests in flight; positive. */
    public Limits withRequests(int incoming, int outgoing) {
        return with(copy -> {
            copy.incomingRequests = incoming;
            copy.outgoingRequests = outgoing;
        });
    }

    /**
     * Returns how many bytes the peer's requests in flight may have together. One more is refused with an error, unless
     * it is the only one.
     */
    public long incomingBytes() {
        return values.incomingBytes;
    }

    /** Returns these limits with another limit for the bytes of the peer's requests in flight; positive. */
    public Limits withIncomingBytes(long bytes) {
        return with(copy -> copy.incomingBytes = bytes);
    }

    /**
     * Returns how much memory the view of a session of a client may take, by estimate: two bytes for a character of a
     * message, three for a byte of an update of another kind, and 256 for each entry. Beyond that its oldest entries
     * are dropped, and the beginning of an entry that is so large by itself. More than {@code 4/3} of
     * {@link #laneBytes()} is enough for listeners to be notified before.
     */
    public long viewBytes() {
        return values.viewBytes;
    }

    /** Returns these limits with another limit for the memory of a session's view; positive. */
    public Limits withViewBytes(long bytes) {
        return with(copy -> copy.viewBytes = bytes);
    }

    /** Returns the default timeout of a call; zero means no timeout. */
    public Duration requestTimeout() {
        return values.requestTimeout;
    }

    /** Returns these limits with another default timeout of a call; zero means no timeout. */
    public Limits withRequestTimeout(Duration timeout) {
        return with(copy -> copy.requestTimeout = timeout);
    }

    /**
     * Returns how long handlers may continue after the peer closed its side or {@link Connection#close()} was called;
     * then they are interrupted.
     */
    public Duration drainTime() {
        return values.drainTime;
    }

    /** Returns these limits with another time for handlers to finish when the connection ends. */
    public Limits withDrainTime(Duration time) {
        return with(copy -> copy.drainTime = time);
    }

    /**
     * Returns how long an answer waits for one earlier handler that does not return. After that it is delivered out of
     * order, which is reported.
     */
    public Duration barrierPatience() {
        return values.barrierPatience;
    }

    /** Returns these limits with another time that an answer waits for one earlier handler. */
    public Limits withBarrierPatience(Duration patience) {
        return with(copy -> copy.barrierPatience = patience);
    }

    @Override
    public String toString() {
        return "messageBytes " + values.messageBytes + ", laneBytes " + values.laneBytes + ", outboxBytes "
                + values.outboxBytes
                + ", incomingRequests " + values.incomingRequests + ", incomingBytes " + values.incomingBytes
                + ", outgoingRequests " + values.outgoingRequests + ", viewBytes " + values.viewBytes
                + ", requestTimeout "
                + values.requestTimeout + ", drainTime "
                + values.drainTime + ", barrierPatience " + values.barrierPatience;
    }
}
