package dev.acp4j.agent;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a search of the workspace.
 *
 * @param question the question
 * @param scope where it was searched, for people; empty for everywhere
 * @param hits files, best first
 * @param total the number of files with at least one of the words
 * @param missing words that no file contains, each with similar words of the workspace
 * @param coverage the extent of the search
 */
record Answer(
        Question question,
        String scope,
        List<Hit> hits,
        int total,
        Map<String, List<String>> missing,
        Coverage coverage) {
    /**
     * A file that matches.
     *
     * @param score comparable within one answer
     * @param excerpts places in the file, best first; none if only its name matches
     * @param matching the number of matching lines
     */
    record Hit(WorkspaceFile file, double score, List<Excerpt> excerpts, int matching) {
        Hit {
            excerpts = List.copyOf(excerpts);
        }
    }

    /**
     * A line with its context.
     *
     * @param line the number of the line, from 1
     * @param first the number of the first line in {@code lines}
     */
    record Excerpt(int line, int first, List<String> lines) {
        Excerpt {
            lines = List.copyOf(lines);
        }

        /** The line itself, without the space around it. */
        String text() {
            return lines.get(line - first).strip();
        }
    }

    Answer {
        hits = List.copyOf(hits);
        missing = Collections.unmodifiableMap(new LinkedHashMap<>(missing));
    }
}
