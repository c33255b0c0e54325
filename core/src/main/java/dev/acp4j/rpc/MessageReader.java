package dev.acp4j.rpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The incoming direction of a {@link Transport}. Used by one thread. */
public interface MessageReader {

    /**
     * Waits for the next message. Everything that was read is handed out: text that is not JSON, the last half of a
     * message that was cut off, and, of a message over the limit, its beginning ({@link Message#oversized}); reading
     * goes on behind it. The bytes of a message stay valid and are not written to again.
     *
     * <p>On a pipe this blocks the operating system's thread, so call it from a platform thread.
     *
     * @return the message, or null when the other side has ended the stream or this side closed the transport
     * @throws IOException when reading fails, which is not the same as a clean end; the connection is over
     */
    @Nullable
    Message read() throws IOException, InterruptedException;

    /**
     * Returns whether {@link #read()} would return at once. A hint, by which work for several messages is done
     * together; false is always allowed.
     */
    default boolean isReady() {
        return false;
    }
}
