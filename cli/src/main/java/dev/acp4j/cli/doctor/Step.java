package dev.acp4j.cli.doctor;

import java.util.function.Predicate;

/**
 * One examination by {@code acp doctor}.
 *
 * @param name its name; part of the JSON output
 * @param needs whether it can be done after the previous steps
 * @param examination performs it
 * @param <T> what is examined
 */
record Step<T>(String name, Predicate<T> needs, Examination<T> examination) {
    /** Performs one examination. */
    @FunctionalInterface
    interface Examination<T> {
        Finding of(T subject) throws InterruptedException;
    }
}
