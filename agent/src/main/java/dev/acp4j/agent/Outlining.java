package dev.acp4j.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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
            work.say(text == null ? Markdown.code(name) + " holds no text that I can read.\n" : of(name, text));
        }
        if (sentence.isBlank()) {
            work.say("Ask something, and I look for it there.\n");
        }
    }

    /** The first line of the documentation string that follows a definition, as in Python. */
    private static String documented(List<String> lines, int next) {
        String line = next < lines.size() ? lines.get(next).strip() : "";
        boolean documents = line.startsWith("\"\"\"") || line.startsWith("'''");
        return documents ? " " + line.replace("\"\"\"", "").replace("'''", "") : "";
    }

    private static String of(String name, String text) {
        Language language = Language.of(new WorkspaceFile(Path.of(""), name, text.length(), 0));
        List<String> lines = WorkspaceSearch.lines(text);
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (Definitions.nameIn(lines.get(i), language) != null) {
                entries.add("- " + Markdown.place(name, i + 1) + " "
                        + Markdown.code(lines.get(i).strip()) + documented(lines, i + 1) + "\n");
            }
        }
        StringBuilder outline =
                new StringBuilder("**").append(Markdown.code(name)).append("**: ");
        outline.append(Markdown.count(lines.size(), "line", "lines"));
        outline.append(language.kind() == Language.Kind.OTHER ? "" : " of " + language.name())
                .append(".\n\n");
        List<String> comment = LeadingComment.of(lines, language);
        comment.forEach(line -> outline.append("> ").append(line).append('\n'));
        outline.append(comment.isEmpty() ? "" : "\n");
        entries.stream().limit(MAX_ENTRIES).forEach(outline::append);
        if (entries.size() > MAX_ENTRIES) {
            outline.append("- … and ").append(entries.size() - MAX_ENTRIES).append(" more\n");
        }
        return outline.append('\n').toString();
    }
}
