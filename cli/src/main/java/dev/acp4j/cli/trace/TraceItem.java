package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceHeader;

/** What a line of a trace is. */
sealed interface TraceItem {
    /** A trace begins; usually the first line. */
    record Begin(TraceHeader header) implements TraceItem {}

    /** Something happened. */
    record Event(TraceEvent event) implements TraceItem {}

    /**
     * A line that cannot be read.
     *
     * @param line its number
     * @param why what is wrong with it
     * @param isTorn whether it is the last one and lacks its end, as after a program was killed
     */
    record Broken(long line, String why, boolean isTorn) implements TraceItem {}
}
