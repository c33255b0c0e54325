package dev.acp4j.http;

import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;

/** A client elsewhere, as the transport of its agent. It outlives its streams: see {@link ServerLimits#grace()}. */
@Unstable
public interface RemoteClient extends Transport {
    /** Returns the principal. */
    Principal principal();

    /** Returns the name of its connection in {@link ServerEvent}s and logs; it opens nothing. */
    String name();

    /**
     * Returns whether there is room for a message: the next write does not wait then. False while the client's share of
     * {@link ServerLimits#queuedBytesInAll()} waits for it, or {@link ServerLimits#queuedBytes()}. A client that has
     * taken something within {@link ServerLimits#stall()} has room for a megabyte whatever its share is.
     */
    boolean hasRoom();

    /**
     * Ends the connection at once, and drops what waits for the client, which is free for others then. The reader of
     * this transport finds its end; {@link #close()} is still to be called.
     *
     * @param reason why, for {@link ServerEvent.ConnectionEnded}
     */
    void drop(String reason);

    /**
     * Waits until less than the client's share waits for it, or the connection has ended: the next write does not wait
     * then.
     *
     * @throws InterruptedException when interrupted
     */
    void awaitRoom() throws InterruptedException;
}
