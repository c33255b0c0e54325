package dev.acp4j.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jline.terminal.impl.exec.ExecTerminalProvider;
import org.jline.terminal.spi.SystemStream;
import org.jspecify.annotations.Nullable;

/** Detects which of the standard streams are terminals, and their capabilities. */
public final class TerminalStreams {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final SystemStream[] STREAMS = {SystemStream.Input, SystemStream.Output, SystemStream.Error};

    private TerminalStreams() {}

    /** Returns whether a standard stream, by its number, is a terminal. */
    static boolean isTerminal(int descriptor) {
        try {
            String target = target(descriptor);
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            // Not Linux: "test -t" costs a process.
            return new ExecTerminalProvider().isSystemStream(STREAMS[descriptor]);
        }
    }

    /** Returns whether a standard stream, by its number, is known to be a pipe or a socket. */
    public static boolean isPipe(int descriptor) {
        try {
            String target = target(descriptor);
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static String target(int descriptor) throws IOException {
        return Files.readSymbolicLink(DESCRIPTORS.resolve(Integer.toString(descriptor)))
                .toString();
    }

    /** Returns the capabilities of a standard stream. */
    static Display display(int descriptor, Charset charset) {
        boolean unicode = charset.equals(StandardCharsets.UTF_8);
        if (!isTerminal(descriptor)) {
            return new Display(0, 0, false, false, unicode);
        }
        boolean dumb = isDumb(System.getenv());
        return new Display(columns(), rows(), !dumb && wantsColour(System.getenv()), !dumb, unicode);
    }

    /** Returns whether colours are not disabled by the user, see <a href="https://no-color.org">no-color.org</a>. */
    static boolean wantsColour(Map<String, String> environment) {
        String noColour = environment.get("NO_COLOR");
        return noColour == null || noColour.isEmpty();
    }

    /**
     * Returns whether the terminal breaks long rows when its window becomes narrower: xterm, screen and consoles do
     * not.
     */
    static boolean reflows(Map<String, String> environment) {
        if (environment.containsKey("TMUX")) {
            return true;
        }
        String type = environment.getOrDefault("TERM", "");
        return !environment.containsKey("XTERM_VERSION")
                && !environment.containsKey("STY")
                && !type.equals("linux")
                && !type.startsWith("vt");
    }

    /**
     * Returns whether the terminal draws images by Kitty's protocol. Its type says so, also through ssh, and a
     * multiplexer between, which would show nothing, has another one.
     */
    static boolean showsImages(Map<String, String> environment) {
        String type = environment.getOrDefault("TERM", "");
        return type.equals("xterm-kitty") || type.equals("xterm-ghostty");
    }

    static boolean isDumb(Map<String, String> environment) {
        String type = environment.get("TERM");
        return type == null || type.startsWith("dumb");
    }

    private static int columns() {
        return Size.CURRENT.columns;
    }

    private static int rows() {
        return Size.CURRENT.rows;
    }

    /** Queries the size once, when first needed. */
    private record Size(int columns, int rows) {
        private static final Size CURRENT = measure();

        private static Size measure() {
            try {
                Process stty = new ProcessBuilder("stty", "-F", "/dev/tty", "size")
                        .directory(
                                File.listRoots()[0]) // an absolute folder, so that no other program of this name is run
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                String[] parts = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                        .strip()
                        .split(" ", 2);
                int rows = parts.length == 2 ? number(parts[0]) : 0;
                int columns = parts.length == 2 ? number(parts[1]) : 0;
                return new Size(columns > 0 ? columns : 80, rows > 0 ? rows : 24);
            } catch (IOException e) {
                return new Size(80, 24);
            }
        }

        private static int number(@Nullable String digits) {
            try {
                return digits == null ? 0 : Integer.parseInt(digits);
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }
}
