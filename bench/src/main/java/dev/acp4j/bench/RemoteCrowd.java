package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Many turns at once that say something twenty times a second; of ten clients, one may stand still. How late what was
 * said is seen, whether all of it is, and whether memory grows.
 */
record RemoteCrowd(boolean isStalled, Scale scale, List<Subject> subjects) implements Workload {
    private static final int MILLIS = 50;

    @Override
    public String name() {
        return isStalled ? "remote, crowd with stalled readers" : "remote, crowd";
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int count = scale.isBrief() ? 20 : 500;
        int updates = scale.isBrief() ? 20 : 600;
        List<EventsOfHttp1> clients = new ArrayList<>();
        try (RemotePeer server = new RemotePeer(subject, List.of(), 2 * scale.patience());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                clients.add(new EventsOfHttp1(server.port()));
            }
            List<Future<long[]>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                EventsOfHttp1 client = clients.get(i);
                client.prompt(2, "say " + updates + " " + MILLIS);
                if (!isStalled || i % 10 != 0) {
                    all.add(threads.submit(() -> lateness(client, updates)));
                }
            }
            double first = after(server, updates * MILLIS / 3);
            double last = after(server, updates * MILLIS / 2);
            write(all, sheet);
            sheet.write("heap of the last third, × the first", last / first);
            sheet.write("threads", server.threads());
        } finally {
            for (EventsOfHttp1 client : clients) {
                client.close();
            }
        }
    }

    /** Returns the heap after a time. */
    private static double after(RemotePeer server, int millis) throws Exception {
        return java.util.concurrent.CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return server.heapKibibytes();
                            } catch (IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        },
                        java.util.concurrent.CompletableFuture.delayedExecutor(
                                millis, java.util.concurrent.TimeUnit.MILLISECONDS))
                .get();
    }

    /** Returns how late each update was, in nanoseconds. */
    private static long[] lateness(EventsOfHttp1 client, int updates) throws IOException {
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

    private static void write(List<Future<long[]>> all, Sheet sheet) throws Exception {
        long[] late = new long[0];
        for (Future<long[]> one : all) {
            long[] more = one.get();
            int before = late.length;
            late = Arrays.copyOf(late, before + more.length);
            System.arraycopy(more, 0, late, before, more.length);
        }
        Arrays.sort(late);
        sheet.write("seen after, p50, ms", late[late.length / 2] / 1e6);
        sheet.write("seen after, p99, ms", late[(int) (late.length * 0.99)] / 1e6);
    }
}
