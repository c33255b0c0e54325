package dev.acp4j.tap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Sets up a folder for each test with the recordings of its connections, so that a message can be attributed to its
 * test. The parent folder is the value of {@code acp4j.trace} when the tests start; its previous content is deleted.
 * Processes started by tests record into the folder that they inherit in their environment.
 */
public final class RecordingsByTest implements TestExecutionListener {
    private static final String FOLDER = "acp4j.trace";

    private @Nullable Path folder;

    /** Creates the listener; JUnit does this. */
    public RecordingsByTest() {}

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        String value = System.getProperty(FOLDER, "");
        if (!value.isEmpty()) {
            folder = Path.of(value);
            delete(folder);
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        String name = test.getSource().map(RecordingsByTest::name).orElse("");
        if (folder != null && !name.isEmpty()) {
            System.setProperty(FOLDER, folder.resolve(name).toString());
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (folder != null) {
            System.setProperty(FOLDER, folder.resolve("between-tests").toString());
        }
    }

    private static String name(TestSource source) {
        String name = "";
        if (source instanceof MethodSource method) {
            name = method.getClassName() + "." + method.getMethodName();
        } else if (source instanceof ClassSource type) {
            name = type.getClassName();
        }
        return name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
    }

    private static void delete(Path folder) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
