package dev.acp4j.http;

import java.util.concurrent.Executor;

/** Virtual threads, for what is short or waits. They inherit nothing from the thread that starts them. */
final class HttpThreads {
    /** Where the JDK's clients run what they have to do beside their selectors. */
    static final Executor EXECUTOR = task -> start("acp4j-http", task);

    private HttpThreads() {}

    static void start(String name, Runnable body) {
        Thread unused = Thread.ofVirtual()
                .name(name)
                .inheritInheritableThreadLocals(false)
                .start(body);
    }
}
