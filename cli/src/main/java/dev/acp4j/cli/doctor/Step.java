package dev.acp4j.cli.doctor;

import java.util.function.Predicate;

/**
 * One examination by {@code acp doctor}.
 *
 * @param name its name; part of the JSON output
 * @param needs whether it can be done after the previous steps
 * @param examination performs it
 */
record Step(String name, Predicate<ExaminedAgent> needs, Examination examination) {
    /** Performs one examination. */
    @FunctionalInterface
    interface Examination {
        Finding display(ExaminedAgent agent) throws InterruptedException;
    }
}
