package dev.acp4j.bench.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/** What the remote agents share: the task in a prompt, the text of an update, and the commands on standard input. */
final class Remote {
    private static final String PADDING = "x".repeat(160);

    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().factory());

    private Remote() {}

    /**
     * What a prompt asks for.
     *
     * @param updates how many updates
     * @param millis the time between two of them, or 0
     * @param more how many bytes each has beyond the usual 200
     */
    record Task(int updates, int millis, int more) {
        static Task of(String prompt) {
            String[] words = prompt.split(" ", -1);
            return new Task(
                    Integer.parseInt(words[1]),
                    words.length > 2 ? Integer.parseInt(words[2]) : 0,
                    words.length > 3 ? Integer.parseInt(words[3]) : 0);
        }

        /** Returns the time, a number, and what makes it as long as it must be. */
        String text(int number) {
            return "@" + System.nanoTime() + "#" + number + "@" + PADDING + "x".repeat(more);
        }
    }

    /** Says one update. */
    @FunctionalInterface
    interface Saying {
        void say(int number) throws InterruptedException;
    }

    /** Says the updates of a task at their times. */
    static void paced(Task task, Saying saying, Runnable done) {
        AtomicReference<ScheduledFuture<?>> future = new AtomicReference<>();
        int[] next = new int[1];
        // The first time is random: not all agents speak at once.
        long first = 1 + (long) (Math.random() * task.millis());
        future.set(CLOCK.scheduleAtFixedRate(
                () -> {
                    try {
                        saying.say(next[0]++);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    if (next[0] == task.updates()) {
                        done.run();
                        future.get().cancel(false);
                    }
                },
                first,
                task.millis(),
                TimeUnit.MILLISECONDS));
    }

    /**
     * Says the port, and whenever it is asked, until the end of the input, the memory that is used, the number of
     * platform threads, and for how long the agents have waited to say something, in nanoseconds.
     */
    static void control(int port, LongSupplier saying) throws IOException {
        System.out.println("port " + port);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            System.out.println("heap " + (runtime.totalMemory() - runtime.freeMemory()) + " threads "
                    + Thread.getAllStackTraces().size() + " saying " + saying.getAsLong());
        }
    }
}
