package dev.acp4j.rpc;

import java.io.IOException;

/** The outgoing direction of a {@link Transport}. Used by one thread. */
public interface MessageWriter {

    /**
     * Writes one message, or keeps it until {@link #flush()}. Blocks while the other side does not read.
     *
     * @param message the message; it may be kept
     * @throws MessageTooLargeException when it exceeds the limit; nothing of it was written, and writing may go on
     * @throws IOException when writing fails; the connection is over
     */
    void write(Message message) throws IOException;

    /** Hands everything written so far to the other side. */
    void flush() throws IOException;

    /**
     * Flushes and ends this direction: the other side reads what was written and then the end of the stream. The
     * incoming direction stays open, so that answers still arrive. Does nothing the second time.
     */
    void close() throws IOException;
}
