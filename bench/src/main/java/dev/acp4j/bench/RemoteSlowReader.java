package dev.acp4j.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A gigabyte for a client that takes a megabyte a second: what the server keeps of it meanwhile, and how much of the
 * time the agent waits.
 */
record RemoteSlowReader(Scale scale, List<Subject> subjects) implements Workload {
    private static final int UPDATES = 3_000_000;
    private static final int BYTES_A_SECOND = 1_000_000;

    @Override
    public String name() {
        return "remote, slow reader";
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int seconds = scale.isBrief() ? 1 : 20;
        try (RemotePeer server = new RemotePeer(subject, List.of(), 2 * scale.patience());
                EventsOfHttp1 client = new EventsOfHttp1(server.port())) {
            double before = server.heapKibibytes();
            client.prompt(2, "say " + UPDATES);
            long start = System.nanoTime();
            long bytes = 0;
            for (int seen = 0; bytes < (long) seconds * BYTES_A_SECOND; seen++) {
                String message = client.next();
                if (!message.contains("#" + seen + "@")) {
                    throw new IOException("update " + seen + " is missing: " + message);
                }
                bytes += message.length();
                LockSupport.parkNanos(start + bytes * 1_000_000_000L / BYTES_A_SECOND - System.nanoTime());
            }
            RemotePeer.State state = server.state();
            sheet.write("heap, MiB", (state.heapKibibytes() - before) / 1024);
            sheet.write("agent waits, %", 100.0 * state.saying() / (System.nanoTime() - start));
        }
    }
}
