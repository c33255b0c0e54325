package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkersTest {
    private final Machine.Workers workers = new Machine.Workers(new Machine(Time.SYSTEM), 1);

    @AfterEach
    void close() {
        workers.close();
    }

    @Test
    void tasksThatWaitForEachOtherAllRun() throws Exception {
        int tasks = 300;
        CyclicBarrier all = new CyclicBarrier(tasks + 1);

        for (int i = 0; i < tasks; i++) {
            workers.run("test", () -> await(all));
        }
        all.await();

        assertThat(all.getNumberWaiting()).isZero();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void manyShortTasksShareFewThreads() throws Exception {
        int tasks = 20_000;
        CountDownLatch left = new CountDownLatch(tasks);
        Set<Thread> used = ConcurrentHashMap.newKeySet();

        for (int i = 0; i < tasks; i++) {
            workers.run("test", () -> {
                used.add(Thread.currentThread());
                left.countDown();
            });
        }
        left.await();

        assertThat(used.size()).isLessThan(tasks / 20);
    }

    @Test
    void anInterruptEndsWithTheTaskThatItWasMeantFor() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean(true);
        CountDownLatch first = new CountDownLatch(1);
        workers.run("test", () -> {
            Thread.currentThread().interrupt();
            first.countDown();
        });
        first.await();

        workers.run("test", () -> {
            interrupted.set(Thread.currentThread().isInterrupted());
            done.countDown();
        });
        done.await();

        assertThat(interrupted).isFalse();
    }

    @Test
    void aTaskThatThrowsLeavesItsThreadToTheNext() throws Exception {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Set<Throwable> thrown = ConcurrentHashMap.newKeySet();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> thrown.add(e));
        try {
            CountDownLatch done = new CountDownLatch(1);
            workers.run("test", () -> {
                throw new IllegalStateException("of the test");
            });
            workers.run("test", done::countDown);
            done.await();
            workers.close();
            awaitThreads();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }

        assertThat(thrown).hasSize(1).first().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void allThreadsEndWhenItIsClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            workers.run("test-of-closing", () -> {
                begun.countDown();
                awaitQuietly(end);
            });
        }
        begun.await();

        workers.close();
        end.countDown();
        awaitThreads();

        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("test-of-closing"));
    }

    @Test
    void threadsOfSeveralConnectionsEndWithTheLast() throws Exception {
        workers.use();
        CountDownLatch done = new CountDownLatch(1);
        workers.run("test-of-sharing", done::countDown);
        done.await();

        workers.close();

        assertThat(sharing()).hasSize(1);
        CountDownLatch again = new CountDownLatch(1);
        workers.run("test-of-sharing", again::countDown);
        again.await();

        workers.close();
        awaitThreads();

        assertThat(sharing()).isEmpty();
    }

    private static List<String> sharing() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("test-of-sharing"))
                .toList();
    }

    @Test
    void aTaskForWhichNoThreadCanBeStartedIsRefused() {
        Machine.Workers poor = new Machine.Workers(
                new Machine(Time.SYSTEM) {
                    @Override
                    void startThread(String name, Runnable body) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                },
                1);
        AtomicBoolean ran = new AtomicBoolean();

        assertThatThrownBy(() -> poor.run("test", () -> ran.set(true))).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> poor.run("test", () -> ran.set(true))).isInstanceOf(OutOfMemoryError.class);

        assertThat(ran).isFalse();
    }

    private static void awaitThreads() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("test")) {
                thread.join(10_000);
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
