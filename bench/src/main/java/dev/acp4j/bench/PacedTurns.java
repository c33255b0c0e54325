package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Turns in which something is said twenty times a second: whether all of it is seen, in order, and how late. */
final class PacedTurns implements AutoCloseable {
    /** The time between two updates of a turn. */
    static final int MILLIS = 50;

    private final int updates;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<long[]>> all = new ArrayList<>();

    /**
     * Prepares turns.
     *
     * @param updates how many updates each has
     */
    PacedTurns(int updates) {
        this.updates = updates;
    }

    /** Returns how long each takes, in milliseconds. */
    int millis() {
        return updates * MILLIS;
    }

    /** Begins a turn and listens to it. */
    void listen(RemoteClient client, int id) throws IOException {
        begin(client, id);
        all.add(threads.submit(() -> lateness(client)));
    }

    private void begin(RemoteClient client, int id) throws IOException {
        client.prompt(id, "say " + updates + " " + MILLIS);
    }

    /** Returns how late each update was, in nanoseconds. */
    private long[] lateness(RemoteClient client) throws IOException {
        long[] late = new long[updates];
        for (int i = 0; i < updates; i++) {
            String message = client.next();
            long now = System.nanoTime();
            int from = message.indexOf('@') + 1;
            int middle = message.indexOf('#', from);
            int number = Integer.parseInt(message.substring(middle + 1, message.indexOf('@', middle)));
            if (number != i) {
                throw new IOException("update " + number + " came in the place of " + i);
            }
            late[i] = now - Long.parseLong(message.substring(from, middle));
        }
        if (client.turn() != 0) {
            throw new IOException("more came than was said");
        }
        return late;
    }

    /**
     * Waits for the ends of the turns that are listened to.
     *
     * @return how late each update was, in nanoseconds
     */
    long[] await() throws Exception {
        long[] late = new long[all.size() * updates];
        for (int i = 0; i < all.size(); i++) {
            System.arraycopy(all.get(i).get(), 0, late, i * updates, updates);
        }
        all.clear();
        return late;
    }

    /**
     * Waits for the ends of the turns that are listened to, and writes how late their updates were seen.
     *
     * @return the 99th percentile, in milliseconds
     */
    double writeTo(Workload.Sheet sheet, String prefix) throws Exception {
        long[] late = await();
        Arrays.sort(late);
        sheet.write(prefix + "seen after, p50, ms", late[late.length / 2] / 1e6);
        double p99 = late[(int) (late.length * 0.99)] / 1e6;
        sheet.write(prefix + "seen after, p99, ms", p99);
        return p99;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        threads.close();
    }
}
