package dev.acp4j.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;

/** Updates of 10 MB in one of many sessions that share one HTTP/2 connection, and how late the others hear theirs. */
record RemoteLarge(Scale scale, List<Subject> subjects, Certificates certificates) implements Workload {
    private static final int BYTES = 10_000_000;
    private static final int OTHERS = 100;
    private static final int LARGE = 5;

    @Override
    public String name() {
        return "remote, large updates";
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int others = scale.isBrief() ? 10 : OTHERS;
        List<RemoteClient> clients = new ArrayList<>();
        try (RemotePeer server = new RemotePeer(subject, certificates.arguments(), 2 * scale.patience());
                HttpClient http = EventsOfHttp2.http(certificates);
                PacedTurns turns = new PacedTurns(scale.isBrief() ? 10 : 40)) {
            RemoteClient large = EventsOfHttp2.beside(http, server.port());
            clients.add(large);
            for (int i = 0; i < others; i++) {
                RemoteClient client = EventsOfHttp2.beside(http, server.port());
                clients.add(client);
                turns.listen(client, 2);
            }
            for (int i = 0; i < LARGE; i++) {
                large.prompt(2 + i, "say 1 0 " + BYTES);
                if (large.turn() != 1) {
                    throw new IOException("a turn without its update");
                }
            }
            turns.writeTo(sheet, "");
        } finally {
            for (RemoteClient client : clients) {
                client.close();
            }
        }
    }
}
