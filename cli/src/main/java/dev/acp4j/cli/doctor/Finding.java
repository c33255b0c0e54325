package dev.acp4j.cli.doctor;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one step of {@code acp doctor}.
 *
 * @param level the severity
 * @param text the finding in one line
 * @param cause the likely cause, as a sentence; null if the text gives it
 * @param next the next step, as a sentence; null if there is none
 * @param evidence supporting lines, such as the last ones of standard error
 * @param details the same in numbers, for programs; null if there are none
 */
record Finding(
        Level level,
        String text,
        @Nullable String cause,
        @Nullable String next,
        List<String> evidence,
        @Nullable RawJson details) {
    /** The severity. The names in lower case are part of the JSON output. */
    enum Level {
        /** No problem. */
        OK,
        /** It works here, but may fail with other clients or later. */
        WARNING,
        /** It does not work. */
        PROBLEM,
        /** Skipped. */
        SKIPPED
    }

    Finding {
        evidence = List.copyOf(evidence);
    }

    static Finding ok(String text) {
        return new Finding(Level.OK, text, null, null, List.of(), null);
    }

    static Finding warning(String text) {
        return new Finding(Level.WARNING, text, null, null, List.of(), null);
    }

    static Finding problem(String text) {
        return new Finding(Level.PROBLEM, text, null, null, List.of(), null);
    }

    static Finding skipped(String why) {
        return new Finding(Level.SKIPPED, why, null, null, List.of(), null);
    }

    /** Returns for example {@code 1 line} or {@code 2 lines}. */
    static String count(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    Finding because(String sentence) {
        return new Finding(level, text, sentence, next, evidence, details);
    }

    Finding next(String sentence) {
        return new Finding(level, text, cause, sentence, evidence, details);
    }

    /** Adds what programs read. */
    Finding detailed(RawJson json) {
        return new Finding(level, text, cause, next, evidence, json);
    }

    /** Adds supporting lines; only the last ones if there are many. */
    Finding shown(String title, List<String> lines, int most) {
        if (lines.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(evidence);
        all.add(title);
        for (String line : lines.subList(Math.max(0, lines.size() - most), lines.size())) {
            all.add("| " + line);
        }
        return new Finding(level, text, cause, next, all, details);
    }
}
