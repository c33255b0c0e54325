package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Answers how to build the workspace and run its tests: the commands that its own manuals give, with their places, and
 * last the command to run.
 */
final class HowToBuild {
    private static final int MAX_QUOTED = 5;
    private static final int MAX_LINE = 300;
    private static final Pattern MANUAL = Pattern.compile(
            "(?:readme|contributing|building|development|developing|hacking|install)\\b.*", Pattern.CASE_INSENSITIVE);
    private static final Pattern CHECKS = Pattern.compile("\\b(?:test|verify|check|build)\\b");

    private final Work work;
    private final FileAccess access;

    /** A command in a manual. */
    private record Documented(WorkspaceFile file, int line, String command) {}

    HowToBuild(Work work, FileAccess access) {
        this.work = work;
        this.access = access;
    }

    void say() throws InterruptedException, IOException {
        List<BuildTool> tools = BuildTool.in(work.workspace().workingDirectory());
        if (tools.isEmpty()) {
            work.say(UNKNOWN + "\n");
            return;
        }
        Step step = work.step("Look for the commands in the manuals", ToolKind.SEARCH, new Facts().json());
        step.start();
        List<Documented> documented = documented(tools);
        step.output(new Facts().put("commands", documented.size()).json());
        step.show(Markdown.count(documented.size(), "command", "commands"));
        step.complete();
        List<String> quotes = documented.stream()
                .limit(MAX_QUOTED)
                .map(each -> Markdown.place(each.file().name(), each.line()) + " " + Markdown.code(each.command()))
                .toList();
        work.say(Markdown.list("The manuals of this project say", quotes));
        for (BuildTool tool : tools) {
            work.say("This is built with " + tool.name() + " (" + Markdown.code(tool.file()) + "); "
                    + Markdown.code("/run " + tool.testCommand()) + " runs the tests.\n");
        }
    }

    /** What is said when no build file is known. */
    static final String UNKNOWN =
            "This folder has no build file that I know, such as `pom.xml` or `package.json`, so I "
                    + "do not know the command for the tests. `/run` with that command runs them.";

    private List<Documented> documented(List<BuildTool> tools) throws InterruptedException, IOException {
        List<Documented> found = new ArrayList<>();
        for (WorkspaceFile file : work.workspace().files().list().searchable()) {
            boolean manual = file.name().indexOf('/') < 0
                    && MANUAL.matcher(file.fileName()).matches();
            String text = manual ? access.readForDisplay(file) : null;
            int number = 0;
            for (String line : text == null ? List.<String>of() : WorkspaceSearch.lines(text)) {
                number++;
                String command = line.length() > MAX_LINE ? null : command(line, tools);
                if (command != null) {
                    found.add(new Documented(file, number, command));
                }
            }
        }
        return found;
    }

    /** Returns the command of one of the tools in a line: between backticks, or the whole of an indented line. */
    private static @Nullable String command(String line, List<BuildTool> tools) {
        for (BuildTool tool : tools) {
            String program = tool.testCommand().split(" ", 2)[0];
            Matcher found = Pattern.compile("(?:`|^[\\s$]*+)(" + Pattern.quote(program) + " [^`#]*+)")
                    .matcher(line);
            if (found.find() && CHECKS.matcher(found.group(1)).find()) {
                return found.group(1).strip();
            }
        }
        return null;
    }
}
