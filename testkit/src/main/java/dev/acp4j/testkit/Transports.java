package dev.acp4j.testkit;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;

/**
 * Two ends joined in this process, bounded like a pipe.
 *
 * @param client the end for the client
 * @param agent the end for the agent
 * @param wire the messages between them, seen from the client
 */
public record Transports(Transport client, Transport agent, Wire wire) implements AutoCloseable {
    /** Returns two joined ends. */
    public static Transports joined() {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Wire wire = new Wire();
        return new Transports(wire.watch(pair.left()), pair.right(), wire);
    }

    /**
     * Returns two ends joined by byte streams with faults.
     *
     * @param toClient the fault in the output of the agent
     * @param toAgent the fault in the output of the client
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
