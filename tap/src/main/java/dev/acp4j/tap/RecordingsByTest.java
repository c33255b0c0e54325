package dev.acp4j.tap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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
 * test. The parent folder is the value of {@code acp4j.trace} when the JVM starts; content of earlier runs is deleted.
 * The value of {@code acp4j.trace.run} names the run, which may have several JVMs, and each of them several test plans.
 * Processes started by tests record into the folder that they inherit in their environment.
 */
public final class RecordingsByTest implements TestExecutionListener {
    private static final String FOLDER = "acp4j.trace";
    private static final @Nullable Path ALL = folder(System.getProperty(FOLDER, ""));
    private static final String RUN = System.getProperty("acp4j.trace.run", "");

    /** Creates the listener; JUnit does this. */
    public RecordingsByTest() {}

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        if (ALL == null) {
            return;
        }
        // Another JVM of this run may be here, and may have recorded something already.
        Path file = ALL.resolveSibling(ALL.getFileName() + ".run");
        try {
            Files.createDirectories(ALL);
            try (FileChannel channel = FileChannel.open(file, READ, WRITE, CREATE)) {
                channel.lock(); // until it is closed
                ByteBuffer last = ByteBuffer.allocate((int) channel.size());
                channel.read(last);
                if (!RUN.equals(new String(last.array(), UTF_8))) {
                    delete(ALL);
                    channel.truncate(0).write(ByteBuffer.wrap(RUN.getBytes(UTF_8)), 0);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        String name = test.getSource().map(RecordingsByTest::name).orElse("");
        if (ALL != null && !name.isEmpty()) {
            System.setProperty(FOLDER, ALL.resolve(name).toString());
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (ALL != null) {
            System.setProperty(FOLDER, ALL.resolve("between-tests").toString());
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

    private static @Nullable Path folder(String name) {
        return name.isEmpty() ? null : Path.of(name);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.delete(path);
            }
        }
    }
}
