package dev.acp4j.rpc;

import java.io.IOException;

/**
 * Opens the transport to a peer elsewhere, such as an agent behind a URL. Describing a peer opens nothing, so one
 * connector may be kept and used for many connections. Thread-safe.
 */
@FunctionalInterface
public interface Connector {
    /**
     * Opens a transport, which the caller closes. Blocks until the peer can be written to, for a bounded time.
     *
     * @throws IOException when the peer cannot be reached; the message says at which step, and what to do
     * @throws InterruptedException when interrupted; nothing is left open
     */
    Transport open() throws IOException, InterruptedException;
}
