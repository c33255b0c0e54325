package dev.acp4j.agent;

import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds every line of the workspace that contains a text or matches a regular expression, in the order of the files.
 */
final class EveryLine {
    private static final int MAX_SHOWN = 200;
    private static final Duration ALLOWED = Duration.ofSeconds(5);

    private final Work work;
    private final Scope scope;
    private final FileAccess access;
    private final List<String> shown = new ArrayList<>();
    private final List<ToolCallLocation> locations = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();
    private int lines;
    private int files;

    EveryLine(Work work, Scope scope) {
        this.work = work;
        this.scope = scope;
        this.access = new FileAccess(work.turn().files());
    }

    void find(String text, Replacement.Options options) throws InterruptedException, IOException {
        Pattern pattern = pattern(text, options);
        Step step = work.step(
                "Find every line with " + text,
                ToolKind.SEARCH,
                new Facts().put("text", text).put("regex", options.regex()).json());
        step.start();
        FileListing listing = work.workspace().files().list();
        for (WorkspaceFile file : listing.searchable()) {
            work.turn().checkCancelled();
            if (scope.includes(file)) {
                lookOrLeaveOut(file, pattern);
            }
        }
        for (WorkspaceFile file : listing.tooLarge()) {
            if (scope.includes(file)) {
                leftOut.add(file.whyUnreadable());
            }
        }
        step.locations(locations);
        step.output(new Facts()
                .put("lines", lines)
                .put("files", files)
                .put("leftOut", leftOut)
                .json());
        step.show(summary());
        step.complete();
        say();
    }

    private static Pattern pattern(String text, Replacement.Options options) {
        try {
            return Replacement.pattern(text, options);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private void lookOrLeaveOut(WorkspaceFile file, Pattern pattern) throws InterruptedException {
        try {
            look(file, pattern);
        } catch (GuardedText.StoppedException e) {
            leftOut.add(file.name() + ": " + e.getMessage());
        }
    }

    private void look(WorkspaceFile file, Pattern pattern) throws InterruptedException {
        String saved = TextFile.textOf(file);
        if (saved == null || matching(saved, pattern).isEmpty()) {
            return;
        }
        // Shows the content of the editor, which may differ from the disk.
        String now = shown.size() < MAX_SHOWN ? access.readForDisplay(file) : saved;
        String text = now == null ? saved : now;
        List<Integer> matching = matching(text, pattern);
        List<String> all = WorkspaceSearch.lines(text);
        files += matching.isEmpty() ? 0 : 1;
        lines += matching.size();
        for (int number : matching.subList(0, Math.min(MAX_SHOWN - shown.size(), matching.size()))) {
            shown.add("- " + Markdown.place(file.name(), number) + " "
                    + Markdown.code(all.get(number - 1).strip()) + "\n");
            locations.add(ToolCallLocation.of(file.path().toString(), number));
        }
    }

    private static List<Integer> matching(String text, Pattern pattern) throws InterruptedException {
        GuardedText guarded = new GuardedText(text, ALLOWED);
        Matcher matcher = pattern.matcher(guarded);
        List<Integer> numbers = new ArrayList<>();
        int number = 0;
        for (String line : WorkspaceSearch.lines(text)) {
            number++;
            matcher.reset(guarded.and(line));
            if (GuardedText.run(matcher::find)) {
                numbers.add(number);
            }
        }
        return numbers;
    }

    private String summary() {
        return lines == 0
                ? "No line matches"
                : Markdown.count(lines, "line", "lines") + " in " + Markdown.count(files, "file", "files");
    }

    private void say() throws InterruptedException {
        work.say(summary() + (lines == 0 ? ".\n\n" : ":\n\n") + String.join("", shown));
        if (lines > shown.size()) {
            work.say("- … and " + Markdown.grouped(lines - shown.size()) + " more\n");
        }
        work.say((shown.isEmpty() ? "" : "\n") + Markdown.list("Left out", leftOut));
    }
}
