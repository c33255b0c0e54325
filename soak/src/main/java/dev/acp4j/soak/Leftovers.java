package dev.acp4j.soak;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What must not stay: processes, threads and file descriptors, as {@code /proc} has them. Linux only. */
final class Leftovers {
    /** Set for all agents of a run, and handed on to whatever they start. */
    static final String MARK = "ACP4J_SOAK";

    /** Of the JVM, which keeps some for a while. */
    private static final Set<String> KEPT_BY_THE_JVM =
            Set.of("process reaper", "ForkJoinPool", "Common-Cleaner", "Cleaner-", "VirtualThread-unparker");

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String mark;
    private final Set<Thread> threadsBefore = Set.copyOf(threads());
    private final long filesBefore = files();

    /** Begins to watch. What is loaded at first use must have been used before. */
    Leftovers(String mark) {
        this.mark = mark;
    }

    /** Tells the run of whatever stays. */
    void expectNone(Run run) {
        if (!Run.await(() -> processes(mark).isEmpty(), PATIENCE)) {
            run.fault("processes left: " + processes(mark));
        }
        if (!Run.await(() -> newThreads().isEmpty(), PATIENCE)) {
            run.fault("threads left: " + newThreads());
        }
        if (!Run.await(() -> files() <= filesBefore, PATIENCE)) {
            run.fault("file descriptors left: " + (files() - filesBefore));
        }
        run.count("processes left", processes(mark).size());
        run.count("threads left", newThreads().size());
        run.count("file descriptors left", Math.max(0, files() - filesBefore));
    }

    private List<String> newThreads() {
        List<Thread> now = new ArrayList<>(threads());
        now.removeAll(threadsBefore);
        return now.stream().map(Thread::getName).collect(Collectors.toList());
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> KEPT_BY_THE_JVM.stream().noneMatch(thread.getName()::startsWith))
                .collect(Collectors.toSet());
    }

    private static long files() {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new IllegalStateException("cannot count file descriptors", e);
        }
    }

    /** Returns the numbers of the processes that carry the mark in their environment, this one left out. */
    static Set<Long> processes(String mark) {
        String entry = MARK + "=" + mark + "\0";
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(folder ->
                            Character.isDigit(folder.getFileName().toString().charAt(0)))
                    .filter(folder -> environment(folder).contains(entry))
                    .map(folder -> Long.parseLong(folder.getFileName().toString()))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new IllegalStateException("cannot list processes", e);
        }
    }

    /** The dead have an empty one. */
    private static String environment(Path folder) {
        try {
            return new String(Files.readAllBytes(folder.resolve("environ")), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
