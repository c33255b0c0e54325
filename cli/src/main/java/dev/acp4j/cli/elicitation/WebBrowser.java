package dev.acp4j.cli.elicitation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The user's web browser, started by the program that the system has for this.
 *
 * @param command the program and its first arguments; empty if there is none
 */
record WebBrowser(List<String> command) {
    WebBrowser {
        command = List.copyOf(command);
    }

    static WebBrowser ofSystem() {
        return of(System.getProperty("os.name", "").toLowerCase(Locale.ROOT), System.getenv());
    }

    private static WebBrowser of(String system, Map<String, String> environment) {
        if (system.contains("windows")) {
            return new WebBrowser(List.of("rundll32", "url.dll,FileProtocolHandler"));
        }
        if (system.contains("mac")) {
            return new WebBrowser(List.of("/usr/bin/open"));
        }
        // Without a display it would start a browser in this terminal.
        boolean hasDisplay = environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
        Path program = hasDisplay ? onPath("xdg-open", environment.getOrDefault("PATH", "")) : null;
        return new WebBrowser(program == null ? List.of() : List.of(program.toString()));
    }

    private static @Nullable Path onPath(String name, String path) {
        for (String folder : path.split(File.pathSeparator, -1)) {
            try {
                Path program = Path.of(folder).resolve(name);
                // A relative folder would be one of the agent's working folder.
                if (program.isAbsolute() && Files.isExecutable(program)) {
                    return program;
                }
            } catch (InvalidPathException e) {
                // Not a folder.
            }
        }
        return null;
    }

    /** Returns whether there is a program that can open pages. */
    boolean isThere() {
        return !command.isEmpty();
    }

    /** Opens a page; returns false if the program cannot be started. */
    boolean open(String address) {
        List<String> all = new ArrayList<>(command);
        all.add(address);
        try {
            Process process = new ProcessBuilder(all)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
