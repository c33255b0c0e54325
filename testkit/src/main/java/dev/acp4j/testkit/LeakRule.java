package dev.acp4j.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaks: resources found by {@link Leaks}, an uncaught exception, a log message at WARNING or above.
 * Register it with {@code @ExtendWith(LeakRule.class)}. Tests that run in parallel in one JVM would fail for each
 * other's leaks.
 */
@SuppressWarnings("exports") // JUnit is optional: only users of the rule need it.
public final class LeakRule implements BeforeEachCallback, AfterEachCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LeakRule.class);

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
        private final Leaks leaks = Leaks.watch();
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
            List<String> found = new ArrayList<>(loud);
            found.addAll(leaks.found());
            return found;
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
