package dev.acp4j.testkit;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Transport;

/**
 * Two ends that are joined in memory, bounded like a pipe.
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

    /** Closes both ends. */
    @Override
    public void close() {
        client.close();
        agent.close();
    }
}
