package dev.acp4j.proxy;

import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Link;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.Optional;

/** A proxy that stands between a client and an agent. All methods may be called from any thread. */
@Unstable
public final class RunningProxy implements AutoCloseable {
    private final List<Connection> connections;

    RunningProxy(List<Connection> connections) {
        this.connections = List.copyOf(connections);
    }

    /** Closes what is at the other end of one that has ended. Not on this thread: each would wait for the other. */
    static void closeLater(Link.End end) {
        Connection other = end.channel().connection();
        Thread.ofPlatform().daemon().name("acp4j-proxy-closing").start(other::close);
    }

    /** Returns true until either side begins to end. */
    public boolean isOpen() {
        return connections.stream().allMatch(Connection::isOpen);
    }

    /**
     * Waits until both connections have ended.
     *
     * @throws InterruptedException when interrupted; nothing is closed
     */
    public void awaitClosed() throws InterruptedException {
        for (Connection connection : connections) {
            connection.awaitClosed();
        }
    }

    /** Returns what ended a connection, if that was a failure; the one to the client comes first. */
    public Optional<Throwable> failure() {
        return connections.stream()
                .map(Connection::failure)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Closes both connections; see {@link Connection#close()}. */
    @Override
    public void close() {
        connections.forEach(Connection::close);
    }
}
