package dev.acp4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Many turns at once that say something twenty times a second; of ten clients, one may stand still. How late what was
 * said is seen, whether all of it is, and whether memory grows.
 */
record RemoteCrowd(Way way, boolean isStalled, Scale scale, List<Subject> subjects, Certificates certificates)
        implements Workload {
    @Override
    public String name() {
        return "remote, crowd, " + way.text + (isStalled ? ", stalled readers" : "");
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int count = scale.isBrief() ? 20 : 500;
        List<RemoteClient> clients = new ArrayList<>();
        try (RemotePeer server = new RemotePeer(subject, way.arguments(certificates), 2 * scale.patience());
                HttpClient http = HttpClient.newHttpClient();
                PacedTurns turns = new PacedTurns(scale.isBrief() ? 20 : 600)) {
            for (int i = 0; i < count; i++) {
                clients.add(way.open(server.port(), http, certificates));
            }
            for (int i = 0; i < count; i++) {
                if (isStalled && i % 10 == 0) {
                    turns.begin(clients.get(i), 2);
                } else {
                    turns.listen(clients.get(i), 2);
                }
            }
            double first = heapAfter(server, turns.millis() / 3);
            double last = heapAfter(server, turns.millis() / 2);
            turns.writeTo(sheet, "");
            sheet.write("heap of the last third, × the first", last / first);
            sheet.write("threads", server.threads());
        } finally {
            for (RemoteClient client : clients) {
                client.close();
            }
        }
    }

    private static double heapAfter(RemotePeer server, int millis) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return server.heapKibibytes();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS))
                .join();
    }
}
