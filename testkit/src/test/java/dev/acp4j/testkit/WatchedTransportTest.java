package dev.acp4j.testkit;

import dev.acp4j.rpc.MemoryTransport;

/** What a {@link Wire} watches does what it did before. */
class WatchedTransportTest extends TransportContract {
    @Override
    protected Ends open() {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        return new Ends(new Wire().watch(pair.left()), new Wire().watch(pair.right()));
    }
}
