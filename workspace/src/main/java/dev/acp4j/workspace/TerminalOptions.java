package dev.acp4j.workspace;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an agent may do with terminals.
 *
 * @param maxTerminals how many may be open at once in one session; a terminal is open until it is released, running or
 *     not
 * @param defaultOutputBytes how much output is kept when the agent does not say, in bytes of UTF-8
 * @param maxOutputBytes how much output is kept at most, whatever the agent says
 * @param shellLines whether a request without arguments whose command is no file and looks like a line for a shell,
 *     such as {@code npm test && npm publish}, is run by the system's shell. Many agents send all their commands so.
 *     Without it, such a request fails. A request with arguments is never given to a shell
 * @param environment what commands find in their environment before the variables of the request are added; null for
 *     what an {@link dev.acp4j.process.Launch} hands on of this program's environment unless told otherwise, so that an
 *     agent does not find here what was kept from it
 * @param mercy how long a command has to end by itself when it is terminated, before it is killed
 */
public record TerminalOptions(
        int maxTerminals,
        int defaultOutputBytes,
        int maxOutputBytes,
        boolean shellLines,
        @Nullable Map<String, String> environment,
        Duration mercy) {
    /**
     * 32 terminals, 1 MiB of output unless asked for, 8 MiB at most, lines for a shell are run by one, 1 s of mercy.
     */
    public static final TerminalOptions DEFAULTS =
            new TerminalOptions(32, 1 << 20, 8 << 20, true, null, Duration.ofSeconds(1));

    /** Checks the numbers and copies the environment. */
    public TerminalOptions {
        requireNotNegative("maxTerminals", maxTerminals);
        requireNotNegative("defaultOutputBytes", defaultOutputBytes);
        requireNotNegative("maxOutputBytes", maxOutputBytes);
        if (mercy.isNegative()) {
            throw new IllegalArgumentException("mercy is negative: " + mercy);
        }
        environment = environment == null ? null : Map.copyOf(environment);
    }

    private static void requireNotNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " is negative: " + value);
        }
    }

    /** Returns these options with another number of terminals. */
    public TerminalOptions withMaxTerminals(int number) {
        return new TerminalOptions(number, defaultOutputBytes, maxOutputBytes, shellLines, environment, mercy);
    }

    /** Returns these options with other limits for the output that is kept. */
    public TerminalOptions withOutputBytes(int byDefault, int atMost) {
        return new TerminalOptions(maxTerminals, byDefault, atMost, shellLines, environment, mercy);
    }

    /** Returns these options with or without the shell for lines. */
    public TerminalOptions withShellLines(boolean allowed) {
        return new TerminalOptions(maxTerminals, defaultOutputBytes, maxOutputBytes, allowed, environment, mercy);
    }

    /**
     * Returns these options with another environment for commands: {@link dev.acp4j.process.Launch#environment()} gives
     * them the agent's, {@link System#getenv()} all of this program's, secrets included.
     */
    public TerminalOptions withEnvironment(@Nullable Map<String, String> variables) {
        return new TerminalOptions(maxTerminals, defaultOutputBytes, maxOutputBytes, shellLines, variables, mercy);
    }

    /** Returns these options with another time between terminating and killing. */
    public TerminalOptions withMercy(Duration time) {
        return new TerminalOptions(maxTerminals, defaultOutputBytes, maxOutputBytes, shellLines, environment, time);
    }

    /** Returns how much output is kept for a request that asks for this much, or does not say. */
    int outputBytes(@Nullable Long asked) {
        return (int) Math.min(maxOutputBytes, asked == null ? defaultOutputBytes : asked);
    }

    /** Returns the options without the values of the environment, which may be secret. */
    @Override
    public String toString() {
        return "TerminalOptions[maxTerminals=" + maxTerminals + ", defaultOutputBytes=" + defaultOutputBytes
                + ", maxOutputBytes=" + maxOutputBytes + ", shellLines=" + shellLines + ", environment="
                + (environment == null ? "that of agents" : environment.keySet()) + ", mercy=" + mercy + "]";
    }
}
