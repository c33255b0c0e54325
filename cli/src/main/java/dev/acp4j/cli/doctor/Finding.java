package dev.acp4j.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of one step of {@code acp doctor}.
 *
 * @param level how bad it is
 * @param text what was found, in one line
 * @param cause what that most likely comes from, as a sentence; null when the text says it
 * @param next what to do about it, as a sentence; null when there is nothing to be done
 * @param evidence lines to judge by, such as the last ones of standard error
 */
record Finding(
        Level level,
        String text,
        @Nullable String cause,
        @Nullable String next,
        List<String> evidence) {
    /** How bad it is. The names in lower case are part of the JSON output. */
    enum Level {
        /** As it should be. */
        OK,
        /** It works here, but not with every client or not for ever. */
        WARNING,
        /** It does not work. */
        PROBLEM,
        /** Not looked at. */
        SKIPPED
    }

    Finding {
        evidence = List.copyOf(evidence);
    }

    static Finding ok(String text) {
        return new Finding(Level.OK, text, null, null, List.of());
    }

    static Finding warning(String text) {
        return new Finding(Level.WARNING, text, null, null, List.of());
    }

    static Finding problem(String text) {
        return new Finding(Level.PROBLEM, text, null, null, List.of());
    }

    static Finding skipped(String why) {
        return new Finding(Level.SKIPPED, why, null, null, List.of());
    }

    /** Returns for example {@code 1 line} or {@code 2 lines}. */
    static String count(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    Finding because(String sentence) {
        return new Finding(level, text, sentence, next, evidence);
    }

    Finding next(String sentence) {
        return new Finding(level, text, cause, sentence, evidence);
    }

    /** Adds lines to judge by, the last of them if there are many. */
    Finding shown(String title, List<String> lines, int most) {
        if (lines.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(evidence);
        all.add(title);
        for (String line : lines.subList(Math.max(0, lines.size() - most), lines.size())) {
            all.add("| " + line);
        }
        return new Finding(level, text, cause, next, all);
    }
}
