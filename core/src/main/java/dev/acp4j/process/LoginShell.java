package dev.acp4j.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user's shell for its search path. A program started from a desktop instead of a terminal has a shorter one:
 * it lacks the entries of nvm, SDKMAN or Homebrew, and agents are not found.
 */
final class LoginShell {
    private static final Duration TIME = Duration.ofSeconds(3);
    private static final String MARK = "acp4j-search-path:";
    private static final int LONGEST_OUTPUT = 256 * 1024;

    private LoginShell() {}

    /** Returns the search path of the shell followed by that of this program, or null if the shell adds nothing. */
    static @Nullable String searchPath(Map<String, String> environment) throws InterruptedException {
        String shell = environment.getOrDefault("SHELL", "");
        String ours = environment.getOrDefault("PATH", "");
        if (!new File(shell).canExecute() || hasTerminal()) {
            return null;
        }
        Set<String> directories =
                new LinkedHashSet<>(List.of(ask(shell, environment).split(":")));
        directories.addAll(List.of(ours.split(":")));
        directories.remove("");
        String all = String.join(":", directories);
        return all.equals(ours) ? null : all;
    }

    /**
     * In a terminal the user's shell has already set the path, and an interactive shell would compete for the terminal.
     */
    static boolean hasTerminal() {
        try (FileInputStream terminal = new FileInputStream("/dev/tty")) {
            return terminal.getFD().valid();
        } catch (IOException e) {
            return false;
        }
    }

    private static String ask(String shell, Map<String, String> environment) throws InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(shell, "-ilc", "printf '\\n" + MARK + "%s\\n' \"$PATH\"");
        builder.environment().clear();
        builder.environment().putAll(environment);
        // Profiles read the folder they start in, for example to switch versions; the current one may not be trusted.
        builder.directory(File.listRoots()[0]);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        try {
            File output = File.createTempFile("acp4j", ".path");
            try {
                return ask(builder.redirectOutput(output), output);
            } finally {
                output.delete();
            }
        } catch (IOException e) {
            return "";
        }
    }

    /** The output goes to a file, because a profile may start a background process that holds a pipe open. */
    private static String ask(ProcessBuilder builder, File output) throws IOException, InterruptedException {
        ProcessTree tree = ProcessTree.startFile(builder);
        try {
            if (!tree.root().waitFor(TIME.toMillis(), TimeUnit.MILLISECONDS)) {
                return "";
            }
        } finally {
            tree.end(Duration.ZERO, Duration.ZERO);
        }
        try (FileInputStream in = new FileInputStream(output)) {
            String text = new String(in.readNBytes(LONGEST_OUTPUT), StandardCharsets.UTF_8);
            int at = text.lastIndexOf(MARK);
            int end = text.indexOf('\n', Math.max(at, 0));
            return at < 0 || end < at ? "" : text.substring(at + MARK.length(), end);
        }
    }
}
