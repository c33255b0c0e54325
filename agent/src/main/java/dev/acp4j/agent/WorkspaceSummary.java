package dev.acp4j.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A workspace in figures.
 *
 * @param languages those of the files, most lines first
 * @param folders top-level folders with their number of files
 * @param largest the text files with the most lines
 * @param buildTools as found in the working directory
 * @param testFiles how many files hold tests, by their names
 * @param notes left in the code, the first {@link #MAX_NOTES}
 * @param noteCount how many notes there are
 * @param about the first paragraph of the read-me file; empty when there is none
 */
record WorkspaceSummary(
        FileListing listing,
        List<LanguageShare> languages,
        Map<String, Integer> folders,
        List<Sized> largest,
        List<BuildTool> buildTools,
        int testFiles,
        List<Note> notes,
        int noteCount,
        String about) {
    /** More notes than these are only counted. */
    static final int MAX_NOTES = 200;

    private static final int LARGEST = 5;
    private static final int MAX_ABOUT = 1_000;

    /** The share of one language in a workspace. */
    record LanguageShare(Language language, int files, long lines, long bytes) {
        LanguageShare plus(long moreLines, long moreBytes) {
            return new LanguageShare(language, files + 1, lines + moreLines, bytes + moreBytes);
        }
    }

    /** A file and its length in lines. */
    record Sized(WorkspaceFile file, long lines) {}

    WorkspaceSummary {
        languages = List.copyOf(languages);
        largest = List.copyOf(largest);
        buildTools = List.copyOf(buildTools);
        notes = List.copyOf(notes);
    }

    /** Reads the workspace. */
    static WorkspaceSummary of(WorkspaceFiles files) throws InterruptedException, IOException {
        FileListing listing = files.list();
        Reading reading = new Reading();
        for (WorkspaceFile file : listing.files()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            reading.add(file);
        }
        return new WorkspaceSummary(
                listing,
                reading.languages(),
                reading.folders,
                reading.largest(),
                BuildTool.in(files.workingDirectory()),
                reading.testFiles,
                reading.notes,
                reading.noteCount,
                reading.about);
    }

    private static final class Reading {
        private final Map<String, LanguageShare> shares = new LinkedHashMap<>();
        private final Map<String, Integer> folders = new TreeMap<>();
        private final List<Sized> sized = new ArrayList<>();
        private final List<Note> notes = new ArrayList<>();
        private int noteCount;
        private int testFiles;
        private String about = "";

        void add(WorkspaceFile file) {
            int slash = file.name().indexOf('/');
            if (slash > 0) {
                folders.merge(file.name().substring(0, slash), 1, Integer::sum);
            }
            String text = text(file);
            if (text == null) {
                return;
            }
            Language language = Language.of(file);
            if (Prior.isTest(file.name(), file.fileName()) && language.kind() == Language.Kind.CODE) {
                testFiles++;
            }
            if (slash < 0 && file.name().toLowerCase(Locale.ROOT).startsWith("readme")) {
                about = firstParagraph(text);
            }
            long lines = readLines(file, text, language);
            sized.add(new Sized(file, lines));
            shares.put(
                    language.name(),
                    shares.getOrDefault(language.name(), new LanguageShare(language, 0, 0, 0))
                            .plus(lines, file.size()));
        }

        private long readLines(WorkspaceFile file, String text, Language language) {
            int number = 0;
            for (String line : WorkspaceSearch.lines(text)) {
                number++;
                @Nullable Note note = language.kind() == Language.Kind.DATA ? null : Note.in(line, file.name(), number);
                if (note != null && noteCount++ < MAX_NOTES) {
                    notes.add(note);
                }
            }
            return number;
        }

        private static @Nullable String text(WorkspaceFile file) {
            return file.isSearchable() ? TextFile.textOf(file) : null;
        }

        List<LanguageShare> languages() {
            return shares.values().stream()
                    .sorted(Comparator.comparingLong(LanguageShare::lines).reversed())
                    .toList();
        }

        List<Sized> largest() {
            return sized.stream()
                    .filter(s -> Language.of(s.file()).kind() == Language.Kind.CODE)
                    .sorted(Comparator.comparingLong(Sized::lines).reversed())
                    .limit(LARGEST)
                    .toList();
        }
    }

    /** The first lines of prose: no heading, no badge, no block of code. */
    private static String firstParagraph(String text) {
        StringBuilder paragraph = new StringBuilder();
        for (String line : WorkspaceSearch.lines(text)) {
            String stripped = line.strip();
            boolean prose = !stripped.isEmpty() && "#=[!<`|>-*_".indexOf(stripped.charAt(0)) < 0;
            if (prose) {
                paragraph.append(paragraph.isEmpty() ? "" : " ").append(stripped);
            } else if (!paragraph.isEmpty()) {
                break;
            }
        }
        return paragraph.length() > MAX_ABOUT ? paragraph.substring(0, MAX_ABOUT) + "…" : paragraph.toString();
    }
}
