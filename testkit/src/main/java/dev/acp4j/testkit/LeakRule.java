package dev.acp4j.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves something behind: a thread of a connection, a child process, an exception that nobody
 * caught, a log message at WARNING or above. Register it with {@code @ExtendWith(LeakRule.class)}. Tests that run
 * beside each other in one JVM would be blamed for each other.
 */
@SuppressWarnings("exports") // Who uses the rule has JUnit; who does not need not.
public final class LeakRule implements BeforeEachCallback, AfterEachCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LeakRule.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Creates the rule; JUnit does this. */
    public LeakRule() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        Watch watch = new Watch();
        watch.begin();
        context.getStore(NAMESPACE).put(Watch.class, watch);
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        @Nullable Watch watch = context.getStore(NAMESPACE).remove(Watch.class, Watch.class);
        List<String> leaks = watch == null ? List.of() : watch.end();
        if (!leaks.isEmpty()) {
            throw new AssertionError("the test left something behind:\n  " + String.join("\n  ", leaks));
        }
    }

    private static final class Watch extends Handler {
        private final List<String> loud = new CopyOnWriteArrayList<>();
        private final List<ProcessHandle> childrenBefore =
                ProcessHandle.current().children().toList();
        private Thread.@Nullable UncaughtExceptionHandler formerHandler;

        void begin() {
            formerHandler = Thread.getDefaultUncaughtExceptionHandler();
            Thread.setDefaultUncaughtExceptionHandler(
                    (thread, e) -> loud.add("uncaught in " + thread.getName() + ": " + e));
            setLevel(Level.WARNING);
            Logger.getLogger("").addHandler(this);
        }

        List<String> end() throws InterruptedException {
            Logger.getLogger("").removeHandler(this);
            Thread.setDefaultUncaughtExceptionHandler(formerHandler);
            List<String> leaks = new ArrayList<>(loud);
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                // What was closed may need a moment to end.
                if (thread.getName().startsWith("acp4j-") && !thread.join(PATIENCE)) {
                    leaks.add("a thread: " + thread.getName());
                }
            }
            try (Stream<ProcessHandle> children = ProcessHandle.current().children()) {
                children.filter(child -> !childrenBefore.contains(child))
                        .filter(Watch::stays)
                        .forEach(child -> leaks.add("a process: " + child.pid() + " "
                                + child.info().commandLine().orElse("?")));
            }
            return leaks;
        }

        private static boolean stays(ProcessHandle child) {
            try {
                child.onExit().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                return false;
            } catch (TimeoutException e) {
                return true;
            } catch (ExecutionException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }

        @Override
        public void publish(LogRecord entry) {
            if (isLoggable(entry)) {
                loud.add("logged: " + entry.getLevel() + " " + entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
