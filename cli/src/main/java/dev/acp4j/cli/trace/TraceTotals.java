package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;

/** Counts the items of a trace. */
final class TraceTotals {
    private int events;
    private int shown;
    private int errors;
    private int broken;
    private double seconds;

    void add(TraceStep step, boolean isShown) {
        events++;
        shown += isShown ? 1 : 0;
        errors += step.event().type() == TraceEvent.Type.ERROR ? 1 : 0;
        seconds = Math.max(seconds, step.event().seconds());
    }

    void addBroken() {
        broken++;
    }

    /** Returns the number of unreadable lines. */
    int broken() {
        return broken;
    }

    /** Returns the totals as one line. */
    String text() {
        String count = count(events, "event");
        return MessageSummary.facts(
                shown == events ? count : shown + " of " + count,
                errors == 0 ? "" : count(errors, "error"),
                broken == 0 ? "" : count(broken, "unreadable line"),
                TimelineText.duration(seconds));
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
