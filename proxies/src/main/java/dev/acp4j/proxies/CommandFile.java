package dev.acp4j.proxies;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
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
    private static final int MOST_BYTES = 256 * 1024;
    private static final int MOST_FILES = 500;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");
    private static final Pattern ARGUMENT = Pattern.compile("\\$(ARGUMENTS\\b|[1-9](?![0-9]))");

    /** Returns the commands in folders by their names; what cannot be read is said. */
    static Map<String, CommandFile> in(List<Path> folders, Consumer<String> onNotice) {
        Map<String, CommandFile> found = new TreeMap<>();
        for (Path folder : folders) {
            for (Path file : files(folder, onNotice)) {
                String text = text(file, onNotice);
                if (text != null) {
                    CommandFile command = parse(name(file), text);
                    found.put(command.name, command);
                }
            }
        }
        return found;
    }

    /**
     * Returns the commands of a project that are trusted, by their names. Links that lead out of the project are not
     * followed.
     *
     * @param cwd the folder of the session
     * @param folders folders below it
     * @param notTrusted takes the other files
     */
    static Map<String, CommandFile> ofProject(
            Path cwd, List<Path> folders, Trust trust, Consumer<Path> notTrusted, Consumer<String> onNotice) {
        Map<String, CommandFile> found = new TreeMap<>();
        for (Path folder : folders) {
            for (Path file : files(cwd.resolve(folder), onNotice)) {
                try {
                    String text = file.toRealPath().startsWith(cwd.toRealPath()) ? text(file, onNotice) : null;
                    if (text == null) {
                        continue;
                    }
                    if (trust.isTrusted(file, text)) {
                        CommandFile command = parse(name(file), text);
                        found.put(command.name, command);
                    } else {
                        notTrusted.accept(file);
                    }
                } catch (IOException e) {
                    notTrusted.accept(file);
                }
            }
        }
        return found;
    }

    private static List<Path> files(Path folder, Consumer<String> onNotice) {
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
            onNotice.accept("The commands in " + folder + " cannot be read: " + e);
        }
        return files;
    }

    private static String name(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.substring(0, name.length() - SUFFIX.length());
    }

    private static @Nullable String text(Path file, Consumer<String> onNotice) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                onNotice.accept("The command in " + file + " is left out: it has more than " + MOST_BYTES + " bytes.");
                return null;
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            onNotice.accept("The command in " + file + " cannot be read: " + e);
            return null;
        }
    }

    /** Reads a command: what stands between lines of three dashes describes it. */
    static CommandFile parse(String name, String text) {
        List<String> lines = text.lines().toList();
        String description = "";
        String hint = null;
        int at = 0;
        int end = lines.isEmpty() || !lines.get(0).strip().equals("---") ? -1 : indexOfDashes(lines);
        for (int i = 1; i < end; i++) {
            int colon = lines.get(i).indexOf(':');
            String key =
                    colon < 0 ? "" : lines.get(i).substring(0, colon).strip().toLowerCase(Locale.ROOT);
            String value =
                    colon < 0 ? "" : unquoted(lines.get(i).substring(colon + 1).strip());
            description = key.equals("description") ? value : description;
            hint = key.equals("argument-hint") ? value : hint;
        }
        at = Math.max(at, end + 1);
        String body = String.join("\n", lines.subList(at, lines.size())).strip();
        if (description.isEmpty()) {
            description = body.lines().findFirst().orElse(name).replaceFirst("^#+\\s*", "");
        }
        boolean takesArguments = ARGUMENT.matcher(body).find();
        return new CommandFile(name, description, hint == null && takesArguments ? "arguments" : hint, body);
    }

    private static int indexOfDashes(List<String> lines) {
        for (int i = 1; i < lines.size(); i++) {
            if (lines.get(i).strip().equals("---")) {
                return i;
            }
        }
        return -1;
    }

    private static String unquoted(String value) {
        boolean isQuoted = value.length() > 1
                && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                && value.charAt(value.length() - 1) == value.charAt(0);
        return isQuoted ? value.substring(1, value.length() - 1) : value;
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
