package dev.acp4j.rpc;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One order in which threads run, decided by a seed. All threads of a connection that has this as its time are virtual
 * threads of one carrier, so one of them runs at a time; before it takes a lock and after it gives one back, and when
 * it waits, the seed decides who goes on. Time passes when nobody can run: then the earliest wait ends.
 *
 * <p>A schedule fails when something throws, when threads are left that nothing can wake, or when there is no end.
 */
public final class Schedule extends Machine {
    /** What is played, in a thread of its own: begins others, waits for them, and says what must hold. */
    public interface Scenario {
        /** Plays it. */
        void play(Schedule schedule) throws Exception;
    }

    /** What may throw. */
    public interface Body {
        /** Runs. */
        void run() throws Exception;
    }

    private static final int MOST_STEPS = 200_000;
    private static final int DEFAULT_COUNT = 500;

    /** {@code Thread.NO_INHERIT_THREAD_LOCALS}. */
    private static final int NO_INHERITANCE = 1 << 2;

    private static final Method NEW_THREAD = newThread();

    private final Random random;

    /** Every other schedule prefers some threads to others, and changes its mind rarely: that finds other faults. */
    private final boolean byPriority;

    private final List<Actor> actors = new ArrayList<>();
    private final List<Actor> ready = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    private long now;
    private int steps;
    private @Nullable Throwable failure;

