package dev.acp4j.http;

import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;

/** A client elsewhere, as the transport of its agent. It outlives its streams: see {@link ServerLimits#grace()}. */
@Unstable
public interface RemoteClient extends Transport {
    /** Returns who it is. */
    Principal principal();

    /** Returns the name of its connection in {@link ServerEvent}s and logs; it opens nothing. */
    String name();

    /**
     * Returns whether there is room for a message: the next write does not wait then. False while as much waits for the
     * client as may, or, of all clients of the server, as may.
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
     * Waits until there is room, or the connection has ended: the next write does not wait then. Of what may wait of
     * all clients of the server, this one has its share only; see {@link ServerLimits#queuedBytesInAll()}.
     *
     * @throws InterruptedException when interrupted
     */
    void awaitRoom() throws InterruptedException;
}
