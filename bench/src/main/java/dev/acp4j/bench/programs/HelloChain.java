package dev.acp4j.bench.programs;

import dev.acp4j.Stdio;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.Conductor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A conductor with three components in processes of their own. */
final class HelloChain {
    private HelloChain() {}

    /** Stands between standard input and output and the agent of the command. */
    public static void main(String[] args) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Launch component =
                Launch.of(java, "-cp", System.getProperty("java.class.path"), HelloComponent.class.getName());
        Conductor.builder()
                .proxy(Component.of("first", component))
                .proxy(Component.of("second", component))
                .proxy(Component.of("third", component))
                .agent(Launch.of(args[0], List.of(args).subList(1, args.length)))
                .build()
                .serve(Stdio.system());
    }
}
