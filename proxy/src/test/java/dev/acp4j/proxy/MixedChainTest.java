package dev.acp4j.proxy;

import dev.acp4j.rpc.Transport;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Proxies inside of a conductor, beside a program, and a chain within a chain. */
@Tag("CON-05")
class MixedChainTest extends ProxyContract {
    @Override
    AutoCloseable place(List<String> names, Transport client, Transport agent) throws Exception {
        Conductor.Builder conductor = Conductor.builder().agent(() -> agent);
        conductor.proxy(Component.of("first", ProxyProgramTest.program("nothing")));
        for (String name : names) {
            conductor.proxy(SampleProxies.named(name));
        }
        conductor.proxy(Component.of("last", ProxyProgramTest.program("nothing")));
        return conductor.build().start(client);
    }

    @Override
    int rounds() {
        return 2_000;
    }
}
