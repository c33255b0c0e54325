package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The summary of a workspace as Markdown. */
final class SummaryText {
    private static final int LANGUAGES = 10;
    private static final int FOLDERS = 12;
    private static final int NOTES = 20;

    private SummaryText() {}

    /** Returns the summary of a workspace with files, in pieces, in order. */
    static List<String> of(WorkspaceSummary summary) {
        List<String> pieces = new ArrayList<>();
        pieces.add(about(summary));
        pieces.add(languages(summary));
        pieces.add(folders(summary));
        pieces.add(building(summary));
        pieces.add(largest(summary));
        pieces.add(notes(summary, NOTES));
        return pieces;
    }

    /** Returns the notes left in the code, all that were read. */
    static String allNotes(WorkspaceSummary summary) {
        return notes(summary, summary.notes().size());
    }

    private static String about(WorkspaceSummary summary) {
        FileListing listing = summary.listing();
        long bytes = listing.files().stream().mapToLong(WorkspaceFile::size).sum();
        String about = summary.about().isEmpty() ? "" : "> " + summary.about() + "\n\n";
        String more = listing.truncated() ? " (and more, which were not read)" : "";
        String source = listing.fromGit() ? ", as Git lists them" : "";
        return about + Markdown.count(listing.files().size(), "file", "files") + more + ", " + SizeText.of(bytes)
                + source + ".\n\n";
    }

    private static String languages(WorkspaceSummary summary) {
        StringBuilder text = new StringBuilder("**Languages**\n\n");
        for (WorkspaceSummary.LanguageShare share :
                summary.languages().stream().limit(LANGUAGES).toList()) {
            text.append("- ").append(share.language().name()).append(": ");
            text.append(Markdown.count(share.lines(), "line", "lines")).append(" in ");
            text.append(Markdown.count(share.files(), "file", "files")).append('\n');
        }
        return text.append('\n').toString();
    }

    private static String folders(WorkspaceSummary summary) {
        if (summary.folders().isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("**Folders**\n\n");
        summary.folders().entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(FOLDERS)
                .forEach(folder -> text.append("- ")
                        .append(Markdown.code(folder.getKey() + "/"))
                        .append(" ")
                        .append(Markdown.count(folder.getValue(), "file", "files"))
                        .append('\n'));
        return text.append('\n').toString();
    }

    private static String building(WorkspaceSummary summary) {
        StringBuilder text = new StringBuilder("**Build and tests**\n\n");
        for (BuildTool tool : summary.buildTools()) {
            text.append("- ").append(tool.name()).append(" (").append(Markdown.code(tool.file()));
            text.append("); tests: ")
                    .append(Markdown.code("/run " + tool.testCommand()))
                    .append('\n');
        }
        if (summary.buildTools().isEmpty()) {
            text.append("- No build file that I know in the working directory\n");
        }
        text.append("- ")
                .append(Markdown.count(summary.testFiles(), "test file", "test files"))
                .append("\n\n");
        return text.toString();
    }

    private static String largest(WorkspaceSummary summary) {
        if (summary.largest().isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("**Longest source files**\n\n");
        for (WorkspaceSummary.Sized sized : summary.largest()) {
            text.append("- ").append(Markdown.code(sized.file().name())).append(" ");
            text.append(Markdown.count(sized.lines(), "line", "lines")).append('\n');
        }
        return text.append('\n').toString();
    }

    private static String notes(WorkspaceSummary summary, int limit) {
        if (summary.noteCount() == 0) {
            return "**Notes left in the code**: none.\n";
        }
        StringBuilder text = new StringBuilder("**Notes left in the code**: ");
        text.append(summary.noteCount()).append("\n\n");
        List<Note> shown =
                summary.notes().subList(0, Math.min(limit, summary.notes().size()));
        for (Note note : shown) {
            text.append("- ").append(Markdown.place(note.file(), note.line())).append(" ");
            text.append(Markdown.code(note.text())).append('\n');
        }
        if (summary.noteCount() > shown.size()) {
            boolean listed = limit < summary.notes().size();
            text.append("- … and ").append(summary.noteCount() - shown.size()).append(" more: ");
            text.append(listed ? "`/summary notes`\n" : "`/search --regex \"TODO|FIXME|XXX|HACK\"`\n");
        }
        return text.toString();
    }
}
