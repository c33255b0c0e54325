package dev.acp4j.proxies;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
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

    /** Returns the commands in folders; what cannot be read is said. */
    static List<CommandFile> in(List<Path> folders, MarkdownFile.Reading reading) {
        List<CommandFile> found = new ArrayList<>();
        for (Path folder : folders) {
            for (Path file : files(folder, reading)) {
                String text = reading.text(file);
                if (text != null) {
                    found.add(parse(name(file), text));
                }
            }
        }
        return found;
    }

    /**
     * Returns the commands of a project that are trusted. Links that lead out of the project are not followed.
     *
     * @param cwd the folder of the session
     * @param folders folders below it
     */
    static List<CommandFile> ofProject(Path cwd, List<Path> folders, MarkdownFile.Reading reading) {
        List<CommandFile> found = new ArrayList<>();
        for (Path folder : folders) {
            for (Path file : files(cwd.resolve(folder), reading)) {
                String text = reading.text(file, cwd);
                if (text != null) {
                    found.add(parse(name(file), text));
                }
            }
        }
        return found;
    }

    private static List<Path> files(Path folder, MarkdownFile.Reading reading) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : all) {
                if (files.size() < MOST_FILES && NAME.matcher(name(file)).matches() && Files.isRegularFile(file)) {
                    files.add(file);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // There may be none.
        } catch (IOException e) {
            reading.once("The commands in " + folder + " cannot be read: " + e);
        }
        return files;
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