    private record Wait(long until, ReentrantLock lock, Condition condition) {
        void end() {
            lock.lock();
            try {
                condition.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private Schedule(long seed) {
        super(Time.SYSTEM);
        this.random = new Random(seed);
        this.byPriority = seed % 2 == 1;
    }

    /**
     * Plays a scenario in as many schedules as {@code -Dacp4j.schedules} says, or in the one of
     * {@code -Dacp4j.schedule}. The same number gives the same schedule.
     */
    public static void explore(Scenario scenario) {
        Long only = Long.getLong("acp4j.schedule");
        long first = only == null ? 0 : only;
        long last = only == null ? Integer.getInteger("acp4j.schedules", DEFAULT_COUNT) - 1L : only;
        long steps = 0;
        for (long seed = first; seed <= last; seed++) {
            Schedule schedule = new Schedule(seed);
            try {
                schedule.run(scenario);
            } catch (Throwable e) {
                throw new AssertionError("schedule " + seed + " (again with -Dacp4j.schedule=" + seed + ")", e);
            }
            steps += schedule.steps;
        }
        // Standard output is nobody's here; the report of the test keeps it.
        System.out.println((last - first + 1) + " schedules, " + steps + " steps");
    }

    /** Starts a thread; what it throws fails the schedule. */
    public Thread begin(String name, Body body) {
        return new Actor(name, 0, body).begin();
    }

    /** Waits for threads. */
    public static void join(Thread... threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Lets others run first, if the seed says so. */
    @SuppressWarnings("ThreadPriorityCheck") // The schedule decides who runs, not the machine.
    public static void letOthersRun() {
        if (Thread.currentThread().isVirtual()) {
            Thread.yield();
        }
    }

    /** Lets milliseconds pass. */
    public void pause(long millis) throws InterruptedException {
        ReentrantLock lock = newLock();
        Condition never = lock.newCondition();
        long until = now + millis * 1_000_000;
        lock.lock();
        try {
            while (now < until) {
                await(lock, never, until - now);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the milliseconds that have passed: more than 0 says that a time had to run out for things to go on. */
    public long millis() {
        return now / 1_000_000;
    }

    private void run(Scenario scenario) throws Throwable {
        Thread unused = begin("scenario", () -> scenario.play(this));
        while (failure == null && (!ready.isEmpty() || passTime())) {
            if (++steps > MOST_STEPS) {
                throw new AssertionError("no end; " + alive());
            }
            ready.remove(choose()).step();
        }
        if (failure != null) {
            throw failure;
        }
        if (actors.stream().anyMatch(actor -> actor.thread.isAlive())) {
            throw new AssertionError("nothing can wake these: " + alive());
        }
    }

    private int choose() {
        if (!byPriority) {
            return random.nextInt(ready.size());
        }
        int first = 0;
        for (int i = 1; i < ready.size(); i++) {
            if (ready.get(i).priority > ready.get(first).priority) {
                first = i;
            }
        }
        if (random.nextInt(16) == 0) {
            ready.get(first).priority -= 1000;
        }
        return first;
    }

    /** Ends the earliest waits. Returns false when nobody waits for time. */
    private boolean passTime() {
        OptionalLong next = waits.stream().mapToLong(Wait::until).min();
        if (next.isEmpty()) {
            return false;
        }
        now = Math.max(now, next.getAsLong());
        List<Wait> over = waits.stream().filter(wait -> wait.until <= now).toList();
        waits.removeAll(over);
        over.forEach(Wait::end);
        return true;
    }

    private String alive() {
        StringBuilder text = new StringBuilder();
        for (Actor actor : actors) {
            if (actor.thread.isAlive()) {
                text.append('\n').append(actor.thread.getName());
                Arrays.stream(actor.thread.getStackTrace())
                        .forEach(frame -> text.append("\n    ").append(frame));
            }
        }
        return text.toString();
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
    public void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException {
        Wait wait = new Wait(now + nanos, lock, condition);
        waits.add(wait);
        try {
            condition.await();
        } finally {
            waits.remove(wait);
        }
    }

    @Override
    boolean timePasses() {
        return true;
    }

    @Override
    ReentrantLock newLock() {
        return new SteppingLock(() -> {});
    }

    @Override
    ReentrantLock newLock(Runnable beforeUnlock) {
        return new SteppingLock(beforeUnlock);
    }

    @Override
    void startThread(String name, Runnable body) {
        Thread unused = new Actor(name, NO_INHERITANCE, body::run).begin();
    }

    @Override
    void startVirtualThread(String name, Runnable body) {
        startThread(name, body);
    }

    /** A thread, and what it does next when it is chosen. */
    private final class Actor implements Executor {
        private final Thread thread;
        private int priority = random.nextInt(1000);
        private @Nullable Runnable next;

        Actor(String name, int inheritance, Body body) {
            thread = newThread(this, name, inheritance, () -> {
                try {
                    body.run();
                } catch (Throwable e) {
                    fail(e);
                }
            });
            thread.setUncaughtExceptionHandler((where, e) -> fail(e));
            actors.add(this);
        }

        Thread begin() {
            thread.start();
            return thread;
        }

        @Override
        public void execute(Runnable continuation) {
            next = continuation;
            ready.add(this);
        }

        void step() {
            Runnable todo = next;
            if (todo != null) {
                todo.run();
            }
        }
    }

    private void fail(Throwable e) {
        if (failure == null) {
            failure = e;
        }
    }

    /** Lets others run before it is taken and after it is given back. */
    private static final class SteppingLock extends ReentrantLock {
        private static final long serialVersionUID = 1L;

        private final transient Runnable beforeUnlock;

        SteppingLock(Runnable beforeUnlock) {
            this.beforeUnlock = beforeUnlock;
        }

        @Override
        public void lock() {
            letOthersRun();
            super.lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            letOthersRun();
            super.lockInterruptibly();
        }

        @Override
        public void unlock() {
            beforeUnlock.run();
            super.unlock();
            letOthersRun();
        }
    }

    // The JDK can run virtual threads on any executor, but offers that to nobody; the build opens the package.
    private static Method newThread() {
        try {
            Method method = Class.forName("java.lang.ThreadBuilders")
                    .getDeclaredMethod("newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK starts virtual threads in another way", e);
        }
    }

    private static Thread newThread(Executor executor, String name, int characteristics, Runnable body) {
        try {
            return (Thread) NEW_THREAD.invoke(null, executor, name, characteristics, body);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
