package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceHeader;

/** A line of a trace. */
sealed interface TraceItem {
    /** The header of a trace; usually the first line. */
    record Begin(TraceHeader header) implements TraceItem {}

    /** An event. */
    record Event(TraceEvent event) implements TraceItem {}

    /**
     * A line that cannot be read.
     *
     * @param line its number
     * @param why the problem
     * @param isTorn whether it is the last one and incomplete, as after a program was killed
     */
    record Broken(long line, String why, boolean isTorn) implements TraceItem {}
}
