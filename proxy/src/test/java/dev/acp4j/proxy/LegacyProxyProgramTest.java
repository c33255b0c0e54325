package dev.acp4j.proxy;

import dev.acp4j.rpc.Transport;
import java.util.List;

/** Proxies as programs under a conductor of the older dialect. */
class LegacyProxyProgramTest extends ProxyContract {
    @Override
    AutoCloseable place(List<String> names, Transport client, Transport agent) throws Exception {
        Conductor.Builder conductor = Conductor.builder().agent(() -> agent);
        for (int i = 0; i < names.size(); i++) {
            conductor.proxy(Component.of(names.get(i) + i, ProxyProgramTest.program(names.get(i)))
                    .legacy());
        }
        return conductor.build().start(client);
    }

    @Override
    int rounds() {
        return 2_000;
    }
}
