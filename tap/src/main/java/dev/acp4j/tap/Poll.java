package dev.acp4j.tap;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Waits for a condition that no event announces, by testing it every millisecond: the system does not report the end of
 * a process that is not a child, a pipe does not report that it was read, the JVM does not report that a thread waits.
 * Everything else is waited for by its event. The tests poll nowhere else.
 */
public final class Poll {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("poll").factory());

    private Poll() {}

    /** Returns true as soon as the condition holds, false if it does not within twenty seconds. */
    public static boolean until(BooleanSupplier condition) throws InterruptedException {
        if (condition.getAsBoolean()) {
            return true;
        }
        CompletableFuture<Boolean> holds = new CompletableFuture<>();
        Future<?> looks = CLOCK.scheduleWithFixedDelay(() -> test(condition, holds), 1, 1, TimeUnit.MILLISECONDS);
        try {
            return holds.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the condition failed", e.getCause());
        } finally {
            looks.cancel(false);
        }
    }

    private static void test(BooleanSupplier condition, CompletableFuture<Boolean> holds) {
        try {
            if (condition.getAsBoolean()) {
                holds.complete(true);
            }
        } catch (RuntimeException | Error e) {
            holds.completeExceptionally(e);
        }
    }
}
