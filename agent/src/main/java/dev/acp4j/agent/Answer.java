package dev.acp4j.agent;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a search of the workspace found.
 *
 * @param question what was asked
 * @param hits files, best first
 * @param total how many files have one of the words
 * @param missing words that no file has, each with the words of the workspace that are spelled alike
 * @param coverage how much was searched
 */
record Answer(Question question, List<Hit> hits, int total, Map<String, List<String>> missing, Coverage coverage) {
    /**
     * A file that matches.
     *
     * @param score comparable within one answer
     * @param excerpts places in the file, best first; none when only its name matches
     * @param matching how many of its lines match
     */
    record Hit(WorkspaceFile file, double score, List<Excerpt> excerpts, int matching) {
        Hit {
            excerpts = List.copyOf(excerpts);
        }
    }

    /**
     * A line and what stands around it.
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
