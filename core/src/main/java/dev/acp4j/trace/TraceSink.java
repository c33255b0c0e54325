package dev.acp4j.trace;

import java.io.IOException;

/** Receives the events of a trace, in order. */
@FunctionalInterface
public interface TraceSink {
    /**
     * Receives an event. Called by the threads that read and write messages, one at a time: a slow sink slows the
     * connection.
     *
     * @throws IOException if the event cannot be stored; the sink then receives no more events
     */
    void event(TraceEvent event) throws IOException;
}
