package dev.acp4j.cli.doctor;

import java.util.function.Predicate;

/**
 * One thing that {@code acp doctor} looks at.
 *
 * @param name what to call it; part of the JSON output
 * @param needs whether it can be looked at, after the steps before it
 * @param examination looks at it
 */
record Step(String name, Predicate<ExaminedAgent> needs, Examination examination) {
    /** Looks at one thing. */
    @FunctionalInterface
    interface Examination {
        Finding display(ExaminedAgent agent) throws InterruptedException;
    }
}
