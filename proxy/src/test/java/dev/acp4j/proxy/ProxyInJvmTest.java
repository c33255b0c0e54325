package dev.acp4j.proxy;

import dev.acp4j.rpc.Transport;
import java.util.List;

/** Proxies between two transports of one program: they become one link. */
class ProxyInJvmTest extends ProxyContract {
    @Override
    AutoCloseable place(List<String> names, Transport client, Transport agent) {
        Proxy all = SampleProxies.named(names.get(0));
        for (String name : names.subList(1, names.size())) {
            all = all.then(SampleProxies.named(name));
        }
        return all.join(client, agent);
    }
}
