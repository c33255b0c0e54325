package dev.acp4j.rpc;

/**
 * Two ends in one process: what is written at one is read at the other, without being copied. Each direction holds a
 * bounded number of bytes; a writer waits while it is full.
 *
 * <p>Closing one end is the end of the stream for the other, after it has read what was written before.
 */
public final class MemoryTransport implements Transport {
    private static final int STANDARD_QUEUE_BYTES = 1024 * 1024;

    private final MemoryPipe incoming;
    private final MemoryPipe outgoing;

    /** The two ends. */
    public record Pair(Transport left, Transport right) {}

    private MemoryTransport(MemoryPipe incoming, MemoryPipe outgoing) {
        this.incoming = incoming;
        this.outgoing = outgoing;
    }

    /** Returns two joined ends that hold up to 1 MiB in each direction. */
    public static Pair pair() {
        return pair(STANDARD_QUEUE_BYTES);
    }

    /**
     * Returns two joined ends.
     *
     * @param queueBytes how many bytes each direction holds before a writer waits; positive. One message passes even
     *     when it is larger, as long as it is not over the limit of 64 MiB.
     */
    public static Pair pair(int queueBytes) {
        if (queueBytes <= 0) {
            throw new IllegalArgumentException("the queue must hold a positive number of bytes, not " + queueBytes);
        }
        MemoryPipe there = new MemoryPipe(queueBytes);
        MemoryPipe back = new MemoryPipe(queueBytes);
        return new Pair(new MemoryTransport(back, there), new MemoryTransport(there, back));
    }

    @Override
    public MessageReader reader() {
        return incoming;
    }

    @Override
    public MessageWriter writer() {
        return outgoing;
    }

    @Override
    public void close() {
        incoming.abandon();
        outgoing.close();
    }
}
