package dev.acp4j.trace;

import java.io.IOException;

/** Takes the events of a trace, one after another. */
@FunctionalInterface
public interface TraceSink {
    /**
     * Takes an event. Called by the threads that read and write messages, one at a time: what takes long here slows the
     * connection.
     *
     * @throws IOException when it cannot be kept; no more events come then
     */
    void event(TraceEvent event) throws IOException;
}
