package dev.acp4j.bench;

import java.io.IOException;
import java.util.List;

/** What it costs that a stream can be resumed: three long streams with it and without. */
record RemoteDurability(Scale scale, List<Subject> subjects) implements Workload {
    @Override
    public String name() {
        return "remote, durability";
    }

    @Override
    public int rounds() {
        return scale.rounds();
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        double without = thirdTurn(subject.option("-Ddurable=false"));
        double with = thirdTurn(subject);
        sheet.write("stream, turn 3, /s", with);
        sheet.write("not durable, stream, turn 3, /s", without);
        sheet.write("cost, %", 100 * (1 - with / without));
    }

    private double thirdTurn(Subject subject) throws IOException {
        try (RemotePeer server = new RemotePeer(subject, List.of(), 2 * scale.patience());
                EventsOfHttp1 client = new EventsOfHttp1(server.port())) {
            double rate = 0;
            for (int turn = 1; turn <= 3; turn++) {
                long start = System.nanoTime();
                client.prompt(turn + 1, "say " + scale.updates());
                int seen = client.turn();
                if (seen != scale.updates()) {
                    throw new IOException(seen + " updates came in the place of " + scale.updates());
                }
                rate = seen / ((System.nanoTime() - start) / 1e9);
            }
            return rate;
        }
    }
}
