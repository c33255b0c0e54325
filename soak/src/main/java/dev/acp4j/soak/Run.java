package dev.acp4j.soak;

import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One run of a trial: how long it goes, its random choices, what was counted and what was wrong. All choices come from
 * the seed; when they take effect is up to the threads.
 */
final class Run {
    private static final int FAULTS_KEPT = 20;

    final long seed;
    final Duration time;
    final int cycles;

    /** The version of the protocol that is spoken. */
    final Version version;

    private final long start;
    private final Map<String, LongAdder> counts;
    private final List<String> faults;

    private Run(
            long seed,
            Duration time,
            int cycles,
            Version version,
            long start,
            Map<String, LongAdder> counts,
            List<String> faults) {
        this.seed = seed;
        this.time = time;
        this.cycles = cycles;
        this.version = version;
        this.start = start;
        this.counts = counts;
        this.faults = faults;
    }

    private static Run begin(long seed, Duration time, int cycles, Version version) {
        return new Run(
                seed,
                time,
                cycles,
                version,
                System.nanoTime(),
                new ConcurrentSkipListMap<>(),
                new CopyOnWriteArrayList<>());
    }

    /** For the tests of every build. */
    static Run brief(long seed, Version version) {
        return begin(seed, Duration.ofSeconds(8), 40, version);
    }

    /** For the command. */
    static Run full(long seed, Version version, Duration time) {
        return begin(seed, time, 1000, version);
    }

    /** Returns this run for those who speak another version: one time, one count, one list of faults. */
    Run in(Version other) {
        return new Run(seed, time, cycles, other, start, counts, faults);
    }

    /** Returns true for the tests of every build. */
    boolean isBrief() {
        return cycles < 1000;
    }

    /** Returns the choices of one thread, the same at each run of the seed. */
    Random random(int thread) {
        return new Random(seed * 1_000_003 + thread);
    }

    /** Returns true until the time is over, or something was wrong. */
    boolean goesOn() {
        return nanos() < time.toNanos() && faults.isEmpty();
    }

    long nanos() {
        return System.nanoTime() - start;
    }

    void count(String what) {
        count(what, 1);
    }

    void count(String what, long number) {
        counts.computeIfAbsent(what, key -> new LongAdder()).add(number);
    }

    void fault(String what) {
        if (faults.size() < FAULTS_KEPT) {
            faults.add(what);
        }
    }

    List<String> faults() {
        return faults;
    }

    Map<String, LongAdder> counts() {
        return counts;
    }

    /** Waits for what nobody tells of, such as a process of somebody else; false if it is not so in time. */
    static boolean await(BooleanSupplier condition, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            LockSupport.parkNanos(2_000_000);
        }
        return true;
    }

    /** Lets time pass, as slow programs and people do; ends early when the thread is interrupted. */
    static void lag(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        long left;
        while ((left = end - System.nanoTime()) > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
        }
    }
}
