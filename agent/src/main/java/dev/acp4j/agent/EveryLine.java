package dev.acp4j.agent;

import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds every line of the workspace that has a text or matches a regular expression, in the order of the files. */
final class EveryLine {
    private static final int MAX_SHOWN = 200;
    private static final Duration ALLOWED = Duration.ofSeconds(5);

    private final Work work;
    private final Scope scope;
    private final FileAccess access;
    private final List<String> shown = new ArrayList<>();
    private final List<ToolCallLocation> locations = new ArrayList<>();
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
        for (WorkspaceFile file : work.workspace().files().list().searchable()) {
            work.turn().checkCancelled();
            if (scope.includes(file)) {
                look(file, pattern);
            }
        }
        step.locations(locations);
        step.output(new Facts().put("lines", lines).put("files", files).json());
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

    private void look(WorkspaceFile file, Pattern pattern) throws InterruptedException {
        String text = TextFile.textOf(file);
        if (text == null || !matches(text, pattern)) {
            return;
        }
        // What is shown is what the editor has, which may differ from the disk.
        String now = shown.size() < MAX_SHOWN ? access.readForDisplay(file) : text;
        List<String> all = WorkspaceSearch.lines(now == null ? text : now);
        List<Integer> matching = matching(all, pattern);
        files += matching.isEmpty() ? 0 : 1;
        lines += matching.size();
        for (int number : matching.subList(0, Math.min(MAX_SHOWN - shown.size(), matching.size()))) {
            shown.add("- " + Markdown.place(file.name(), number) + " "
                    + Markdown.code(all.get(number - 1).strip()) + "\n");
            locations.add(ToolCallLocation.of(file.path().toString(), number));
        }
    }

    private static List<Integer> matching(List<String> lines, Pattern pattern) throws InterruptedException {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (matches(lines.get(i), pattern)) {
                numbers.add(i + 1);
            }
        }
        return numbers;
    }

    private static boolean matches(@Nullable String text, Pattern pattern) throws InterruptedException {
        if (text == null) {
            return false;
        }
        Matcher matcher = pattern.matcher(new GuardedText(text, ALLOWED));
        try {
            return matcher.find();
        } catch (GuardedText.StoppedException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw new UsageException(String.valueOf(e.getMessage()));
        } catch (StackOverflowError e) {
            throw new UsageException("the pattern is too deep for this text");
        }
    }

    private String summary() {
        return Markdown.count(lines, "line", "lines") + " in " + Markdown.count(files, "file", "files");
    }

    private void say() throws InterruptedException {
        if (lines == 0) {
            work.say("No line matches.\n");
            return;
        }
        work.say(summary() + ":\n\n" + String.join("", shown));
        if (lines > shown.size()) {
            work.say("- … and " + Markdown.grouped(lines - shown.size()) + " more\n");
        }
    }
}
