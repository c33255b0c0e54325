package dev.acp4j.cli.editors;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of one editor.
 *
 * @param editor the editor
 * @param status in one word
 * @param message what happened, in one line
 * @param file its file; null if it has none, or none was looked at
 * @param diff the change as a unified diff; empty if there is none
 * @param text what a person may paste instead; empty if that is not needed
 * @param next what to do or to know, as sentences or lines to paste
 */
record Outcome(
        Editor editor,
        Status status,
        String message,
        @Nullable Path file,
        List<String> diff,
        String text,
        List<String> next) {
    /** The names in lower case are part of the JSON output. */
    enum Status {
        WRITTEN,
        UNCHANGED,
        WOULD_CHANGE,
        PRINTED,
        DECLINED,
        REFUSED,
        FAILED;

        boolean isWell() {
            return compareTo(DECLINED) < 0;
        }
    }

    Outcome {
        diff = List.copyOf(diff);
        next = List.copyOf(next);
    }

    static Outcome of(Editor editor, Status status, @Nullable Path file, String message) {
        return new Outcome(editor, status, message, file, List.of(), "", List.of());
    }

    Outcome withDiff(List<String> lines) {
        return new Outcome(editor, status, message, file, lines, text, next);
    }

    Outcome withText(String pasted) {
        return new Outcome(editor, status, message, file, diff, pasted, next);
    }

    Outcome withNext(List<String> lines) {
        return new Outcome(editor, status, message, file, diff, text, lines);
    }
}
