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

    /** Returns whether a write would not wait. False while so much waits for the client as may. */
    boolean hasRoom();

    /**
     * Waits until there is room, or the connection has ended.
     *
     * @throws InterruptedException when interrupted
     */
    void awaitRoom() throws InterruptedException;
}
