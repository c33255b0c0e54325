package dev.acp4j.rpc;

/**
 * The two directions of one connection: messages come from the {@link #reader() reader} and go to the {@link #writer()
 * writer}. Standard input and output, sockets, in-process pairs and remote transports are all alike behind it.
 *
 * <p>One thread reads and one thread writes, at the same time; neither waits for the other.
 */
public interface Transport extends AutoCloseable {

    /** Returns the incoming direction, the same object at every call. */
    MessageReader reader();

    /** Returns the outgoing direction, the same object at every call. */
    MessageWriter writer();

    /**
     * Ends both directions and releases what they hold. What was written but not flushed is lost. A blocked
     * {@link MessageReader#read() read} returns null, as does every later one; a blocked or later
     * {@link MessageWriter#write write} throws.
     *
     * <p>May be called from any thread, more than once. Closing the transport of a process waits until the process has
     * ended, for a bounded time.
     */
    @Override
    void close();
}
