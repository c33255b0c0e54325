package dev.acp4j.proxies;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A slash command in a Markdown file.
 *
 * @param hint what to show while there are no arguments; null if the command takes none
 * @param body the prompt, with places for arguments
 */
record CommandFile(
        String name, String description, @Nullable String hint, String body) {
    private static final String SUFFIX = ".md";
    private static final int MOST_FILES = 500;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");
    private static final Pattern ARGUMENT = Pattern.compile("\\$(ARGUMENTS\\b|[1-9](?![0-9]))");

    /**
     * Returns the commands of a session in a folder; those of the project come last, and only if they are trusted.
     * Links that lead out of the project are not followed.
     */
    static List<CommandFile> all(
            List<Path> folders, List<Path> ofProjects, @Nullable Path cwd, MarkdownFile.Reading reading) {
        List<CommandFile> found = new ArrayList<>();
        folders.forEach(folder -> find(folder, null, reading, found));
        if (cwd != null) {
            ofProjects.forEach(folder -> find(cwd.resolve(folder), cwd, reading, found));
        }
        return found;
    }

    private static void find(
            Path folder, @Nullable Path project, MarkdownFile.Reading reading, List<CommandFile> found) {
        for (Path file : reading.in(folder, "commands", MOST_FILES, CommandFile::isCommand)) {
            String text = project == null ? reading.text(file) : reading.text(file, project);
            if (text != null) {
                found.add(parse(name(file), text));
            }
        }
    }

    private static boolean isCommand(Path file) {
        return file.toString().endsWith(SUFFIX) && NAME.matcher(name(file)).matches() && Files.isRegularFile(file);
    }

    private static String name(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.substring(0, name.length() - SUFFIX.length());
    }

    /** Reads a command: what stands between lines of three dashes describes it. */
    static CommandFile parse(String name, String text) {
        MarkdownFile file = MarkdownFile.parse(text);
        String body = file.body();
        String description = file.value("description");
        if (description.isEmpty()) {
            description = body.lines().findFirst().orElse(name).replaceFirst("^#+\\s*", "");
        }
        boolean takesArguments = ARGUMENT.matcher(body).find();
        String hint = file.head().getOrDefault("argument-hint", takesArguments ? "arguments" : null);
        return new CommandFile(name, description, hint, body);
    }

    SlashCommand command() {
        return new SlashCommand(name, description, hint, this::prompt);
    }

    /** Returns the prompt with the arguments put in; where it has no place for them, they are added at the end. */
    String prompt(String arguments) {
        List<String> words = arguments.isEmpty() ? List.of() : List.of(arguments.split("\\s+", -1));
        Matcher place = ARGUMENT.matcher(body);
        if (!place.find()) {
            return arguments.isEmpty() ? body : body + "\n\n" + arguments;
        }
        return place.replaceAll(found -> {
            String which = found.group(1);
            int number = which.equals("ARGUMENTS") ? 0 : Integer.parseInt(which);
            String value = number == 0 ? arguments : number <= words.size() ? words.get(number - 1) : "";
            return Matcher.quoteReplacement(value);
        });
    }
}
