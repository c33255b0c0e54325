package dev.acp4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Many turns at once that say something twenty times a second: how late what was said is seen, whether all of it is,
 * and whether memory grows.
 */
record RemoteCrowd(Way way, Scale scale, List<Subject> subjects, Certificates certificates) implements Workload {
    private static final int CLIENTS = 500;

    /** How many clients share a connection of HTTP/2. */
    private static final int BESIDE = 100;

    private static final int UPDATES = 400;

    /**
     * Creates one. What streams keep to be repeated is not growth: it is bounded, and here the bound is reached in the
     * first third.
     */
    RemoteCrowd {
        subjects = subjects.stream()
                .map(subject -> subject.option("-Dretained=" + UPDATES / 4))
                .toList();
    }

    @Override
    public String name() {
        return "remote, crowd, " + way.text;
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int count = scale.isBrief() ? 20 : CLIENTS;
        List<RemoteClient> clients = new ArrayList<>();
        List<HttpClient> shared = new ArrayList<>();
        try (RemotePeer server = new RemotePeer(subject, way.arguments(certificates), 2 * scale.patience());
                PacedTurns turns = new PacedTurns(scale.isBrief() ? 20 : UPDATES)) {
            for (int i = 0; i < count; i++) {
                if (i % BESIDE == 0) {
                    shared.add(way == Way.HTTP2 ? EventsOfHttp2.http(certificates) : HttpClient.newHttpClient());
                }
                clients.add(
                        way == Way.HTTP2
                                ? EventsOfHttp2.beside(shared.getLast(), server.port())
                                : way.open(server.port(), shared.getLast(), certificates));
            }
            for (RemoteClient client : clients) {
                turns.listen(client, 2);
            }
            RemotePeer.State first = stateAfter(server, turns.millis() / 3);
            RemotePeer.State last = stateAfter(server, turns.millis() / 2);
            turns.writeTo(sheet, "");
            sheet.write("heap of the last third, × the first", last.heapKibibytes() / first.heapKibibytes());
            sheet.write("threads", last.threads());
        } finally {
            for (RemoteClient client : clients) {
                client.close();
            }
            shared.forEach(HttpClient::shutdownNow);
        }
    }

    private static RemotePeer.State stateAfter(RemotePeer server, int millis) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return server.state();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS))
                .join();
    }
}
