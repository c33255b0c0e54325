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

    @Override
    public void close() throws IOException {
        for (EventsOfHttp1 one : all) {
            one.close();
        }
    }
}
