package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What tests must not leave behind. */
final class Leftovers {
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private Leftovers() {}

    static void assertNoChildren() {
        awaitEmpty(() -> ProcessHandle.current()
                .descendants()
                .filter(process -> !LinuxProcesses.isDead(process.pid()))
                .toList());
    }

    static void assertNoThreads() {
        awaitEmpty(() -> Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("acp4j-")
                        && !thread.getName().equals("acp4j-exit"))
                .toList());
    }

    /** Threads and processes that are just ending get a moment; looking again is the only way to know. */
    private static <T> void awaitEmpty(Supplier<List<T>> look) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        List<T> left = look.get();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
            left = look.get();
        }
        assertThat(left).isEmpty();
    }
}
