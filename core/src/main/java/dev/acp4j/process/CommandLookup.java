package dev.acp4j.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Resolves a command to a file as a shell does. A missing command gives a clear message instead of an error number, and
 * {@code npx} is found on Windows, where it is a batch file. The current directory is searched only if the command
 * names it, on Windows too.
 */
final class CommandLookup {
    private static final String STANDARD_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";
    private static final int DIRECTORIES_SHOWN = 12;
    private static final int LONGEST_SCRIPT_HEAD = 256;
    private static final char[] UNQUOTABLE = {'"', '%', '!', '\n', '\r'};

    private final boolean windows;
    private final List<String> directories;
    private final List<String> extensions;

    /** Searches the search path of the command's environment or, if it has none, that of this program. */
    static CommandLookup in(Map<String, String> environment) {
        boolean windows = File.separatorChar == '\\';
        return new CommandLookup(environment.containsKey("PATH") ? environment : System.getenv(), windows);
    }

    CommandLookup(Map<String, String> environment, boolean windows) {
        this.windows = windows;
        this.directories = split(find(environment, "PATH"), windows ? ";" : ":");
        String pathExt = find(environment, "PATHEXT");
        this.extensions = windows
                ? split(pathExt.isEmpty() ? STANDARD_EXTENSIONS : pathExt.toUpperCase(Locale.ROOT), ";")
                : List.of();
    }

    private static String find(Map<String, String> environment, String name) {
        for (Map.Entry<String, String> entry : environment.entrySet()) {
            // On Windows the name is Path.
            if (entry.getKey().equalsIgnoreCase(name)) {
                return entry.getValue();
            }
        }
        return "";
    }

    private static List<String> split(String list, String separator) {
        Set<String> parts = new LinkedHashSet<>();
        for (String part : list.split(separator, -1)) {
            String bare = part.strip().replace("\"", "");
            if (!bare.isEmpty()) {
                parts.add(bare);
            }
        }
        return List.copyOf(parts);
    }

    /**
     * Returns the program to start: the absolute file of a command, and its arguments.
     *
     * @param directory the folder that relative paths start from
     * @throws LaunchException if there is no such file, or these arguments cannot be passed to it
     */
    List<String> line(String command, List<String> arguments, Path directory) throws LaunchException {
        Path file = find(command, directory);
        checkArguments(file, arguments);
        List<String> line = new ArrayList<>();
        line.add(file.toString());
        line.addAll(arguments);
        return line;
    }

    private Path find(String command, Path directory) throws LaunchException {
        if (command.isBlank() || command.indexOf('\0') >= 0) {
            throw new LaunchException("no command given");
        }
        boolean isPath =
                command.indexOf('/') >= 0 || (windows && (command.indexOf('\\') >= 0 || command.indexOf(':') >= 0));
        List<String> places = isPath ? List.of("") : directories;
        @Nullable String obstacle = null;
        for (String place : places) {
            for (String name : namesOf(command)) {
                Path file = resolve(directory, place, name);
                if (file == null) {
                    continue;
                }
                if (Files.isRegularFile(file) && isExecutable(file)) {
                    return file.toAbsolutePath();
                }
                obstacle = obstacle == null ? obstacleOf(file) : obstacle;
            }
        }
        if (obstacle != null) {
            throw new LaunchException("cannot run " + command + ": " + obstacle);
        }
        throw new LaunchException("command not found: " + command + ". "
                + (isPath ? "There is no such file. Give the full path of the program." : lookedIn(command)));
    }

    /** Returns the file names to try: on Windows with each program extension, then the bare name. */
    private List<String> namesOf(String command) {
        if (!windows) {
            return List.of(command);
        }
        String upper = command.toUpperCase(Locale.ROOT);
        List<String> names = new ArrayList<>();
        for (String extension : extensions) {
            if (upper.endsWith(extension)) {
                return List.of(command);
            }
            names.add(command + extension.toLowerCase(Locale.ROOT));
        }
        return names;
    }

    private static @Nullable Path resolve(Path directory, String place, String name) {
        try {
            return directory.resolve(place).resolve(name);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private boolean isExecutable(Path file) {
        return windows || Files.isExecutable(file);
    }

    private static @Nullable String obstacleOf(Path file) {
        if (Files.isDirectory(file)) {
            return file + " is a directory. Give the program in it.";
        }
        if (Files.exists(file)) {
            return file + " is not executable. Make it executable: chmod +x " + file;
        }
        return null;
    }

    private String lookedIn(String command) {
        if (directories.isEmpty()) {
            return "PATH is empty. Give its full path.";
        }
        int shown = Math.min(directories.size(), DIRECTORIES_SHOWN);
        String more = shown < directories.size() ? " and " + (directories.size() - shown) + " more" : "";
        return "Looked in: " + String.join(", ", directories.subList(0, shown)) + more + ". Install " + command
                + " or give its full path.";
    }

    /**
     * Rejects arguments that would be changed on the way. On Windows the command interpreter runs batch files and
     * parses the arguments again, and these characters cannot be quoted for it.
     */
    private void checkArguments(Path file, List<String> arguments) throws LaunchException {
        String name = file.toString().toLowerCase(Locale.ROOT);
        if (!windows || !(name.endsWith(".cmd") || name.endsWith(".bat"))) {
            return;
        }
        for (String argument : arguments) {
            for (char c : UNQUOTABLE) {
                if (argument.indexOf(c) >= 0) {
                    throw new LaunchException("cannot start " + file
                            + ": it is a batch file, and an argument contains \" % ! or a line break,"
                            + " which cannot be passed to one.");
                }
            }
        }
    }

    /** Returns why the system could not start a file that exists and is executable. */
    static String explain(Path file, IOException failure) {
        String head = headOf(file);
        if (head.startsWith("#!")) {
            String interpreter = head.substring(2).strip().split("\\s+", 2)[0];
            if (!interpreter.isEmpty() && !Files.exists(Path.of(interpreter))) {
                return "its first line asks for " + interpreter
                        + ", which does not exist. Install it, or correct that line.";
            }
        }
        String message = String.valueOf(failure.getMessage());
        if (message.contains("Exec format error") || message.contains("error=8,") || message.contains("error=193,")) {
            return "it is neither a program for this system nor a script with a #! line."
                    + " Install the build for this machine, or add the line.";
        }
        Throwable cause = failure.getCause();
        return cause != null && cause.getMessage() != null ? cause.getMessage() : message;
    }

    private static String headOf(Path file) {
        try (var in = Files.newInputStream(file)) {
            String head = new String(in.readNBytes(LONGEST_SCRIPT_HEAD), StandardCharsets.ISO_8859_1);
            int end = head.indexOf('\n');
            return end < 0 ? head : head.substring(0, end);
        } catch (IOException e) {
            return "";
        }
    }
}
