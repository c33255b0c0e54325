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
 * Finds the file behind a command as a shell would, so that a missing one is a clear sentence and not an error number,
 * and {@code npx} is found on Windows, where it is a batch file. The current directory is searched only when the
 * command says so, on Windows as well.
 */
final class CommandLookup {
    private static final String STANDARD_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";
    private static final int DIRECTORIES_SHOWN = 12;
    private static final int LONGEST_SCRIPT_HEAD = 256;
    private static final char[] UNQUOTABLE = {'"', '%', '!', '\n', '\r'};

    private final boolean windows;
    private final List<String> directories;
    private final List<String> extensions;

    /** Looks along the search path of the environment that a command gets; if that has none, along our own. */
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
            // Windows writes Path.
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
     * Returns what to start: the file behind a command, absolute, and its arguments.
     *
     * @param directory the folder that relative paths start from
     * @throws LaunchException when there is no such file, or it cannot be given these arguments
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

    /** Returns the file names to try: on Windows also with each extension of programs, the bare name last. */
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
            return file + " is not executable. Make it so with: chmod +x " + file;
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
     * Refuses arguments that would not arrive as they are. Windows has batch files run by its command interpreter,
     * which reads arguments once more, and there is no way to quote these characters for it.
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
                            + ": it is a batch file, which cannot be given an argument with \" % ! or a line break.");
                }
            }
        }
    }

    /** Returns why the system refused to start a file that exists and is executable. */
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
            return "it is no program for this system, nor a script with a #! line. Install the build for this machine, or add the line.";
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
