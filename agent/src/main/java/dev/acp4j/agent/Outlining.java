package dev.acp4j.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Outlines the content of a file, for a prompt that attaches or names one and has no words to search for. */
final class Outlining {
    private static final int MAX_ENTRIES = 40;

    private final Work work;
    private final FileAccess access;

    Outlining(Work work, FileAccess access) {
        this.work = work;
        this.access = access;
    }

    /** Outlines what is attached; somebody who asked {@code sentence} is not told to ask. */
    void outline(Attachments attachments, String sentence) throws InterruptedException, IOException {
        for (Attachments.Embedded text : attachments.texts()) {
            work.say(of(text.name(), text.text()));
        }
        for (String name : attachments.files()) {
            WorkspaceFile file = work.workspace().file(name);
            if (file == null) {
                new FilesCommand().list(work, name);
                continue;
            }
            String text = file.isSearchable() ? access.readToShow(file) : null;
            work.say(text == null ? file.whyUnreadable() + "\n" : of(name, text));
        }
        if (sentence.isBlank()) {
            work.say("Ask something, and I look for it there.\n");
        }
    }

    private static String of(String name, String text) {
        Language language = Language.of(new WorkspaceFile(Path.of(""), name, text.length(), 0));
        List<String> lines = WorkspaceSearch.lines(text);
        StringBuilder outline =
                new StringBuilder("**").append(Markdown.code(name)).append("**: ");
        outline.append(Markdown.count(lines.size(), "line", "lines"));
        outline.append(language.kind() == Language.Kind.OTHER ? "" : " of " + language.name())
                .append(".\n\n");
        outline.append(Markdown.quote(LeadingComment.of(lines, language)));
        return outline.append(list(name, Outline.of(lines, language), MAX_ENTRIES))
                .append('\n')
                .toString();
    }

    /** Returns the definitions as a list, one a line. */
    static String list(String name, List<Outline> entries, int limit) {
        StringBuilder text = new StringBuilder();
        for (Outline entry : entries.subList(0, Math.min(limit, entries.size()))) {
            text.append("- ").append(Markdown.place(name, entry.line())).append(' ');
            text.append(Markdown.code(entry.text()));
            text.append(entry.summary().isEmpty() ? "" : " " + entry.summary()).append('\n');
        }
        if (entries.size() > limit) {
            text.append("- … and ")
                    .append(Markdown.grouped(entries.size() - limit))
                    .append(" more\n");
        }
        return text.toString();
    }
}
