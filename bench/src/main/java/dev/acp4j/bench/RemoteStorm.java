package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.SocketFactory;

/** A thousand clients are cut off at once while something is said to each, and resume their streams at once. */
record RemoteStorm(boolean isSecure, Scale scale, List<Subject> subjects, Certificates certificates)
        implements Workload {
    private static final int UNSEEN = 50;

    /** In the message that a server sends to a client that resumes a session: the state of its turn. */
    private static final String TURN_STATE = "\"acp/turnState\"";

    @Override
    public String name() {
        return isSecure ? "remote, storm over TLS" : "remote, storm";
    }

    @Override
    public int rounds() {
        return scale.fewRounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        int count = scale.isBrief() ? 20 : 1_000;
        List<EventsOfHttp1> clients = new ArrayList<>();
        List<String> arguments = isSecure ? certificates.arguments() : List.of();
        SocketFactory sockets = isSecure ? certificates.trusting().getSocketFactory() : SocketFactory.getDefault();
        try (RemotePeer server = new RemotePeer(subject, arguments, 2 * scale.patience());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                EventsOfHttp1 client = new EventsOfHttp1(sockets, server.port(), "");
                client.prompt(2, "say 1");
                if (client.turn() != 1) {
                    throw new IOException("a turn without its update");
                }
                clients.add(client);
            }
            double before = server.heapKibibytes();
            for (EventsOfHttp1 client : clients) {
                client.cut();
                client.prompt(3, "say " + UNSEEN);
            }
            long start = System.nanoTime();
            List<Future<?>> all = new ArrayList<>();
            for (EventsOfHttp1 client : clients) {
                all.add(threads.submit(() -> resume(client)));
            }
            for (Future<?> one : all) {
                Object unused = one.get();
            }
            sheet.write("all resumed, s", (System.nanoTime() - start) / 1e9);
            sheet.write("heap, × before", server.heapKibibytes() / before);
        } finally {
            for (EventsOfHttp1 client : clients) {
                client.close();
            }
        }
    }

    /** Resumes both streams, and reads what was missed: all of it, and once. */
    private static Void resume(EventsOfHttp1 client) throws IOException {
        client.resume();
        for (int i = 0; i < UNSEEN; i++) {
            String message = next(client);
            if (!message.contains("#" + i + "@")) {
                throw new IOException("update " + i + " is missing: " + message);
            }
        }
        if (!next(client).contains("\"stopReason\"")) {
            throw new IOException("more came than was said");
        }
        return null;
    }

    private static String next(EventsOfHttp1 client) throws IOException {
        String message = client.next();
        while (message.contains(TURN_STATE)) {
            message = client.next();
        }
        return message;
    }
}
