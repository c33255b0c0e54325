package dev.acp4j.rpc;

import java.io.IOException;
import java.util.function.Consumer;

/** Accepts connections of peers, such as a server that listens at an address. */
@FunctionalInterface
public interface Acceptor {
    /**
     * Listens, and hands over the transport of each connection. Blocks until it is closed by whoever owns it, or the
     * thread is interrupted; it then accepts no more, and ends the connections that are left.
     *
     * @param connections takes each transport, closes it in the end, and returns soon: connections run in the
     *     background. It is called from several threads at once. What it throws refuses the connection
     * @throws IOException when it cannot listen; the message names the address and the reason
     * @throws InterruptedException when interrupted, after everything has ended
     */
    void accept(Consumer<? super Transport> connections) throws IOException, InterruptedException;
}
