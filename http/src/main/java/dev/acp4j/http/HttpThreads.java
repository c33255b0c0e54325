package dev.acp4j.http;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

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

    /**
     * Starts a thread whose fault is reported, and not only the end of the thread: what waits for it would wait for
     * ever.
     */
    static void start(String name, Runnable body, Consumer<? super HttpFailure> onFault) {
        start(name, () -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                onFault.accept(new HttpFailure(HttpFailure.Kind.FINAL, "a fault in this program: " + e, e));
            }
        });
    }
}
