package dev.acp4j;

import dev.acp4j.tap.Poll;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
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

    /** Creates the rule; JUnit does this. */
    public NothingIsLeft() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(NAMESPACE).put(Set.class, there());
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        Set<?> before = Objects.requireNonNull(context.getStore(NAMESPACE).remove(Set.class, Set.class));
        // What is about to end gets a moment.
        if (!Poll.until(() -> left(before).isEmpty())) {
            throw new AssertionError("the test left behind: " + left(before));
        }
    }

    private static Set<String> left(Set<?> before) {
        Set<String> left = there();
        left.removeAll(before);
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
