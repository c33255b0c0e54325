package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The incoming direction of a {@link Transport}. Used by one thread. */
public interface MessageReader {

    /**
     * Waits for the next message. It is not checked to be JSON: text that is something else, and the last half of a
     * message that was cut off, are handed out like any other. The slice stays valid and is not written to again.
     *
     * <p>On a pipe this blocks the operating system's thread, so call it from a platform thread.
     *
     * @return the message, or null when the other side has ended the stream or this side closed the transport
     * @throws MessageTooLargeException when a message exceeds the limit; it is skipped, and reading may go on
     * @throws IOException when reading fails, which is not the same as a clean end; the connection is over
     */
    @Nullable
    RawJson read() throws IOException, InterruptedException;
}
