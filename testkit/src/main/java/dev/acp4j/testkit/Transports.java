package dev.acp4j.testkit;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;

/**
 * Two ends that are joined in this process, bounded like a pipe.
 *
 * @param client the end for the client
 * @param agent the end for the agent
 * @param wire what went over them, seen from the client
 */
public record Transports(Transport client, Transport agent, Wire wire) implements AutoCloseable {
    /** Returns two joined ends. */
    public static Transports joined() {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Wire wire = new Wire();
        return new Transports(wire.watch(pair.left()), pair.right(), wire);
    }

    /**
     * Returns two ends that are joined by byte streams, with faults on the way.
     *
     * @param toClient what goes wrong with what the agent writes
     * @param toAgent what goes wrong with what the client writes
     */
    public static Transports overBytes(Fault toClient, Fault toAgent) throws IOException {
        Pipe fromAgent = Pipe.open();
        Pipe fromClient = Pipe.open();
        Transport client = StreamTransport.of(
                toClient.applyTo(Channels.newInputStream(fromAgent.source())),
                Channels.newOutputStream(fromClient.sink()));
        Transport agent = StreamTransport.of(
                toAgent.applyTo(Channels.newInputStream(fromClient.source())),
                Channels.newOutputStream(fromAgent.sink()));
        Wire wire = new Wire();
        return new Transports(wire.watch(client), agent, wire);
    }

    /** Closes both ends. */
    @Override
    public void close() {
        client.close();
        agent.close();
    }
}
