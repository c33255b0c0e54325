package dev.acp4j.proxy.testkit;

import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.Transport;

/** A proxy without interceptors passes the contract. */
class TransparentProxyTest extends TransparentProxyContract {
    @Override
    protected AutoCloseable place(Transport client, Transport agent) {
        return Proxy.builder("nothing", "1").build().join(client, agent);
    }
}
