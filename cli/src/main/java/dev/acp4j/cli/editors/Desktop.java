package dev.acp4j.cli.editors;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The system on which editors run, for one user.
 *
 * @param kind the kind of system
 * @param home the user's home folder
 * @param folder the current folder
 * @param environment the variables of this program
 * @param running the names of the programs that run
 */
record Desktop(Kind kind, Path home, Path folder, Map<String, String> environment, Supplier<List<String>> running) {
    enum Kind {
        LINUX,
        MACOS,
        WINDOWS
    }

    /** The system that this program runs on. */
    static Desktop here() {
        String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        Kind kind = name.startsWith("windows") ? Kind.WINDOWS : name.startsWith("mac") ? Kind.MACOS : Kind.LINUX;
        Map<String, String> environment = System.getenv();
        String home = environment.get(kind == Kind.WINDOWS ? "USERPROFILE" : "HOME");
        return new Desktop(
                kind,
                Path.of(home == null || home.isEmpty() ? System.getProperty("user.home", "") : home)
                        .toAbsolutePath(),
                Path.of("").toAbsolutePath(),
                environment,
                () -> ProcessHandle.allProcesses()
                        .flatMap(process -> process.info().command().stream())
                        .map(command -> Path.of(command).getFileName().toString())
                        .toList());
    }

    boolean isWindows() {
        return kind == Kind.WINDOWS;
    }

    /**
     * Returns the folder for settings: {@code ~/.config}, {@code ~/Library/Application Support} or {@code %APPDATA%}.
     */
    Path settings() {
        return switch (kind) {
            case LINUX -> folder("XDG_CONFIG_HOME", ".config");
            case MACOS -> home.resolve("Library").resolve("Application Support");
            case WINDOWS -> folder("APPDATA", "AppData", "Roaming");
        };
    }

    /** Returns the same for programs that have {@code ~/.config} on macOS, too. */
    Path dotConfig() {
        return kind == Kind.MACOS ? home.resolve(".config") : settings();
    }

    /** Returns the folder of a variable; if that is not an absolute path, one in the home folder. */
    Path folder(String variable, String... inHome) {
        String value = environment.get(variable);
        if (value != null && Path.of(value).isAbsolute()) {
            return Path.of(value);
        }
        Path folder = home;
        for (String name : inHome) {
            folder = folder.resolve(name);
        }
        return folder;
    }

    /** Returns whether this is a Linux inside Windows. */
    boolean isWsl() {
        return kind == Kind.LINUX && environment.containsKey("WSL_DISTRO_NAME");
    }

    boolean isRunning(String program) {
        return running.get().stream()
                .anyMatch(name ->
                        name.toLowerCase(Locale.ROOT).matches(program + "(\\.exe|-bin|[-_.0-9a-z]*\\.appimage)?"));
    }

    /** Returns the variables of a program that was started from the desktop, and not from a shell. */
    Map<String, String> bareEnvironment() {
        Map<String, String> bare = new LinkedHashMap<>();
        switch (kind) {
            case LINUX -> bare.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
            case MACOS -> bare.put("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
            case WINDOWS -> {
                String root = systemRoot();
                bare.put("Path", root + "\\System32;" + root);
                bare.put("SystemRoot", root);
                for (String name : List.of("APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "COMSPEC", "PATHEXT")) {
                    String value = environment.get(name);
                    if (value != null) {
                        bare.put(name, value);
                    }
                }
            }
        }
        bare.put(isWindows() ? "USERPROFILE" : "HOME", home.toString());
        return bare;
    }

    /**
     * Returns a command as an editor can start it: its program as an absolute path, and on Windows one that needs no
     * shell. Empty if there is no such program.
     */
    Optional<List<String>> absolute(List<String> words) {
        String command = words.getFirst();
        boolean isPath = command.indexOf('/') >= 0 || (isWindows() && command.indexOf('\\') >= 0);
        List<Path> places = isPath ? List.of(folder) : searchPath();
        for (Path place : places) {
            for (String name : names(command)) {
                Path file = place.resolve(name).normalize();
                if (Files.isRegularFile(file) && (isWindows() || Files.isExecutable(file))) {
                    return Optional.of(line(file, words.subList(1, words.size())));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the absolute path of a file of the current folder that a word of a command names; null if it names none.
     */
    @Nullable
    String file(String word) {
        if (word.startsWith("-") || !word.matches(".*[./\\\\].*")) {
            return null; // A word such as "chat" may be the name of a file by chance.
        }
        try {
            Path file = Path.of(word);
            Path absolute = folder.resolve(file).normalize();
            return !file.isAbsolute() && Files.isRegularFile(absolute) ? absolute.toString() : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Batch files, such as those of npm, are no programs: editors that start them directly fail. */
    private List<String> line(Path file, List<String> args) {
        List<String> line = new ArrayList<>();
        String name = file.toString().toLowerCase(Locale.ROOT);
        if (isWindows() && (name.endsWith(".cmd") || name.endsWith(".bat"))) {
            // With "call" before it, cmd.exe does not take the first and the last quote away.
            line.addAll(List.of(systemRoot() + "\\System32\\cmd.exe", "/d", "/c", "call"));
        }
        line.add(file.toString());
        line.addAll(args);
        return List.copyOf(line);
    }

    private List<String> names(String command) {
        if (!isWindows()) {
            return List.of(command);
        }
        List<String> names = new ArrayList<>();
        String extensions = environment.getOrDefault("PATHEXT", ".COM;.EXE;.BAT;.CMD");
        for (String extension : extensions.toLowerCase(Locale.ROOT).split(";", -1)) {
            if (command.toLowerCase(Locale.ROOT).endsWith(extension)) {
                return List.of(command);
            }
            names.add(command + extension);
        }
        return names;
    }

    private List<Path> searchPath() {
        String path = variable("PATH");
        List<Path> places = new ArrayList<>();
        for (String place : (path == null ? "" : path).split(isWindows() ? ";" : ":", -1)) {
            if (!place.isEmpty()) {
                places.add(folder.resolve(place));
            }
        }
        return places;
    }

    private String systemRoot() {
        String root = variable("SystemRoot");
        return root == null ? "C:\\Windows" : root;
    }

    /** Returns a variable; on Windows the case of its name does not matter. */
    private @Nullable String variable(String name) {
        for (Map.Entry<String, String> entry : environment.entrySet()) {
            if (isWindows()
                    ? entry.getKey().equalsIgnoreCase(name)
                    : entry.getKey().equals(name)) {
                return entry.getValue();
            }
        }
        return null;
    }

    /** Returns words as one line for a shell of this system. */
    String shellLine(List<String> words) {
        return String.join(" ", words.stream().map(this::shellWord).toList());
    }

    String shellWord(String word) {
        if (!word.isEmpty() && word.matches(isWindows() ? "[-_./:=@+,\\\\0-9A-Za-z]+" : "[-_./:=@+,0-9A-Za-z]+")) {
            return word;
        }
        return isWindows() ? "\"" + word.replace("\"", "\\\"") + "\"" : "'" + word.replace("'", "'\\''") + "'";
    }
}
