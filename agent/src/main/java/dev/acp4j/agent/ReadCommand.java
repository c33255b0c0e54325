package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code /read}: shows a file or some lines of it, from the editor. */
final class ReadCommand implements Command {
    private static final int MAX_LINES = 400;
    private static final int CONTEXT = 10;

    @Override
    public String name() {
        return "read";
    }

    @Override
    public String description() {
        return "Show a file, or some of its lines";
    }

    @Override
    public String hint() {
        return "path[:line[-line]]";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException, IOException {
        Arguments parsed = Arguments.parse(arguments, Set.of(), Set.of());
        Target target = Target.of(String.join(" ", parsed.words()));
        String folder = work.workspace().folder(target.name());
        if (folder != null) {
            new FilesCommand().list(work, folder);
            return;
        }
        WorkspaceFile file = find(work, target.name());
        if (file != null) {
            show(work, file, target);
        }
    }

    /**
     * The lines to show. A single line is shown with its context; without lines, the whole file is shown.
     *
     * @param first line, from 1
     * @param last line
     */
    private record Target(String name, int first, int last) {
        // Here and not in the command, which is loaded when a session opens: patterns take time.
        private static final Pattern FORM = Pattern.compile("(.+?)(?::(\\d{0,7})(-(\\d{0,7}))?)?");

        static Target of(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new UsageException("which file?");
            }
            if (form.group(2) == null) {
                return new Target(form.group(1), 1, Integer.MAX_VALUE);
            }
            int first = number(form.group(2));
            int last = form.group(3) == null ? first : number(form.group(4));
            if (first < 1 || last < first) {
                throw new UsageException("lines are counted from 1 and go up, as in " + form.group(1) + ":3-7");
            }
            return new Target(form.group(1), first, last);
        }

        boolean isOneLine() {
            return first == last;
        }

        private static int number(String digits) {
            return digits.isEmpty() ? 0 : Integer.parseInt(digits);
        }
    }

    /** Finds the file, also by a unique part of its name; else lists similar files. */
    private static @Nullable WorkspaceFile find(Work work, String name) throws InterruptedException, IOException {
        WorkspaceFile file = work.workspace().file(name);
        if (file != null) {
            return file;
        }
        List<WorkspaceFile> similar = work.workspace().similar(name, 10);
        if (similar.size() == 1) {
            return similar.getFirst();
        }
        StringBuilder text = new StringBuilder("There is no file ").append(Markdown.code(name));
        text.append(" in this workspace.");
        if (!similar.isEmpty()) {
            text.append(" Do you mean one of these?\n\n");
            similar.forEach(
                    s -> text.append("- ").append(Markdown.code(s.name())).append('\n'));
        }
        work.say(text.append('\n').toString());
        return null;
    }

    private static void show(Work work, WorkspaceFile file, Target target) throws InterruptedException, IOException {
        Facts input = new Facts().put("path", file.path().toString()).put("line", target.first());
        Step step = work.step("Read " + file.name(), ToolKind.READ, input.json());
        step.location(file.path(), target.first());
        step.start();
        if (file.isTooLarge()) {
            showPart(work, file, target, step);
            return;
        }
        String text = read(work, file, step);
        if (text == null) {
            work.say(file.whyUnreadable() + "\n");
            return;
        }
        List<String> lines = WorkspaceSearch.lines(text);
        if (target.first() > lines.size()) {
            String has = Markdown.count(lines.size(), "line", "lines");
            step.fail("The file has " + has + ".");
            work.say(Markdown.code(file.name()) + " has " + has + ".\n");
            return;
        }
        step.output(new Facts()
                .put("lines", lines.size())
                .put("characters", text.length())
                .json());
        step.show(Markdown.count(lines.size(), "line", "lines"));
        step.complete();
        say(work, file, lines, target);
    }

    /** Shows lines of a file that is too large to be read whole. */
    private static void showPart(Work work, WorkspaceFile file, Target target, Step step)
            throws InterruptedException, IOException {
        int from = target.isOneLine() ? Math.max(1, target.first() - CONTEXT) : target.first();
        int to = target.isOneLine() ? target.first() + CONTEXT : Math.min(target.last(), from + MAX_LINES - 1);
        if (target.last() == Integer.MAX_VALUE) {
            step.fail(file.whyUnreadable());
            work.say(file.whyUnreadable() + " " + Markdown.code("/read " + file.name() + ":1-" + MAX_LINES)
                    + " shows its first lines.\n");
            return;
        }
        List<String> lines = TextFile.someLines(file.path(), from, to);
        if (lines.isEmpty()) {
            step.fail("There is no text in these lines.");
            work.say(Markdown.code(file.name()) + " is not a text file, or has fewer lines.\n");
            return;
        }
        step.show(Markdown.count(lines.size(), "line", "lines"));
        step.complete();
        work.say("**" + Markdown.place(file.name(), from) + "**\n\n"
                + Markdown.block(file.extension(), Markdown.numbered(lines, from)));
    }

    private static void say(Work work, WorkspaceFile file, List<String> lines, Target target)
            throws InterruptedException {
        int from = target.isOneLine() ? Math.max(1, target.first() - CONTEXT) : target.first();
        int to = Math.min(lines.size(), target.isOneLine() ? target.first() + CONTEXT : target.last());
        int shownTo = Math.min(to, from + MAX_LINES - 1);
        List<String> shown = lines.subList(from - 1, shownTo);
        work.say("**" + Markdown.place(file.name(), from) + "**\n\n"
                + Markdown.block(file.extension(), Markdown.numbered(shown, from)));
        if (shownTo < to) {
            work.say("\n… " + Markdown.grouped(to - shownTo) + " more lines: "
                    + Markdown.code("/read " + file.name() + ":" + (shownTo + 1) + "-" + to) + "\n");
        }
    }

    private static @Nullable String read(Work work, WorkspaceFile file, Step step)
            throws InterruptedException, IOException {
        try {
            String text = file.isSearchable() ? new FileAccess(work.turn().files()).readToShow(file) : null;
            if (text == null) {
                step.fail(file.whyUnreadable());
            }
            return text;
        } catch (IOException e) {
            step.fail(String.valueOf(e.getMessage()));
            throw e;
        }
    }
}
