package dev.acp4j.proxy;

import dev.acp4j.Stdio;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** A chain in a chain in a chain, each a program: the same as one chain. */
@Tag("CON-07")
class NestedChainTest extends ProxyContract {
    /** Serves a chain: with a level left, one whose component is the chain of the next level. */
    public static void main(String[] args) throws IOException, InterruptedException {
        int levels = Integer.parseInt(args[0]);
        List<String> names = List.of(args).subList(1, args.length);
        Conductor.Builder conductor = Conductor.builder();
        if (levels > 0) {
            conductor.proxy(Component.of("inner", level(levels - 1, names)));
        } else {
            names.forEach(name -> conductor.proxy(SampleProxies.named(name)));
        }
        conductor.build().serve(Stdio.system());
    }

    private static Launch level(int levels, List<String> names) {
        return ProxyProgramTest.program(NestedChainTest.class, Integer.toString(levels))
                .withArguments(names.toArray(String[]::new));
    }

    @Override
    AutoCloseable place(List<String> names, Transport client, Transport agent) throws Exception {
        return Conductor.builder()
                .agent(() -> agent)
                .proxy(Component.of("outer", level(1, names)))
                .build()
                .start(client);
    }

    @Override
    int rounds() {
        return 500;
    }
}
