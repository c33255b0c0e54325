package dev.acp4j.bench;

import java.io.IOException;
import java.util.List;

/** A client that was away gets 30 MB at once, while others hear something twenty times a second. */
record RemoteReplay(Scale scale, List<Subject> subjects) implements Workload {
    private static final int OTHERS = 20;

    @Override
    public String name() {
        return "remote, replay";
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int updates = scale.isBrief() ? scale.updates() : 90_000;
        try (RemotePeer server = new RemotePeer(subject, List.of(), 2 * scale.patience());
                EventsOfHttp1 client = new EventsOfHttp1(server.port());
                PacedTurns turns = new PacedTurns(scale.isBrief() ? 5 : 20);
                EventClients others = new EventClients(OTHERS, server.port())) {
            double before = others.measureAlone(turns, sheet);
            client.cut();
            client.prompt(2, "say " + updates);
            waitUntilSaid(server);
            others.listen(turns, 4);
            long start = System.nanoTime();
            client.resume();
            long bytes = 0;
            int seen = 0;
            for (String message = client.next(); !message.contains("\"stopReason\""); message = client.next()) {
                bytes += message.length();
                seen += message.contains("#" + seen + "@") ? 1 : 0;
            }
            sheet.write("replayed, MB/s", bytes / 1e6 / ((System.nanoTime() - start) / 1e9));
            if (seen != updates) {
                throw new IOException(seen + " of " + updates + " updates came");
            }
            sheet.write("meanwhile, seen after, p99, × before", turns.writeTo(sheet, "meanwhile, ") / before);
        }
    }

    /** What is said while a client is away stays in memory, which then grows no more. */
    private static void waitUntilSaid(RemotePeer server) throws IOException {
        double before = 0;
        double now = server.heapKibibytes();
        while (now > before * 1.02) {
            before = now;
            now = server.heapKibibytes();
        }
    }
}
