package dev.acp4j.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Tiny turns one after another, tiny turns of several clients at once, and one long stream. */
record RemoteTurns(Way way, Scale scale, List<Subject> subjects, Certificates certificates) implements Workload {
    private static final int CLIENTS = 16;

    @Override
    public String name() {
        return "remote, turns, " + way.text;
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        try (RemotePeer server = new RemotePeer(subject, way.arguments(certificates), 3 * scale.patience());
                HttpClient http = HttpClient.newHttpClient()) {
            int turns = scale.turns();
            try (RemoteClient client = way.open(server.port(), http, certificates)) {
                turns(client, turns / 5);
                Latencies latencies = new Latencies(turns);
                for (int i = 0; i < turns; i++) {
                    long start = System.nanoTime();
                    client.prompt(turns + i, "say 1");
                    require(1, client.turn());
                    latencies.add(System.nanoTime() - start);
                }
                latencies.writeTo(sheet, "");
            }
            sheet.write("turns of 16 clients, /s", together(server.port(), http, turns / 8));
            try (RemoteClient client = way.open(server.port(), http, certificates)) {
                for (int turn = 1; turn <= 3; turn++) {
                    long start = System.nanoTime();
                    client.prompt(turn, "say " + scale.updates());
                    require(scale.updates(), client.turn());
                    double seconds = (System.nanoTime() - start) / 1e9;
                    if (turn == 3) {
                        sheet.write("stream, turn 3, /s", scale.updates() / seconds);
                        sheet.write("threads", server.state().threads());
                    }
                }
            }
        }
    }

    private double together(int port, HttpClient http, int turnsOfEach) throws Exception {
        List<RemoteClient> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(way.open(port, http, certificates));
            }
            long start = System.nanoTime();
            List<Future<?>> all = new ArrayList<>();
            for (RemoteClient client : clients) {
                all.add(threads.submit(() -> {
                    turns(client, turnsOfEach);
                    return client;
                }));
            }
            for (Future<?> one : all) {
                Object unused = one.get();
            }
            return CLIENTS * turnsOfEach / ((System.nanoTime() - start) / 1e9);
        } finally {
            for (RemoteClient client : clients) {
                client.close();
            }
        }
    }

    private static void turns(RemoteClient client, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            client.prompt(i + 2, "say 1");
            require(1, client.turn());
        }
    }

    private static void require(int wanted, int updates) throws IOException {
        if (updates != wanted) {
            throw new IOException(updates + " updates came in the place of " + wanted);
        }
    }
}
