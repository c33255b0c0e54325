package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A crowd in which some read a kilobyte a second and some nothing, of turns that say much: their agents wait, the
 * server keeps no more of it than it may, and the others hear what they did before.
 */
record RemoteStalled(Scale scale, List<Subject> subjects) implements Workload {
    private static final int OTHERS = 440;
    private static final int SLOW = 50;
    private static final int STALLED = 10;
    private static final int QUEUED_BYTES = 256 * 1024;
    private static final int BYTES_OF_UPDATE = 8_000;

    /** Until then the queues of those that read slowly are full. */
    private static final int FILLING_SECONDS = 10;

    /**
     * Creates one.
     *
     * @param subjects whose queues are made small, so that they fill up within seconds
     */
    RemoteStalled {
        subjects = subjects.stream()
                .map(subject -> subject.option("-Dqueued=" + QUEUED_BYTES).option("-Dretained=100"))
                .toList();
    }

    @Override
    public String name() {
        return "remote, crowd, stalled readers";
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        boolean isBrief = scale.isBrief();
        int slow = isBrief ? 5 : SLOW;
        int count = isBrief ? 6 : SLOW + STALLED;
        List<EventsOfHttp1> notReading = new ArrayList<>();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try (RemotePeer server = new RemotePeer(subject, List.of(), 2 * scale.patience());
                EventClients others = new EventClients(isBrief ? 10 : OTHERS, server.port());
                PacedTurns turns = new PacedTurns(isBrief ? 10 : 200)) {
            double before = others.measureAlone(turns, sheet);
            double heap = server.heapKibibytes();
            List<Future<?>> reading = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                EventsOfHttp1 client = new EventsOfHttp1(server.port());
                notReading.add(client);
                client.prompt(2, "say 100000 10 " + BYTES_OF_UPDATE);
                if (i < slow) {
                    reading.add(threads.submit(() -> readSlowly(client)));
                }
            }
            if (!isBrief) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(FILLING_SECONDS));
            }
            RemotePeer.State full = server.state();
            long start = System.nanoTime();
            others.listen(turns, 4);
            double meanwhile = turns.writeTo(sheet, "meanwhile, ");
            RemotePeer.State end = server.state();
            sheet.write("meanwhile, seen after, p99, × before", meanwhile / before);
            double waiting = (double) (end.saying() - full.saying()) / (System.nanoTime() - start);
            sheet.write("agents wait, %", 100 * waiting / count);
            sheet.write("heap of each slow or stalled client, KiB", (end.heapKibibytes() - heap) / count);
            sheet.write("threads", end.threads());
            if (!isBrief && reading.stream().anyMatch(Future::isDone)) {
                throw new IOException("a client that reads slowly was cut off");
            }
        } finally {
            threads.shutdownNow();
            for (EventsOfHttp1 client : notReading) {
                client.close();
            }
        }
    }

    private static Void readSlowly(EventsOfHttp1 client) throws IOException {
        while (!Thread.currentThread().isInterrupted()) {
            int bytes = client.next().length();
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(bytes) / 1024);
        }
        return null;
    }
}
