package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.tap.Poll;
import java.util.List;
import java.util.function.Supplier;

/** What tests must not leave behind. */
final class Leftovers {
    private Leftovers() {}

    static void assertNoChildren() throws InterruptedException {
        awaitEmpty(() -> ProcessHandle.current()
                .descendants()
                .filter(process -> !LinuxProcesses.isDead(process.pid()))
                .toList());
    }

    static void assertNoThreads() throws InterruptedException {
        awaitEmpty(() -> Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("acp4j-")
                        && !thread.getName().equals("acp4j-exit"))
                .toList());
    }

    /** Threads and processes that are just ending get a moment. */
    private static <T> void awaitEmpty(Supplier<List<T>> look) throws InterruptedException {
        assertThat(Poll.until(() -> look.get().isEmpty()))
                .as(() -> "nothing of " + look.get())
                .isTrue();
    }
}
