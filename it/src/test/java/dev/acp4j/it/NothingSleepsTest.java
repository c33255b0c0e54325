package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Neither the code nor the tests of any module wait by the clock, spin or poll; CONTRIBUTING.md has the reason. */
class NothingSleepsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Map<String, Set<String>> WAITING = Map.of(
            "java.lang.Thread", Set.of("sleep", "yield", "onSpinWait"),
            "java.util.concurrent.TimeUnit", Set.of("sleep"),
            "java.util.concurrent.locks.LockSupport", Set.of("parkNanos", "parkUntil"));

    /** The classes that have to, and why. Tests use Poll for what no event announces. */
    private static final Map<String, String> EXCEPTIONS = Map.ofEntries(
            Map.entry(
                    "dev.acp4j.process.LinuxProcesses",
                    "the system does not report that a process has started its program"),
            Map.entry(
                    "dev.acp4j.process.ProcessTree",
                    "the system does not report the end of a process that is not a child"),
            Map.entry(
                    "dev.acp4j.testkit.Leaks",
                    "the system does not report that a file was closed; the testkit is published without Poll"),
            Map.entry("dev.acp4j.rpc.Schedule", "a virtual thread yields to the one that the seed chooses"),
            Map.entry("dev.acp4j.soak.Run", "a trial plays slow programs and people"),
            Map.entry("dev.acp4j.bench.DrivenAgent", "only its CPU time shows that an agent has nothing to do"),
            Map.entry("dev.acp4j.bench.RemoteHalfSent", "a client that sends a byte a second is played"),
            Map.entry("dev.acp4j.bench.RemoteHosting", "the system does not report that a server has closed a file"),
            Map.entry("dev.acp4j.bench.RemoteSlowReader", "a client that reads a megabyte a second is played"),
            Map.entry("dev.acp4j.bench.RemoteStalled", "clients that read a kilobyte a second are played"),
            Map.entry(
                    "dev.acp4j.bench.programs.RemoteServer",
                    "an agent that says something twenty times a second is played"));

    @Test
    void onlyWhatHasToWaitsByTheClock() throws Exception {
        Set<String> waiting = new TreeSet<>();
        Set<String> expected = new TreeSet<>();
        for (JavaClass type : classes()) {
            if (EXCEPTIONS.containsKey(type.getName())) {
                expected.add(type.getName());
            }
            if (type.getAccessesFromSelf().stream().anyMatch(NothingSleepsTest::waits)) {
                waiting.add(type.getName());
            }
        }

        assertThat(waiting)
                .as("classes that call one of %s, or one that no longer does", WAITING)
                .containsExactlyElementsOf(expected);
    }

    private static boolean waits(JavaAccess<?> access) {
        return WAITING.getOrDefault(access.getTargetOwner().getName(), Set.of())
                .contains(access.getTarget().getName());
    }

    /** The classes of all modules, without those that jcstress and JMH generate. */
    private static JavaClasses classes() throws IOException {
        ClassFileImporter importer = new ClassFileImporter()
                .withImportOption(file -> !file.contains("_jcstress") && !file.contains("/jmh_generated/"));
        List<Path> folders = classFolders();
        // What they use of others is not looked at, and would take most of the time.
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return importer.importPaths(folders);
        });
    }

    /** A build of some modules has only theirs. */
    private static List<Path> classFolders() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> folders = modules.flatMap(module ->
                            Stream.of("target/classes", "target/test-classes").map(module::resolve))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList();
            assertThat(folders).contains(ROOT.resolve("core/target/classes"), ROOT.resolve("it/target/test-classes"));
            return folders;
        }
    }
}
