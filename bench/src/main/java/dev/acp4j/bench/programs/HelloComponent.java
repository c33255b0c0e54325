package dev.acp4j.bench.programs;

import dev.acp4j.Stdio;
import dev.acp4j.proxy.Proxy;

/** A component of {@link HelloChain}, which intercepts nothing. */
final class HelloComponent {
    private HelloComponent() {}

    /** Serves a conductor on standard input and output. */
    public static void main(String[] args) throws InterruptedException {
        Proxy.builder("hello", "1").build().serve(Stdio.system());
    }
}
