package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * What schedules do not see: threads that meet on two processors, with what compiler and memory make of it. jcstress
 * runs each of its tests in JVMs of their own; {@code acp4j.stress} is how it is told for how long.
 */
@Timeout(36_000)
class StressTest {
    private static final Path FOLDER = Path.of("target", "jcstress").toAbsolutePath();
    private static final Path OUTPUT = FOLDER.resolve("output.txt");

    @TestFactory
    Stream<DynamicTest> noOutcomeIsForbidden() throws Exception {
        Files.createDirectories(FOLDER);
        for (Path old : resultFiles()) {
            Files.delete(old);
        }

        stress();

        Collection<TestResult> results = results();
        assertThat(results)
                .as(Files.readString(OUTPUT))
                .extracting(TestResult::getName)
                .containsAll(TestList.tests());
        return results.stream()
                .map(result -> DynamicTest.dynamicTest(result.getName(), () -> {
                    assertThat(result.status()).isEqualTo(Status.NORMAL);
                    assertThat(result.grading().failureMessages).isEmpty();
                    assertThat(result.getTotalCount()).isPositive();
                }));
    }

    /** Its exit is not asked for: the results say more. */
    private static void stress() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "-r",
                FOLDER.resolve("report").toString()));
        command.addAll(List.of(System.getProperty("acp4j.stress").split(" ")));
        Process process = new ProcessBuilder(command)
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .redirectOutput(OUTPUT.toFile())
                .start();
        try {
            // A thread that nobody wakes keeps jcstress waiting for hours.
            boolean ended =
                    process.waitFor(Long.parseLong(System.getProperty("acp4j.stress.minutes")), TimeUnit.MINUTES);
            assertThat(ended).as(Files.readString(OUTPUT)).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static Collection<TestResult> results() throws Exception {
        InProcessCollector collector = new InProcessCollector();
        for (Path file : resultFiles()) {
            DiskReadCollector reader = new DiskReadCollector(file.toString(), collector);
            reader.dump();
            reader.close();
        }
        return collector.getTestResults();
    }

    private static List<Path> resultFiles() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.getFileName().toString().startsWith("jcstress-results"))
                    .toList();
        }
    }
}
