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
 * Finds resources leaked since a moment: threads of connections, non-daemon threads, processes, and on Linux open
 * pipes, sockets and files. {@link LeakRule} does this for each test; manual use:
 *
 * <pre>{@code
 * Leaks leaks = Leaks.watch();
 * // open and close things
 * assertThat(leaks.found()).isEmpty();
 * }</pre>
 *
 * <p>Resources opened meanwhile by other threads of the program are found as well. Virtual threads are not found, and
 * files of the class path are ignored.
 */
public final class Leaks {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    static {
        // The first channel opens descriptors that the JVM keeps open.
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

    /** Records the current resources. */
    public static Leaks watch() {
        return new Leaks();
    }

    /**
     * Returns the resources opened since then and still open, a line each. Waits up to five seconds for resources to be
     * released; blocks that long only if there is a leak.
     *
     * @throws InterruptedException if interrupted while waiting
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
        for (String descriptor : staying(this::addedDescriptors, deadline)) {
            leaks.add("an open file: " + descriptor + connected(descriptor));
        }
        return leaks;
    }

    /** Polls for a while: there is no notification of their end. */
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
            // The exit hook's thread lives as long as the program; the timeout thread belongs to JUnit.
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

    /** Returns the pipes, sockets and files with their inode numbers, because descriptor numbers are reused. */
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

    private Set<String> addedDescriptors() {
        Set<String> added = added(descriptors(), descriptors);
        if (!added.isEmpty()) {
            List<String> watched = pipesOfWatchdogs();
            added.removeIf(one -> watched.contains(one.substring(0, one.lastIndexOf(" ("))));
        }
        return added;
    }

    /** Returns the pipes that tell watchdogs of commands that their programs live; they are open as long. */
    private static List<String> pipesOfWatchdogs() {
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            return all.filter(process -> List.of(process.info().arguments().orElse(new String[0]))
                            .contains("acp4j-watchdog"))
                    .map(process -> target(Path.of("/proc/" + process.pid() + "/fd/0")))
                    .toList();
        }
    }

    /** Returns where a TCP socket leads, and its state, as the system names both: hexadecimal. */
    private static String connected(String descriptor) {
        if (!descriptor.startsWith("socket:[")) {
            return "";
        }
        String inode = descriptor.substring("socket:[".length(), descriptor.indexOf(']'));
        for (String table : List.of("tcp", "tcp6")) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/net", table))) {
                List<String[]> found = lines.map(line -> line.strip().split(" +"))
                        .filter(fields -> fields.length > 9 && fields[9].equals(inode))
                        .toList();
                if (!found.isEmpty()) {
                    String[] fields = found.getFirst();
                    return ", TCP from " + fields[1] + " to " + fields[2] + ", state " + fields[3];
                }
            } catch (IOException | UncheckedIOException e) {
                // It is open all the same.
                return "";
            }
        }
        return "";
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // Closed meanwhile, like the descriptor of the listing itself.
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
