package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceHeader;
import java.util.List;

/** A view that shows a trace from its beginning to its end. */
interface TraceView {
    void begin(TraceHeader header);

    /** A step is passed, before it is known whether it is selected. */
    default void passing(TraceStep step) {}

    /** Shows a step that is selected. */
    void step(TraceStep step);

    void broken(TraceItem.Broken broken);

    void end(TraceTotals totals, List<TraceStep> unanswered);
}
