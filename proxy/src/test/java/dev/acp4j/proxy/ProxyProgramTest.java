package dev.acp4j.proxy;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Transport;
import java.nio.file.Path;
import java.util.List;

/** Proxies as programs under a conductor. */
class ProxyProgramTest extends ProxyContract {
    static Launch program(String name) {
        return program(SampleProxies.class, name);
    }

    static Launch program(Class<?> main, String... args) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("java.class.path");
        String modules = System.getProperty("jdk.module.path");
        String all = modules == null || modules.isEmpty()
                ? classPath
                : classPath + System.getProperty("path.separator") + modules;
        return Launch.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", all, main.getName())
                .withArguments(args);
    }

    @Override
    AutoCloseable place(List<String> names, Transport client, Transport agent) throws Exception {
        Conductor.Builder conductor = Conductor.builder().agent(() -> agent);
        for (int i = 0; i < names.size(); i++) {
            conductor.proxy(Component.of(names.get(i) + i, program(names.get(i))));
        }
        return conductor.build().start(client);
    }

    @Override
    int rounds() {
        return 2_000;
    }
}
