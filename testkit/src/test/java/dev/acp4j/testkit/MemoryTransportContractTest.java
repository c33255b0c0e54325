package dev.acp4j.testkit;

import dev.acp4j.rpc.MemoryTransport;

class MemoryTransportContractTest extends TransportContract {
    @Override
    protected Ends open() {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        return new Ends(pair.left(), pair.right());
    }
}
