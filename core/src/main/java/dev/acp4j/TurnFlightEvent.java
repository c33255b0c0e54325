package dev.acp4j;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The end of a turn, for the JDK's flight recorder. While it does not record this costs next to nothing. */
@Name("dev.acp4j.TurnEnded")
@Label("Turn Ended")
@Category("acp4j")
@StackTrace(false)
final class TurnFlightEvent extends Event {
    @Label("Side")
    String side = "";

    @Label("Session")
    String session = "";

    @Label("Stop Reason")
    String stopReason = "";

    @Label("Time")
    @Timespan(Timespan.NANOSECONDS)
    long time;

    /**
     * Commits the event.
     *
     * @param side {@code agent} or {@code client}
     * @param session the session's id
     * @param stopReason why the turn ended; empty when it failed
     * @param nanos how long it took
     */
    static void commit(String side, String session, String stopReason, long nanos) {
        TurnFlightEvent event = new TurnFlightEvent();
        if (event.isEnabled()) {
            event.side = side;
            event.session = session;
            event.stopReason = stopReason;
            event.time = nanos;
            event.commit();
        }
    }
}
