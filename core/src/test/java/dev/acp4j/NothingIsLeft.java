package dev.acp4j;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test of this module that leaves a reading or writing thread of a connection or a process behind. Virtual
 * threads, on which handlers run, are not listed, so it does not see those. The testkit's rule sees more, but the
 * testkit is built from this module. Tests register nothing: JUnit finds this.
 */
public final class NothingIsLeft implements BeforeEachCallback, AfterEachCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(NothingIsLeft.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Creates the rule; JUnit does this. */
    public NothingIsLeft() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(NAMESPACE).put(Set.class, there());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Set<?> before = context.getStore(NAMESPACE).remove(Set.class, Set.class);
        Set<String> left = staying(() -> {
            Set<String> now = there();
            now.removeAll(before);
            return now;
        });
        if (!left.isEmpty()) {
            throw new AssertionError("the test left behind: " + left);
        }
    }

    /** What is about to end gets a moment; looking again is the only way to know. */
    private static Set<String> staying(Supplier<Set<String>> look) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Set<String> left = look.get();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
            left = look.get();
        }
        return left;
    }

    private static Set<String> there() {
        Set<String> found = new HashSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            // The one that ends agents with the program stays with it.
            if (thread.getName().startsWith("acp4j-") && !thread.getName().equals("acp4j-exit")) {
                found.add("thread " + thread.getName() + " " + thread.threadId());
            }
        }
        try (Stream<ProcessHandle> descendants = ProcessHandle.current().descendants()) {
            found.addAll(descendants
                    .filter(ProcessHandle::isAlive)
                    .map(process -> "process " + process.pid() + " "
                            + process.info().commandLine().orElse("?"))
                    .collect(Collectors.toSet()));
        }
        return found;
    }
}
