package dev.acp4j.fuzz;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Repeats a check with random inputs, each from a seed of its own: no crash, no hang, no growth of memory. Takes
 * {@code -Dacp4j.fuzz.inputs=N} and {@code -Dacp4j.fuzz.seed=N}; a failure names the seed that repeats it.
 */
public final class FuzzRun {
    /** Checks inputs; returns how many they were. */
    public interface Check {
        /** Checks inputs that come of this source alone; returns how many they were. */
        int check(Random random) throws Exception;
    }

    private static final long SEED = Long.getLong("acp4j.fuzz.seed", 1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Below, the heap says nothing: classes are still loaded, caches still filled. */
    private static final int INPUTS_TO_MEASURE_BY = 100_000;

    private static final long MOST_GROWTH = 8L << 20;
    private static final int MEASUREMENTS = 10;

    private final String name;
    private final long inputs;
    private final Check check;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong seed = new AtomicLong(SEED);
    private final long[] heap = new long[MEASUREMENTS];

    private FuzzRun(String name, long inputs, Check check) {
        this.name = name;
        this.inputs = inputs;
        this.check = check;
    }

    /**
     * Repeats a check.
     *
     * @param name what is fuzzed
     * @param inputs the least number of inputs, unless the command line wants another
     */
    public static void repeat(String name, int inputs, Check check) throws Exception {
        new FuzzRun(name, Long.getLong("acp4j.fuzz.inputs", inputs), check).run();
    }

    private void run() throws Exception {
        long began = System.nanoTime();
        FutureTask<Void> work = new FutureTask<>(this::work, null);
        Thread thread = Thread.ofPlatform().daemon().name("fuzz-" + name).start(work);
        long before = -1;
        while (!ended(work)) {
            long now = done.get();
            if (now == before) {
                throw new AssertionError(replay() + ": no end for " + PATIENCE.toSeconds() + " s, at\n  "
                        + String.join(
                                "\n  ",
                                Arrays.stream(thread.getStackTrace())
                                        .map(String::valueOf)
                                        .toList()));
            }
            before = now;
        }
        System.out.printf(
                "fuzz %s: seed %d, %,d inputs in %.1f s%s%n",
                name, SEED, done.get(), (System.nanoTime() - began) / 1e9, heapText());
    }

    private static boolean ended(FutureTask<Void> work) throws Exception {
        try {
            work.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AssertionError failure) {
                throw failure;
            }
            throw e;
        }
    }

    private void work() {
        while (done.get() < inputs) {
            try {
                long before = done.get();
                done.addAndGet(check.check(new Random(seed.get() * 0x9E3779B97F4A7C15L)));
                measure(before);
            } catch (Exception | AssertionError | StackOverflowError e) {
                throw new AssertionError(replay() + ": " + e, e);
            }
            seed.incrementAndGet();
        }
    }

    private String replay() {
        return "fuzz " + name + ", again with -Dacp4j.fuzz.inputs=1 -Dacp4j.fuzz.seed=" + seed;
    }

    private void measure(long before) {
        long step = inputs / MEASUREMENTS;
        if (inputs < INPUTS_TO_MEASURE_BY || before / step == done.get() / step || done.get() / step > MEASUREMENTS) {
            return;
        }
        int number = (int) (done.get() / step) - 1;
        System.gc();
        heap[number] = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        // The first measurement is taken when a tenth has been done: what is loaded and cached by then stays.
        if (heap[number] - heap[0] > MOST_GROWTH) {
            throw new AssertionError("the heap grows" + heapText());
        }
    }

    private String heapText() {
        if (heap[0] == 0) {
            return "";
        }
        StringBuilder text = new StringBuilder(", MB of heap after each tenth:");
        for (long used : heap) {
            text.append(String.format(" %.1f", used / 1048576.0));
        }
        return text.toString();
    }
}
