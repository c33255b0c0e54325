package dev.acp4j.bench;

import java.io.IOException;
import java.util.List;

/**
 * A remote agent by way of {@code acp connect}, as an editor has it, and without it.
 *
 * @param server the remote agent
 */
record RemoteConnect(Scale scale, List<Subject> subjects, Subject server) implements Workload {
    @Override
    public String name() {
        return "remote, acp connect";
    }

    @Override
    public int rounds() {
        return scale.rounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        try (RemotePeer remote = new RemotePeer(server, List.of(), 3 * scale.patience());
                DrivenAgent agent = new DrivenAgent(
                        subject.with("http://127.0.0.1:" + remote.port() + "/acp"), 2 * scale.patience())) {
            sheet.write("to the first answer, ms", agent.startNanos / 1e6);
            String session = agent.newSession();
            int turns = scale.turns();
            turns(agent, session, turns / 5);
            Latencies latencies = new Latencies(turns);
            for (int i = 0; i < turns; i++) {
                long start = System.nanoTime();
                turns(agent, session, 1);
                latencies.add(System.nanoTime() - start);
            }
            latencies.writeTo(sheet, "");
            sheet.write("more than without, p50, µs", latencies.median() - without(remote));
        }
    }

    /** Returns the median of the same turns of a client that speaks to the server itself, in microseconds. */
    private double without(RemotePeer remote) throws IOException {
        try (EventsOfHttp1 client = new EventsOfHttp1(remote.port())) {
            Latencies latencies = new Latencies(scale.turns());
            for (int i = 0; i < scale.turns(); i++) {
                long start = System.nanoTime();
                client.prompt(i + 2, "say 1");
                if (client.turn() != 1) {
                    throw new IOException("a turn without its update");
                }
                latencies.add(System.nanoTime() - start);
            }
            return latencies.median();
        }
    }

    private static void turns(DrivenAgent agent, String session, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int updates = agent.turn(agent.prompt(session, "say 1"));
            if (updates != 1) {
                throw new IOException(updates + " updates came in a turn of one");
            }
        }
    }
}
