package dev.acp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Some clients over events on HTTP/1.1. */
final class EventClients implements AutoCloseable {
    private final List<EventsOfHttp1> all = new ArrayList<>();

    EventClients(int count, int port) throws IOException {
        for (int i = 0; i < count; i++) {
            all.add(new EventsOfHttp1(port));
        }
    }

    /** Begins a turn of each and listens to it. */
    void listen(PacedTurns turns, int id) throws IOException {
        for (EventsOfHttp1 one : all) {
            turns.listen(one, id);
        }
    }

    /**
     * Measures turns while nothing else happens, after others in which the server has become warm.
     *
     * @return how late updates were seen: the 99th percentile, in milliseconds
     */
    double measureAlone(PacedTurns turns, Workload.Sheet sheet) throws Exception {
        listen(turns, 2);
        long[] unused = turns.await();
        listen(turns, 3);
        return turns.writeTo(sheet, "before, ");
    }

    @Override
    public void close() throws IOException {
        for (EventsOfHttp1 one : all) {
            one.close();
        }
    }
}
