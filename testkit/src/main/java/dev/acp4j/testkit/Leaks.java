package dev.acp4j.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds what was left behind since a moment: threads of connections, threads that keep the program alive, processes,
 * and on Linux open pipes, sockets and files. {@link LeakRule} does this for each test; by hand it is
 *
 * <pre>{@code
 * Leaks leaks = Leaks.watch();
 * // open and close things
 * assertThat(leaks.found()).isEmpty();
 * }</pre>
 *
 * <p>What other threads of the program open meanwhile is found as well. Virtual threads are not seen, and programs of
 * the class path are not counted as open files.
 */
public final class Leaks {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    static {
        // The first channel opens descriptors that stay with the JVM.
        try {
            Pipe pipe = Pipe.open();
            pipe.source().close();
            pipe.sink().close();
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Set<Thread> threads = threads();
    private final Set<ProcessHandle> processes = processes();
    private final Set<String> descriptors = descriptors();

    private Leaks() {}

    /** Remembers what there is now. */
    public static Leaks watch() {
        return new Leaks();
    }

    /**
     * Returns what there is now and was not then, a line each; what is about to end gets up to five seconds for it.
     * Blocks that long only if there is a leak.
     *
     * @throws InterruptedException when interrupted while something is about to end
     */
    public List<String> found() throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<String> leaks = new ArrayList<>();
        for (Thread thread : staying(() -> added(threads(), threads), deadline)) {
            leaks.add("a thread: " + thread.getName());
        }
        for (ProcessHandle process : staying(() -> added(processes(), processes), deadline)) {
            leaks.add("a process: " + process.pid() + " "
                    + process.info().commandLine().orElse("?"));
        }
        for (String descriptor : staying(() -> added(descriptors(), descriptors), deadline)) {
            leaks.add("an open file: " + descriptor);
        }
        return leaks;
    }

    /** Things that end get a moment; looking again is the only way to know. */
    private static <T> Set<T> staying(Supplier<Set<T>> look, long deadline) throws InterruptedException {
        Set<T> left = look.get();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while something was about to end: " + left);
            }
            left = look.get();
        }
        return left;
    }

    private static <T> Set<T> added(Set<T> now, Set<T> before) {
        now.removeAll(before);
        return now;
    }

    private static Set<Thread> threads() {
        Set<Thread> found = new HashSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            boolean isOurs = thread.getName().startsWith("acp4j-");
            // The one that ends agents with the program stays with it; the one that watches timeouts is JUnit's.
            boolean stays =
                    thread.getName().equals("acp4j-exit") || thread.getName().startsWith("junit-jupiter-");
            if ((isOurs || !thread.isDaemon()) && !stays) {
                found.add(thread);
            }
        }
        return found;
    }

    private static Set<ProcessHandle> processes() {
        Set<ProcessHandle> found = new HashSet<>();
        try (Stream<ProcessHandle> descendants = ProcessHandle.current().descendants()) {
            descendants.filter(ProcessHandle::isAlive).forEach(found::add);
        }
        return found;
    }

    /** Returns the pipes, sockets and files, with their numbers, for a number is used again. */
    private static Set<String> descriptors() {
        Set<String> found = new HashSet<>();
        if (!Files.isDirectory(DESCRIPTORS)) {
            return found;
        }
        Map<Path, String> targets = new HashMap<>();
        try (Stream<Path> open = Files.list(DESCRIPTORS)) {
            open.forEach(descriptor -> targets.put(descriptor, target(descriptor)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        targets.forEach((descriptor, target) -> {
            if (isCounted(target)) {
                found.add(target + " (" + descriptor.getFileName() + ")");
            }
        });
        return found;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // Closed meanwhile, as the one that lists them is.
            return "";
        }
    }

    private static boolean isCounted(String target) {
        boolean isOfTheJvm = target.startsWith(System.getProperty("java.home"))
                || target.endsWith(".jar")
                || target.endsWith(".jsa");
        boolean isOfTheSystem = target.startsWith("/dev/") || target.startsWith("/proc/") || target.startsWith("/sys/");
        return !target.isEmpty() && !isOfTheJvm && !isOfTheSystem && !target.startsWith("anon_inode:");
    }
}
